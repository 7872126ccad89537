"""What a runner is given."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field, WithJsonSchema

from .base import FrozenDict, JsonData, JsonObject, Model
from .bindings import StateScope
from .content import ActorRef
from .events import AgentInput, ConversationType, DeliveryContext, EventSource, RawEventRef, SubjectRef
from .messages import Message
from .runners import PROTOCOL_VERSION, AgentContextRequest


class ActorContext(ActorRef):
    """Who did it."""


class SubjectContext(SubjectRef):
    """What it happened to."""


class AgentTrigger(Model):
    """What started the run."""

    type: str = Field(description="The event type.")
    kind: Literal["event", "retry", "replay", "approval", "interaction"] = Field(
        default="event", description="Why it runs now."
    )
    source: EventSource = Field(description="Where the event came from.")
    binding_id: str = Field(description="The binding that chose the runner.")
    binding_revision: str = Field(description="Digest of the binding as it was.")


_LAUNCHERS = {"private": "person", "group": "group", "channel": "group"}
"""LangBot's two kinds of conversation."""


class ConversationContext(Model):
    """The conversation of the event."""

    conversation_id: str = Field(description="`person_<peer>` or `group_<chat>`.")
    conversation_type: ConversationType | None = Field(default=None, description="Kind of conversation.")
    thread_id: str | None = Field(default=None, description="Thread.")
    launcher_type: str | None = Field(default=None, description="LangBot's `person` or `group`.")
    launcher_id: str | None = Field(default=None, description="LangBot's id of the peer or chat.")
    sender_id: str | None = Field(default=None, description="Who spoke.")
    bot_id: str | None = Field(default=None, description="The bot.")
    title: str | None = Field(default=None, description="Title.")
    turn_count: int = Field(default=0, ge=0, description="User turns so far.")
    expires_at: AwareDatetime | None = Field(default=None, description="When it starts anew.")

    def to_legacy_session(self) -> dict[str, Any]:
        """The conversation as LangBot's session, as far as it is known."""
        launcher_type = self.launcher_type or _LAUNCHERS.get(self.conversation_type or "")
        launcher_id = self.launcher_id or self.conversation_id
        return {
            "launcher_type": launcher_type,
            "launcher_id": launcher_id,
            "sender_id": self.sender_id,
            "session_id": f"{launcher_type}_{launcher_id}" if launcher_type else launcher_id,
            "conversation_id": self.conversation_id,
            "bot_uuid": self.bot_id,
        }


class AgentEventContext(Model):
    """The event, as a runner sees it."""

    event_uid: str | None = Field(default=None, description="Host id of the event.")
    event_id: str | None = Field(default=None, description="The source's id of the event.")
    event_type: str = Field(description="Stable event type.")
    event_time: float | None = Field(default=None, description="When it happened, Unix seconds.")
    source: EventSource = Field(description="Where it came from.")
    event_data: JsonObject = Field(default={}, validate_default=True, description="The envelope's metadata.")
    raw_ref: RawEventRef | None = Field(default=None, description="The platform's payload, by reference.")


class ContextPackagingMetadata(Model):
    """Receipt of how much history was sent."""

    strategy: str = Field(default="window", description="How the history was chosen.")
    source: str = Field(default="transcript", description="Where it came from.")
    sent_messages: int = Field(default=0, ge=0, description="Messages sent.")
    complete: bool = Field(default=True, description="Whether this is all there is.")
    next_cursor: str | None = Field(default=None, description="Where older messages begin.")
    truncated_by: str | None = Field(default=None, description="What cut it: `rounds`, `runner`, `reset`.")


class ResourceItem(Model):
    """A resource that the run may use."""

    id: str = Field(description="Name to call it by.")
    name: str = Field(default="", description="Name to show.")
    description: str | None = Field(default=None, description="What it is for.")
    operations: tuple[str, ...] = Field(default=(), description="Verbs that are granted.")
    parameters: JsonObject | None = Field(default=None, description="JSON Schema of a tool's arguments.")
    effect: Literal["read", "write"] | None = Field(
        default=None, description="Whether a tool changes something."
    )
    idempotent: bool | None = Field(default=None, description="Whether calling twice is calling once.")


class StorageGrant(Model):
    """Storage that the run may use."""

    plugin: bool = Field(default=False, description="The package's own.")
    workspace: bool = Field(default=False, description="The workspace's.")


class AgentResources(Model):
    """What the run may use: the runner's copy, never consulted by the host."""

    models: tuple[ResourceItem, ...] = Field(default=(), description="Models.")
    tools: tuple[ResourceItem, ...] = Field(default=(), description="Tools.")
    knowledge_bases: tuple[ResourceItem, ...] = Field(default=(), description="Knowledge bases.")
    files: tuple[ResourceItem, ...] = Field(default=(), description="Files.")
    storage: StorageGrant = Field(default=StorageGrant(), description="Storage.")
    actions: tuple[str, ...] = Field(default=(), description="Platform actions.")
    platform_capabilities: JsonObject = Field(
        default={}, validate_default=True, description="What the platform can do."
    )


class StateValue(Model):
    """A value of the state, with the version that compare-and-set wants."""

    value: JsonData = Field(description="The value.")
    version: int = Field(ge=1, description="Version, rising.")


_Scopes = Mapping[StateScope, Mapping[str, StateValue]]


def _frozen_scopes(value: _Scopes) -> FrozenDict[FrozenDict[StateValue]]:
    return FrozenDict({scope: FrozenDict(values) for scope, values in value.items()})


class AgentRunState(Model):
    """State snapshot: per granted scope, key to value with version."""

    scopes: Annotated[
        _Scopes,
        AfterValidator(_frozen_scopes),
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "object"}}),
    ] = Field(default={}, validate_default=True, description="Scope, then key, then value with version.")

    def get(self, scope: StateScope, key: str, default: Any = None) -> Any:
        """The value of a key in the snapshot, or `default`."""
        item = self.scopes.get(scope, {}).get(key)
        return default if item is None else item.value


class AgentRuntimeContext(Model):
    """Facts about the host and the run."""

    host: str = Field(default="langbot-agents", description="Name of the host.")
    host_version: str = Field(default="", description="Version of the host.")
    protocol_version: str = Field(default=PROTOCOL_VERSION, description="Version of the run protocol.")
    workspace_id: str = Field(default="default", description="Workspace.")
    bot_id: str | None = Field(default=None, description="Bot.")
    pipeline_id: str | None = Field(default=None, description="LangBot Pipeline the binding came from.")
    binding_id: str = Field(default="", description="The binding.")
    attempt: int = Field(default=1, ge=1, description="Number of the attempt.")
    trace_id: str = Field(default="", description="Trace.")
    deadline_at: AwareDatetime | None = Field(default=None, description="When the run must end.")
    timezone: str = Field(default="UTC", description="Zone of the host.")
    locale: str = Field(default="en_US", description="Language of the person.")
    streaming_supported: bool = Field(default=False, description="Whether pieces are shown as they come.")
    metadata: JsonObject = Field(
        default={}, validate_default=True, description="More, such as `context_packaging`."
    )


class AgentRunContext(Model):
    """Everything a runner is given, as it crosses the wire."""

    run_id: str = Field(description="Host id of the run, `run_…`.")
    trigger: AgentTrigger = Field(description="What started it.")
    conversation: ConversationContext | None = Field(default=None, description="The conversation.")
    event: AgentEventContext = Field(description="The event.")
    actor: ActorContext | None = Field(default=None, description="Who did it.")
    subject: SubjectContext | None = Field(default=None, description="What it happened to.")
    prompt: tuple[Message, ...] = Field(default=(), description="The effective prompt.")
    messages: tuple[Message, ...] = Field(
        default=(), description="A bounded window of history, whole turns, oldest first."
    )
    context_request: AgentContextRequest | None = Field(
        default=None, description="How the runner wanted its history."
    )
    context_packaging: ContextPackagingMetadata = Field(
        default=ContextPackagingMetadata(), description="Receipt of the history."
    )
    input: AgentInput = Field(default=AgentInput(), description="What the event says.")
    params: JsonObject = Field(default={}, validate_default=True, description="Public variables of this run.")
    delivery: DeliveryContext = Field(description="Where the answer goes.")
    resources: AgentResources = Field(default=AgentResources(), description="What it may use.")
    state: AgentRunState = Field(default=AgentRunState(), description="What it remembers.")
    runtime: AgentRuntimeContext = Field(default=AgentRuntimeContext(), description="Host and run.")
    config: JsonObject = Field(
        default={}, validate_default=True, description="Settings of the runner from the binding."
    )

    def to_legacy_query_context(self) -> dict[str, Any]:
        """The run in the terms of a LangBot query, as far as it is known."""
        session = self.conversation.to_legacy_session() if self.conversation else None
        return {
            "query_id": self.event.event_data.get("query_id") or self.run_id,
            "launcher_type": session["launcher_type"] if session else None,
            "launcher_id": session["launcher_id"] if session else None,
            "sender_id": self.actor.actor_id if self.actor else None,
            "bot_uuid": self.runtime.bot_id,
            "pipeline_uuid": self.runtime.pipeline_id,
            "session": session,
            "prompt": [message.model_dump(mode="json", exclude_none=True) for message in self.prompt],
            "messages": [message.model_dump(mode="json", exclude_none=True) for message in self.messages],
            "user_message": self.input.to_text(),
            "user_message_contents": [
                part.model_dump(mode="json", exclude_none=True) for part in self.input.contents
            ],
            "variables": dict(self.params),
        }
