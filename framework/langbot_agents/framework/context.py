"""What a runner is given: the event, a window of history with its receipt, state, and what it may use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from langbot_agents.schemas import __version__
from langbot_agents.schemas.base import freeze, trusted
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import (
    ActorContext,
    AgentEventContext,
    AgentRunContext,
    AgentRunState,
    AgentRuntimeContext,
    AgentTrigger,
    ContextPackagingMetadata,
    ConversationContext,
    SubjectContext,
)
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.records import TranscriptEntry
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from .authorization import Grant
from .bindings import BindingEntry
from .errors import LangbotAgentsError
from .resources import AgentResourceBuilder
from .store import Cursor, conversations, state, transcript
from .store.conversations import Conversation
from .texts import t

MAX_OPENING = 20
"""Messages before the first user's turn that a window holds."""


class ConfigError(LangbotAgentsError):
    """A binding's `runner_config` does not fit its runner."""

    code = "runner.invalid_config"


@dataclass(frozen=True, kw_only=True)
class ContextInputs:
    """What the store says to a run, read in one snapshot."""

    entries: Sequence[TranscriptEntry] = ()
    has_more: bool = False
    state: Mapping[str, Mapping[str, state.StateValue]]
    conversation: Conversation | None = None


@dataclass(frozen=True, kw_only=True)
class RunScope:
    """Which event a run is of, by which binding, and what it may see."""

    event: AgentEventEnvelope
    binding: BindingEntry
    grant: Grant
    conversation_key: str | None
    drawers: Mapping[StateScope, state.StateKey]

    @property
    def runner(self) -> AgentRunnerDescriptor:
        """The runner that the binding names."""
        return self.binding.runner


@dataclass(frozen=True, kw_only=True)
class RunRequest(RunScope):
    """One run that is to be made: of what, which attempt, and how it is called."""

    run_id: str
    attempt: int
    deadline_at: datetime
    config: Mapping[str, Any]
    streaming: bool
    locale: str
    timezone: str
    params: Mapping[str, Any]


def window_rounds(scope: RunScope) -> int:
    """User turns of history that the run gets."""
    if scope.runner.capabilities.self_managed_context or scope.grant.history is False:
        return 0
    wanted = scope.runner.context_request
    if wanted is not None and wanted.strategy in {"none", "external"}:
        return 0
    limit = scope.binding.document.limits.history_rounds
    return limit if wanted is None or wanted.rounds is None else min(limit, wanted.rounds)


def read_inputs(cursor: Cursor, scope: RunScope) -> ContextInputs:
    """All that the store knows and the run needs."""
    snapshot = state.snapshot(cursor, list(scope.drawers.values()))
    if scope.conversation_key is None:
        return ContextInputs(state=snapshot)
    workspace = scope.event.workspace_id
    found = conversations.get(cursor, workspace, scope.conversation_key)
    rounds = window_rounds(scope)
    if rounds == 0:
        return ContextInputs(
            state=snapshot, conversation=found, has_more=found is not None and found.turn_count > 0
        )
    entries, has_more = read_history(
        cursor, workspace, scope.conversation_key, rounds=rounds, without=scope.event.event_uid
    )
    return ContextInputs(entries=entries, has_more=has_more, state=snapshot, conversation=found)


def read_history(
    cursor: Cursor,
    workspace_id: str,
    conversation_key: str,
    *,
    rounds: int,
    before_seq: int | None = None,
    without: str | None,
) -> tuple[list[TranscriptEntry], bool]:
    """The newest whole turns but that of the event `without`, and whether there are older ones."""
    # one round more, since the event's own turn is in the history already
    window = transcript.window(
        cursor, workspace_id, conversation_key, rounds=rounds + 1, before_seq=before_seq
    )
    entries, has_more = list(window.entries), window.has_more
    if has_more and sum(entry.role == "user" for entry in entries) <= rounds:
        first = entries[0].sequence if entries else before_seq
        opening, has_more = _opening(cursor, workspace_id, conversation_key, first)
        entries = opening + entries
    entries = [entry for entry in entries if entry.event_uid != without]
    kept = trim(entries, rounds)
    return kept, has_more or len(kept) < len(entries)


def _opening(
    cursor: Cursor, workspace_id: str, conversation_key: str, before_seq: int | None
) -> tuple[list[TranscriptEntry], bool]:
    """What was said before the first user's turn, such as a welcome, which no turn holds."""
    page = transcript.page(cursor, workspace_id, conversation_key, before_seq=before_seq, limit=MAX_OPENING)
    known = conversations.get(cursor, workspace_id, conversation_key)
    mark = known.reset_seq if known is not None else 0
    entries = [entry for entry in page.entries if entry.sequence > mark]
    return entries, page.has_more and len(entries) == len(page.entries)


def trim(entries: Sequence[TranscriptEntry], rounds: int) -> list[TranscriptEntry]:
    """The last `rounds` turns, each from a user's message on."""
    starts = [index for index, entry in enumerate(entries) if entry.role == "user"]
    if len(starts) <= rounds:
        return list(entries)
    return list(entries[starts[-rounds] :]) if rounds else []


class AgentContextPackager:
    """Makes messages of history, and says what was cut."""

    def pack(
        self, request: RunRequest, inputs: ContextInputs
    ) -> tuple[tuple[Message, ...], ContextPackagingMetadata]:
        """The messages and their receipt."""
        messages = tuple(_message(entry) for entry in inputs.entries)
        if request.conversation_key is None:
            return (), ContextPackagingMetadata(strategy="none")
        rounds = window_rounds(request)
        return messages, trusted(
            ContextPackagingMetadata,
            strategy="window" if rounds else "none",
            sent_messages=len(messages),
            complete=not inputs.has_more,
            next_cursor=str(inputs.entries[0].sequence) if inputs.has_more and inputs.entries else None,
            truncated_by=("rounds" if rounds else "runner") if inputs.has_more else None,
        )


class AgentRunContextBuilder:
    """Builds the context of a run from a request and what the store said."""

    def __init__(self) -> None:
        self._packager = AgentContextPackager()
        self._resources = AgentResourceBuilder()

    def build(self, request: RunRequest, inputs: ContextInputs) -> AgentRunContext:
        """The context as it crosses the wire."""
        event = request.event
        messages, receipt = self._packager.pack(request, inputs)
        return trusted(
            AgentRunContext,
            run_id=request.run_id,
            trigger=trusted(
                AgentTrigger,
                type=event.event_type,
                kind="retry" if request.attempt > 1 else "event",
                source=event.source,
                binding_id=request.binding.binding_id,
                binding_revision=request.binding.revision,
            ),
            conversation=_conversation(event, inputs.conversation),
            event=trusted(
                AgentEventContext,
                event_uid=event.event_uid,
                event_id=event.event_id,
                event_type=event.event_type,
                event_time=event.event_time,
                source=event.source,
                event_data=event.metadata,
                raw_ref=event.raw_ref,
            ),
            actor=None if event.actor is None else _same(ActorContext, event.actor),
            subject=None if event.subject is None else _same(SubjectContext, event.subject),
            prompt=effective_prompt(request.runner, request.config),
            messages=messages,
            context_request=request.runner.context_request,
            context_packaging=receipt,
            input=event.input,
            params=freeze({key: value for key, value in request.params.items() if not key.startswith("_")}),
            delivery=event.delivery,
            resources=self._resources.build(event, request.grant),
            state=_state(request, inputs),
            runtime=_runtime(request, receipt),
            config=request.binding.document.runner_config,
        )


def _message(entry: TranscriptEntry) -> Message:
    if isinstance(entry.content, str):  # as it was written, by this host
        return trusted(Message, role=entry.role, content=entry.content)
    return Message(role=entry.role, content=entry.content)


M = TypeVar("M", bound=BaseModel)


def _same(model: type[M], value: BaseModel) -> M:
    """The same fields as the model's own; checked when they came in, so not again."""
    made = trusted(model, **value.__dict__)
    object.__setattr__(made, "__pydantic_extra__", value.__pydantic_extra__)
    return made


def effective_prompt(runner: AgentRunnerDescriptor, config: Mapping[str, Any]) -> tuple[Message, ...]:
    """The prompt in the runner's `prompt-editor` field: text, or a list of {role, content}."""
    properties = runner.config_schema.get("properties")
    for name, field in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(field, Mapping) and field.get("x-selector") == "prompt-editor":
            value = config.get(name, field.get("default"))
            if isinstance(value, str):
                return (Message(role="system", content=value),) if value else ()
            if isinstance(value, Sequence):
                return tuple(_prompt_message(item, name) for item in value)
    return ()


def _prompt_message(item: Any, field: str) -> Message:
    try:
        return Message.model_validate(item)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(("runner_config", field, *(str(part) for part in first["loc"])))
        raise ConfigError(t("{place}: {cause}", place=place, cause=first["msg"])) from None


def _conversation(event: AgentEventEnvelope, known: Conversation | None) -> ConversationContext | None:
    if event.conversation_id is None:
        return None
    kind, _, peer = event.conversation_id.partition("_")
    launcher = kind if kind in {"person", "group"} and peer else None
    return trusted(
        ConversationContext,
        conversation_id=event.conversation_id,
        conversation_type=event.conversation_type,
        thread_id=event.thread_id,
        launcher_type=launcher,
        launcher_id=peer if launcher else None,
        sender_id=event.actor.actor_id if event.actor else None,
        bot_id=event.bot_id,
        title=known.title if known else None,
        turn_count=known.turn_count if known else 0,
    )


def _state(request: RunRequest, inputs: ContextInputs) -> AgentRunState:
    if not any(inputs.state.values()):
        return AgentRunState()
    return AgentRunState.model_validate(
        {
            "scopes": {
                scope: {
                    key: {"value": item.value, "version": item.version}
                    for key, item in inputs.state.get(scope, {}).items()
                }
                for scope in request.drawers
            }
        }
    )


def _runtime(request: RunRequest, receipt: ContextPackagingMetadata) -> AgentRuntimeContext:
    event = request.event
    labels = request.binding.document.labels
    return trusted(
        AgentRuntimeContext,
        host_version=__version__,
        workspace_id=event.workspace_id,
        bot_id=event.bot_id,
        pipeline_id=labels.get("pipeline_id"),
        binding_id=request.binding.binding_id,
        attempt=request.attempt,
        trace_id=_trace_id(event),
        deadline_at=request.deadline_at,
        timezone=request.timezone,
        locale=request.locale,
        streaming_supported=request.streaming,
        metadata=freeze({"context_packaging": receipt.model_dump(mode="json")}),
    )


def _trace_id(event: AgentEventEnvelope) -> str:
    parts = (event.traceparent or "").split("-")
    if len(parts) == 4 and len(parts[1]) == 32:
        return parts[1]
    return (event.event_uid or "").rpartition("_")[2]
