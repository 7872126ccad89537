"""The `BindingTest` document: events and what the bindings beside it must do with them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, StringConstraints, model_validator

from .base import EVENT_TYPE_PATTERN, Document, FrozenDict, JsonObject, Name, or_text
from .bindings import API_VERSION, ApiVersion
from .records import DispatchOutcome, ReasonCode, RunStatus

NOBODY = "none"
"""What stands for a binding, or for a run, where there must be none."""

EVENT_FILES = (".json", ".yaml", ".yml")
"""How the name of a file that holds an event ends."""


def _name_events(schema: dict[str, Any]) -> None:
    """Let an editor offer the samples of the catalogue."""
    from .catalogue import standard_types

    names = [name for found in standard_types() if not found.pattern for name in (found.name, *found.aliases)]
    event_type = {"type": "string", "pattern": EVENT_TYPE_PATTERN}
    schema.clear()
    schema |= {
        "description": "A sample of the catalogue by its event type, a JSON or YAML file, or the event.",
        "anyOf": [
            {"enum": names, "description": "The sample of an event type."},
            event_type | {"description": "The sample of a type of a family, such as `platform.qq.poke`."},
            {"type": "string", "pattern": r"\.(json|ya?ml)$", "description": "A file beside the test."},
            {
                "type": "object",
                "properties": {"event_type": {"anyOf": [{"enum": names}, event_type]}},
                "required": ["event_type"],
                "description": "The event itself; what the host sets may be left out.",
            },
        ],
        "examples": ["message.received", "events/refund.json"],
    }


class TestMessage(Document):
    """A text that is delivered; bare text is `exact`."""

    __test__ = False
    model_config = ConfigDict(json_schema_extra=or_text)

    exact: str | None = Field(default=None, description="The whole text.")
    contains: str | None = Field(default=None, min_length=1, description="A part of the text.")
    matches: str | None = Field(
        default=None, min_length=1, max_length=1024, description="A pattern that is found in the text."
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return {"exact": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _says_something(self) -> "TestMessage":
        if self.exact is None and self.contains is None and self.matches is None:
            raise ValueError("give exact, contains or matches")
        return self


class TestRunner(Document):
    """A scripted runner: what it gives, instead of the real one of the binding that answers."""

    __test__ = False

    results: tuple[JsonObject, ...] = Field(
        default=(),
        description="Raw results, as a runner gives them.",
        examples=[
            [
                {
                    "type": "message.completed",
                    "data": {"message": {"role": "assistant", "content": "Hello."}},
                },
                {"type": "run.completed", "data": {"finish_reason": "stop"}},
            ]
        ],
    )
    raises: str | None = Field(
        default=None, max_length=1024, description="Text of an exception that it raises behind its results."
    )


class TestExpectation(Document):
    """What must happen; what is left out is not checked."""

    __test__ = False

    winner: Name | None = Field(
        default=None,
        description="The binding that answers; `none` where nobody may.",
        examples=["echo-messages", NOBODY],
    )
    observers: tuple[Name, ...] | None = Field(
        default=None, description="The bindings that observe, all of them, in any order."
    )
    outcome: Literal["matched", "observed", "unmatched"] | None = Field(
        default=None, description="What is decided of the event."
    )
    reasons: Annotated[Mapping[Name, ReasonCode], AfterValidator(FrozenDict)] | None = Field(
        default=None, description="Binding to what becomes of it.", examples=[{"at-night": "inactive"}]
    )
    dispatch: DispatchOutcome | None = Field(
        default=None, description="What becomes of the binding that answers, such as `started`, `loop_guard`."
    )
    messages: tuple[TestMessage, ...] | None = Field(
        default=None, description="Texts that are delivered, all of them, in order."
    )
    actions: tuple[JsonObject, ...] | None = Field(
        default=None,
        description="Actions that the runner asks for, all of them, in order; keys left out are not checked.",
        examples=[[{"action": "group.mute", "payload": {"seconds": 60}}]],
    )
    status: RunStatus | Literal["none"] | None = Field(
        default=None, description="How the run ends; `none` where there may be no run."
    )
    code: str | None = Field(
        default=None, description="Code of a run that fails, such as `runner.exception`."
    )

    @model_validator(mode="after")
    def _says_something(self) -> "TestExpectation":
        if not self.model_fields_set:
            raise ValueError("nothing is expected; give for example winner")
        for name in sorted(self.model_fields_set):
            if getattr(self, name) is None:
                raise ValueError(f"{name} has no value; leave it out, or write `{NOBODY}` for nobody")
        return self

    @property
    def routing(self) -> bool:
        """Whether something is expected of the decision."""
        stated = (self.winner, self.observers, self.outcome, self.reasons)
        return any(value is not None for value in stated)

    @property
    def running(self) -> bool:
        """Whether something is expected of what comes behind the decision."""
        stated = (self.dispatch, self.messages, self.actions, self.status, self.code)
        return any(value is not None for value in stated)


class BindingTestCase(Document):
    """One case."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)] = Field(
        description="What the case shows."
    )
    event: str | JsonObject = Field(
        description="A sample of the catalogue by its event type, a JSON or YAML file, or the event.",
        json_schema_extra=_name_events,
    )
    set: JsonObject = Field(
        default={},
        validate_default=True,
        description="Dotted path to value, laid over the event.",
        examples=[{"input.text": "hello", "actor.actor_type": "bot"}],
    )
    at: AwareDatetime | None = Field(
        default=None,
        description="The time at which it is decided, RFC 3339; default now.",
        examples=["2026-03-02T10:00:00+08:00"],
    )
    runner: TestRunner | Literal["real"] | None = Field(
        default=None,
        description="What a scripted runner gives instead of the real one. `real` lets the real one run also "
        "where it asks for models, tools or knowledge; without it only a runner that needs nothing does.",
    )
    expect: TestExpectation = Field(description="What must happen.")


class BindingTest(Document):
    """A file of cases, named `*.test.yaml`; never loaded as a binding."""

    apiVersion: ApiVersion = Field(default=API_VERSION, description="`langbot-agents/v1`.")
    kind: Literal["BindingTest"] = Field(default="BindingTest", description="`BindingTest`.")
    description: str | None = Field(default=None, description="What the file is for.")
    cases: tuple[BindingTestCase, ...] = Field(min_length=1, description="The cases.")
