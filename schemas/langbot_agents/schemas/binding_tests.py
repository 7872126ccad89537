"""The `BindingTest` document: events and what the bindings beside it must do with them."""

from typing import Literal

from pydantic import AwareDatetime, Field, model_validator

from .base import Document, EventType, JsonObject, Name
from .bindings import API_VERSION, ApiVersion


class TestEvent(Document):
    """The event of a case: a catalogue sample, a file, or written out; `set` changes fields of it."""

    __test__ = False

    sample: EventType | None = Field(default=None, description="Event type whose catalogue sample is used.")
    file: str | None = Field(default=None, description="JSON or YAML file beside the test.")
    inline: JsonObject | None = Field(default=None, description="The event itself.")
    set: JsonObject = Field(
        default={}, validate_default=True, description="Dotted path to value, laid over the event."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "TestEvent":
        if sum(value is not None for value in (self.sample, self.file, self.inline)) != 1:
            raise ValueError("give exactly one of sample, file and inline")
        return self


class TestExpectation(Document):
    """What must happen."""

    __test__ = False

    binding: Name | None = Field(default=None, description="The binding that answers; null is none.")
    observers: tuple[Name, ...] | None = Field(
        default=None, description="Bindings that observe; omitted is not checked."
    )
    messages: tuple[str, ...] | None = Field(default=None, description="Texts that are delivered, in order.")
    actions: tuple[JsonObject, ...] | None = Field(
        default=None, description="Actions that are asked for, in order."
    )


class BindingTestCase(Document):
    """One case."""

    name: str = Field(min_length=1, max_length=200, description="What the case shows.")
    event: TestEvent = Field(description="The event.")
    at: AwareDatetime | None = Field(default=None, description="The time at which it is decided, RFC 3339.")
    runner: tuple[JsonObject, ...] | None = Field(
        default=None, description="Results of a scripted runner, instead of the real one."
    )
    expect: TestExpectation = Field(description="What must happen.")


class BindingTest(Document):
    """A file of cases, named `*.test.yaml`; never loaded as a binding."""

    apiVersion: ApiVersion = Field(default=API_VERSION, description="`langbot-agents/v1`.")
    kind: Literal["BindingTest"] = Field(default="BindingTest", description="`BindingTest`.")
    description: str | None = Field(default=None, description="What the file is for.")
    cases: tuple[BindingTestCase, ...] = Field(min_length=1, description="The cases.")
