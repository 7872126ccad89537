"""An explanation as HTTP shows it."""

from typing import Any, Literal

from pydantic import AwareDatetime, Field

from langbot_agents.schemas.base import JsonObject
from langbot_agents.schemas.records import ReasonCode

from .base import AnswerModel


class ExplainedEvent(AnswerModel):
    """The event that was asked about."""

    event_type: str = Field(description="Its type.")
    event_uid: str | None = Field(description="Always null: it was not taken.")
    event_id: str | None = Field(description="The source's own id.")
    origin: str = Field(description="Always `http`.")
    name: str = Field(description="Who asks.")
    facts: dict[str, str | None] = Field(description="Its value for each field of a scope.")


class ExplainedFilter(AnswerModel):
    """The part of a filter that decided."""

    name: str | None = Field(description="The filter's name.")
    leg: str = Field(description="The part, as it is written.")
    truth: Literal["true", "false", "error"] = Field(description="What came out.")
    reason: str | None = Field(description="Why it failed.")
    values: dict[str, Any] = Field(description="What the event has at each path.")


class ExplainedRank(AnswerModel):
    """What the winner has better."""

    element: Literal["priority", "scope", "event_type", "binding_id"] = Field(description="What decides.")
    field: str | None = Field(description="The field of the scope.")
    better: Any = Field(description="What the winner has.")
    worse: Any = Field(description="What this one has.")


class ExplainedBinding(AnswerModel):
    """What became of one binding, and why."""

    binding_id: str | None = Field(description="The binding.")
    code: ReasonCode = Field(description="The first reason that applies.")
    file: str = Field(description="File of what decided.")
    line: int = Field(description="Line, from 1.")
    column: int = Field(description="Column, from 1.")
    mode: Literal["respond", "observe"] | None = Field(default=None, description="Answers, or watches.")
    runner_id: str | None = Field(default=None, description="The runner.")
    priority: int | None = Field(default=None, description="Higher answers first.")
    revision: str | None = Field(default=None, description="Digest of the document.")
    field: str | None = Field(default=None, description="The field of the event that decided.")
    expected: Any = Field(default=None, description="What the binding wants there.")
    actual: Any = Field(default=None, description="What the event has there.")
    filter: ExplainedFilter | None = Field(default=None, description="The filter that decided.")
    reason: str | None = Field(default=None, description="Why it is quarantined or paused.")
    outranked_by: ExplainedRank | None = Field(default=None, description="Why another one answers.")


class Explanation(AnswerModel):
    """A decision that was not made, with a reason for every binding."""

    event: ExplainedEvent = Field(description="The event.")
    at: AwareDatetime = Field(description="The moment that it was decided for.")
    clock: float = Field(description="The same in Unix seconds.")
    set_digest: str = Field(description="Names the set of bindings.")
    function_set: str = Field(description="Version of the filter functions.")
    outcome: Literal["matched", "observed", "unmatched"] = Field(description="What comes out.")
    winner: str | None = Field(description="The binding that would answer.")
    observers: tuple[str, ...] = Field(description="Bindings that would run beside.")
    stages: dict[str, int] = Field(description="How many bindings each stage leaves.")
    counts: dict[str, int] = Field(description="Code to number of bindings of the decision.")
    bindings: tuple[ExplainedBinding, ...] = Field(description="Every binding.")
    chosen: tuple[JsonObject, ...] = Field(description="What each chosen one would be granted and deliver.")
