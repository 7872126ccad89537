"""Events as HTTP shows them."""

from pydantic import AwareDatetime, Field

from langbot_agents.schemas.base import JsonData
from langbot_agents.schemas.events import AgentEventEnvelope, EventSource
from langbot_agents.schemas.records import DeliveryStatus, DispatchOutcome, RunStatus, RunWarning
from langbot_agents.schemas.results import Usage

from .base import AnswerModel


class EventAccepted(AnswerModel):
    """An event that is on disk."""

    event_uid: str = Field(description="Id of the event, of the first one where it is a repeat.")
    duplicate: bool = Field(description="Whether it is a repeat, which is not run.")
    deduplicated: bool = Field(description="Whether a repeat is noticed: the event has an `event_id`.")
    ended: bool | None = Field(default=None, description="With `wait`: whether all that it led to has ended.")


class DispatchOfEvent(AnswerModel):
    """What became of one chosen binding."""

    dispatch_id: str = Field(description="Its id.")
    binding_id: str = Field(description="The binding.")
    outcome: DispatchOutcome = Field(description="How it ended.")
    reason: str | None = Field(description="More about it.")
    run_id: str | None = Field(description="The run that started.")


class RunOfEvent(AnswerModel):
    """One run of an event."""

    run_id: str = Field(description="Its id.")
    binding_id: str = Field(description="The binding.")
    runner_id: str = Field(description="The runner.")
    attempt: int = Field(description="Number of the attempt.")
    status: RunStatus = Field(description="State.")
    code: str | None = Field(description="Stable code of a failure.")
    reason: str | None = Field(description="Finish reason, or why it failed.")
    usage: Usage | None = Field(description="What it cost.")
    models: tuple[str, ...] = Field(description="Models that were called.")
    warnings: tuple[RunWarning, ...] = Field(description="What was odd in its results, such as dropped ones.")


class DeliveryOfEvent(AnswerModel):
    """One message that an event led to."""

    delivery_id: str = Field(description="Its id.")
    run_id: str = Field(description="The run.")
    message_id: str = Field(description="Message of the run.")
    surface: str = Field(description="Surface.")
    status: DeliveryStatus = Field(description="State.")
    content: JsonData = Field(description="What is sent; null while it is still growing.")
    error: str | None = Field(description="Why it failed.")


class EventEnding(AnswerModel):
    """What became of an event."""

    event_uid: str = Field(description="The event.")
    outcome: str | None = Field(description="`matched`, `observed`, `unmatched`; null while not decided.")
    dispatches: tuple[DispatchOfEvent, ...] = Field(description="The chosen bindings.")
    runs: tuple[RunOfEvent, ...] = Field(description="Their runs.")
    deliveries: tuple[DeliveryOfEvent, ...] = Field(description="What was delivered, in order.")


class EventReply(EventAccepted, EventEnding):
    """An event with its reply."""


class EventDetail(EventEnding):
    """An event, and what became of it."""

    event: AgentEventEnvelope = Field(description="The event, as it was taken.")


class EventRow(AnswerModel):
    """One event of the log."""

    seq: int = Field(description="Place in the log.")
    event_uid: str = Field(description="Its id.")
    event_id: str | None = Field(description="The source's own id.")
    event_type: str = Field(description="Its type.")
    received_at: AwareDatetime | None = Field(description="When the host took it.")
    source: EventSource = Field(description="Where it came from.")
    bot_id: str | None = Field(description="The bot.")
    conversation_id: str | None = Field(description="The conversation.")
    outcome: str | None = Field(description="`matched`, `observed`, `unmatched`; null while not decided.")


class EventPage(AnswerModel):
    """One page of the event log."""

    events: tuple[EventRow, ...] = Field(description="The events.")
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
