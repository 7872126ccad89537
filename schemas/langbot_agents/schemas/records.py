"""What the store holds of an event's way through the house."""

from typing import Literal

from pydantic import AwareDatetime, Field

from .base import JsonData, JsonObject, Model, Name
from .content import ArtifactAccess
from .events import ReplyTarget
from .results import Usage

DecisionCode = Literal["selected", "observer", "outranked", "inactive", "filter_error"]
"""Codes that a stored decision lists."""

ReasonCode = Literal[
    "disabled",
    "quarantined",
    "event_type",
    "scope",
    "filter_false",
    "filter_error",
    "inactive",
    "outranked",
    "observer",
    "selected",
]
"""Every reason, in the order in which the first that applies is given."""

DispatchOutcome = Literal[
    "waiting",
    "started",
    "queue_full",
    "loop_guard",
    "rate_limited",
    "merged",
    "overlap_dropped",
    "steered",
    "expired",
    "vetoed",
    "discarded",
]
RunStatus = Literal["queued", "running", "completed", "failed", "timeout", "cancelled", "interrupted"]
DeliveryStatus = Literal["pending", "sending", "sent", "failed", "unknown", "cancelled"]


class DecisionEntry(Model):
    """One binding in a decision."""

    binding_id: str = Field(description="The binding.")
    revision: str = Field(description="Digest of its document.")
    code: DecisionCode = Field(description="What became of it.")
    error: str | None = Field(default=None, description="Why its filter failed.")


class Decision(Model):
    """Who answers an event; made once, never changed."""

    decision_id: str = Field(
        default="", description="Host id, `dec_…`; empty for a decision that was only explained."
    )
    event_uid: str = Field(description="The event.")
    workspace_id: str = Field(default="default", description="Workspace.")
    clock: float = Field(description="Time of the decision, Unix seconds.")
    set_digest: str = Field(description="Digest of the set of bindings.")
    function_set: str = Field(description="Version of the filter functions.")
    counts: JsonObject = Field(default={}, validate_default=True, description="Code to number of bindings.")
    winner: str | None = Field(default=None, description="The binding that answers.")
    observers: tuple[str, ...] = Field(default=(), description="Bindings that run beside.")
    entries: tuple[DecisionEntry, ...] = Field(
        default=(),
        description="Bindings whose type, scope and filters came out true or error; best first.",
    )
    veto: str | None = Field(default=None, description="Reason of the hook that stopped it.")

    @property
    def outcome(self) -> str:
        """`matched`, `unmatched`, or `observed` where only observers run."""
        if self.winner is not None:
            return "matched"
        return "observed" if self.observers else "unmatched"


class DispatchRecord(Model):
    """What became of one chosen binding."""

    dispatch_id: str = Field(description="Host id, `dsp_…`.")
    event_uid: str = Field(description="The event.")
    workspace_id: str = Field(default="default", description="Workspace.")
    binding_id: str = Field(description="The binding.")
    revision: str = Field(description="Digest of its document.")
    flow_key: str = Field(description="What orders it.")
    outcome: DispatchOutcome = Field(default="waiting", description="How it ended.")
    reason: str | None = Field(default=None, description="More about it.")
    run_id: str | None = Field(default=None, description="The run that started.")
    into: str | None = Field(default=None, description="The dispatch or run it went into.")
    created_at: AwareDatetime = Field(description="When it was made.")
    ended_at: AwareDatetime | None = Field(default=None, description="When it ended.")


class RunWarning(Model):
    """Something odd in what a runner gave; kept with the run, never shown to people who chat."""

    code: str = Field(description="Stable code, such as `result.invalid_payload`.")
    message: str = Field(description="What was odd, and what became of it.")
    type: str | None = Field(default=None, description="Type of the result.")
    count: int = Field(default=1, ge=1, description="How often.")


class RunRecord(Model):
    """One run, in the ledger."""

    run_id: str = Field(description="Host id, `run_…`.")
    workspace_id: str = Field(default="default", description="Workspace.")
    event_uid: str = Field(description="The event.")
    dispatch_id: str | None = Field(default=None, description="The dispatch.")
    binding_id: str = Field(description="The binding.")
    revision: str = Field(description="Digest of its document.")
    runner_id: str = Field(description="The runner.")
    runner_distribution: str | None = Field(default=None, description="Package of the runner.")
    runner_version: str | None = Field(default=None, description="Its version.")
    host_version: str = Field(description="Version of the host.")
    attempt: int = Field(default=1, ge=1, description="Number of the attempt.")
    crash_restarts: int = Field(default=0, ge=0, description="Starts after a crash.")
    status: RunStatus = Field(default="queued", description="State.")
    effectful: bool = Field(
        default=False, description="Whether an intent to show or change something was committed."
    )
    code: str | None = Field(default=None, description="Stable code of a failure.")
    reason: str | None = Field(default=None, description="Finish reason, or why it failed.")
    usage: Usage | None = Field(default=None, description="What it cost.")
    models: tuple[str, ...] = Field(default=(), description="Models that were used.")
    warnings: tuple[RunWarning, ...] = Field(default=(), description="What was odd in its results.")
    parent_run_id: str | None = Field(default=None, description="The run that led here.")
    created_at: AwareDatetime = Field(description="When it was made.")
    started_at: AwareDatetime | None = Field(default=None, description="When it began.")
    ended_at: AwareDatetime | None = Field(default=None, description="When it ended.")


class RunResultRecord(Model):
    """A stored result, or a range of deltas."""

    run_id: str = Field(description="The run.")
    first_sequence: int = Field(ge=1, description="First result of the range.")
    sequence: int = Field(ge=1, description="Last result of the range.")
    type: str = Field(description="Kind of result.")
    message_id: str | None = Field(default=None, description="Message it belongs to.")
    data: JsonObject = Field(
        default={}, validate_default=True, description="Payload; for a range the joined text."
    )
    timestamp: float = Field(description="When it came, Unix seconds.")


class TranscriptEntry(Model):
    """One line of a conversation's history."""

    sequence: int = Field(default=0, description="Place in the history, rising.")
    workspace_id: str = Field(default="default", description="Workspace.")
    conversation_key: str = Field(description="Identity of the conversation.")
    role: Literal["user", "assistant", "tool"] = Field(description="Who speaks.")
    content: JsonData = Field(description="Text or parts.")
    event_uid: str = Field(description="The event.")
    run_id: str | None = Field(default=None, description="The run.")
    actor_id: str | None = Field(default=None, description="Who spoke.")
    created_at: AwareDatetime = Field(description="When.")


class DeliveryRecord(Model):
    """An outbox row: one message for one place, committed before its first byte."""

    delivery_id: str = Field(description="Host id, `dlv_…`.")
    workspace_id: str = Field(default="default", description="Workspace.")
    run_id: str = Field(description="The run.")
    event_uid: str = Field(description="The event.")
    message_id: str = Field(description="Message of the run.")
    surface: str = Field(description="Surface.")
    target: ReplyTarget = Field(description="Place on the surface.")
    chunk: int = Field(default=0, ge=0, description="Part of a long text.")
    content: JsonData = Field(default=None, description="What is sent; null while it is still growing.")
    status: DeliveryStatus = Field(default="pending", description="State.")
    attempts: int = Field(default=0, ge=0, description="Times it was tried.")
    platform_message_id: str | None = Field(default=None, description="The platform's id of what was sent.")
    error: str | None = Field(default=None, description="Why it failed.")
    created_at: AwareDatetime = Field(description="When it was made.")
    updated_at: AwareDatetime = Field(description="When it last changed.")


class DeadLetter(Model):
    """Something that may have been lost, with what deciding or sending it again needs."""

    dead_letter_id: str = Field(description="Host id, `dlt_…`.")
    workspace_id: str = Field(default="default", description="Workspace.")
    kind: Literal["run", "delivery"] = Field(description="What it is about.")
    event_uid: str = Field(description="The event.")
    run_id: str | None = Field(default=None, description="The run.")
    delivery_id: str | None = Field(default=None, description="The delivery.")
    code: str = Field(description="Stable code.")
    reason: str = Field(description="What happened and what may be missing.")
    data: JsonObject = Field(default={}, validate_default=True, description="More.")
    created_at: AwareDatetime = Field(description="When.")


class BindingRevision(Model):
    """A binding document as it once was live."""

    digest: str = Field(description="`sha256:` and the hex digest of the normalised document.")
    workspace_id: str = Field(default="default", description="Workspace.")
    binding_id: str = Field(description="The binding.")
    document: JsonObject = Field(description="The normalised document, secrets as references.")
    origin: str = Field(description="`file:line` it came from.")
    created_at: AwareDatetime = Field(description="When it first was live.")


class ArtifactRecord(Model):
    """A stored file."""

    artifact_id: str = Field(description="Host id, `art_…`.")
    workspace_id: str = Field(default="default", description="Workspace.")
    run_id: str | None = Field(default=None, description="The run that made it.")
    conversation_key: str | None = Field(default=None, description="The conversation it belongs to.")
    name: str | None = Field(default=None, description="File name.")
    mime_type: str = Field(description="Media type.")
    size: int = Field(ge=0, description="Bytes.")
    digest: str = Field(description="`sha256:` and the hex digest; also its storage key.")
    access: ArtifactAccess = Field(default="run", description="Who may read it.")
    created_at: AwareDatetime = Field(description="When.")
    expires_at: AwareDatetime | None = Field(default=None, description="When the bytes may go.")


TokenScope = Literal["ingest", "read", "operate", "approve", "impersonate"]


class TokenNames(Model):
    """What a token may state of an event; each a name or a pattern with `*`."""

    bots: tuple[str, ...] = Field(default=(), description="Bots; none by default.")
    actors: tuple[str, ...] = Field(
        default=(), description="Actor ids; by default none but the token itself."
    )
    event_types: tuple[str, ...] = Field(
        default=("api.invoked", "message.received"), description="Event types, exact, `ns.*` or `*`."
    )


class TokenRecord(Model):
    """A bearer token of the HTTP surface; the token itself is shown once and never stored."""

    workspace_id: Name = Field(default="default", description="Workspace that it opens.")
    name: Name = Field(description="Name; the `source.name` of its events.")
    hash: str = Field(exclude=True, repr=False, description="`sha256:` and the hex digest of the token.")
    scopes: tuple[TokenScope, ...] = Field(description="What it may do.")
    may_state: TokenNames = Field(default=TokenNames(), description="What it may state of an event.")
    created_at: AwareDatetime = Field(description="When it was made.")
    expires_at: AwareDatetime | None = Field(default=None, description="When it ends; null is never.")


class BindingPause(Model):
    """A binding that an operator has paused; it takes part again when that is lifted."""

    workspace_id: str = Field(default="default", description="Workspace.")
    binding_id: str = Field(description="The binding.")
    reason: str | None = Field(default=None, description="Why.")
    created_at: AwareDatetime = Field(description="Since when.")
