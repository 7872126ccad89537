"""What is said of an event type: who acts, on what, and which fields it fills."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from langbot_agents.schemas.base import FrozenDict, JsonObject, Model, StringMap

TextRule = Literal["expected", "optional", "never"]
JsonType = Literal["string", "number", "boolean", "array", "object"]


class MetadataField(Model):
    """One named key of an event's metadata."""

    type: JsonType = Field(default="string", description="JSON type of the value.")
    nullable: bool = Field(default=False, description="Whether null has a meaning of its own.")
    values: tuple[str, ...] = Field(default=(), description="The only values, where there are few.")
    description: StringMap = Field(description="What it is, by locale.")

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the value."""
        schema: dict[str, Any] = {"type": [self.type, "null"] if self.nullable else self.type}
        if self.values:
            schema["enum"] = [*self.values, None] if self.nullable else list(self.values)
        return {**schema, "description": self.description["en_US"]}


class EventTypeContract(Model):
    """What an event type promises to bindings, filters and runners."""

    name: str = Field(description="The event type; for a family its parts in angle brackets.")
    aliases: tuple[str, ...] = Field(default=(), description="Other names of the same type.")
    pattern: str | None = Field(
        default=None, description="For a family: the regular expression its types match."
    )
    title: StringMap = Field(description="Short name, by locale.")
    description: StringMap = Field(description="When it comes and what it means, by locale.")
    actor: StringMap = Field(description="Who the actor is, by locale.")
    subject_types: tuple[str, ...] = Field(
        default=(), description="What `subject.subject_type` may be; empty is anything."
    )
    subject: StringMap = Field(description="What the subject is, by locale.")
    text: TextRule = Field(
        default="never",
        description="`input.text`: `expected` (a person usually writes), `optional` (they may) or `never`.",
    )
    data: bool = Field(default=False, description="Whether `input.data` is the payload.")
    interaction: bool = Field(
        default=False, description="Whether `input.interaction` is a form that was sent back."
    )
    reply: bool = Field(default=False, description="Whether `delivery.reply_target` is usual.")
    metadata: Annotated[Mapping[str, MetadataField], AfterValidator(FrozenDict)] = Field(
        default={},
        validate_default=True,
        description="Named keys of `metadata`; an event may leave any of them out.",
    )
    sample: JsonObject = Field(description="A typical event, with only the fields that say something.")
