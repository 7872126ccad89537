"""A context for a test: what a host would give a runner, with hands that can be looked at."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, overload

from pydantic import BaseModel

from langbot_agents.schemas._version import __version__
from langbot_agents.schemas.base import freeze, thaw
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import (
    ActorContext,
    AgentEventContext,
    AgentResources,
    AgentRunState,
    AgentRuntimeContext,
    AgentTrigger,
    ContextPackagingMetadata,
    ConversationContext,
    StateValue,
    SubjectContext,
)
from langbot_agents.schemas.context import AgentRunContext as WireContext
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.runners import AgentRunnerManifest

from ..api import AgentRunAPI
from ..context import AgentRunContext
from ..runner import AgentRunner, AnyConfig
from .api import HistoryItem, InMemoryApi, as_message
from .events import ActorLike, EventLike, make_event
from .hands import FixedDeadline, RecordedEmit, RecordedLog

ConfigT = TypeVar("ConfigT", bound=BaseModel)
RunnerLike = AgentRunner | type[AgentRunner]
State = Mapping[StateScope, Mapping[str, Any]]
ConversationLike = ConversationContext | Mapping[str, Any] | str

RUN_ID = "run_test"
BINDING_ID = "test"
HISTORY_ROUNDS = 10
"""Turns of history in a context, as a binding gives them that says nothing else."""


@overload
def make_context(
    config: ConfigT,
    *,
    text: str | None = ...,
    event: EventLike = ...,
    history: Iterable[HistoryItem] = ...,
    state: State | None = ...,
    prompt: str | Sequence[HistoryItem] | None = ...,
    actor: ActorLike = ...,
    conversation: ConversationLike | None = ...,
    params: Mapping[str, Any] | None = ...,
    resources: AgentResources | Mapping[str, Any] | None = ...,
    api: AgentRunAPI | None = ...,
    runner: RunnerLike | None = ...,
    streaming: bool | None = ...,
    timeout: float = ...,
) -> AgentRunContext[ConfigT]: ...


@overload
def make_context(
    config: Mapping[str, Any] | None = ...,
    *,
    text: str | None = ...,
    event: EventLike = ...,
    history: Iterable[HistoryItem] = ...,
    state: State | None = ...,
    prompt: str | Sequence[HistoryItem] | None = ...,
    actor: ActorLike = ...,
    conversation: ConversationLike | None = ...,
    params: Mapping[str, Any] | None = ...,
    resources: AgentResources | Mapping[str, Any] | None = ...,
    api: AgentRunAPI | None = ...,
    runner: RunnerLike | None = ...,
    streaming: bool | None = ...,
    timeout: float = ...,
) -> AgentRunContext[Any]: ...


def make_context(
    config: BaseModel | Mapping[str, Any] | None = None,
    *,
    text: str | None = None,
    event: EventLike = None,
    history: Iterable[HistoryItem] = (),
    state: State | None = None,
    prompt: str | Sequence[HistoryItem] | None = None,
    actor: ActorLike = None,
    conversation: ConversationLike | None = None,
    params: Mapping[str, Any] | None = None,
    resources: AgentResources | Mapping[str, Any] | None = None,
    api: AgentRunAPI | None = None,
    runner: RunnerLike | None = None,
    streaming: bool | None = None,
    timeout: float = 60.0,
) -> AgentRunContext[Any]:
    """A whole context, by default of a private message that says "hi".

    `event` is an envelope, its JSON, or a type of the catalogue (its sample); `text` replaces what it says.
    `history` and `state` are also what `api` gives, if that is an `InMemoryApi`. With `runner`, its `Config`
    checks `config` and its manifest shapes history and prompt, as in the host.
    """
    conversation_id = conversation if isinstance(conversation, str) else None
    envelope = make_event(event, text=text, actor=actor, conversation_id=conversation_id)
    said = [as_message(item) for item in history]
    if said and envelope.conversation_id is None:
        raise ValueError(
            f"{envelope.event_type} has no conversation, so it has no history; give conversation="
        )
    hands = api if api is not None else InMemoryApi()
    if isinstance(hands, InMemoryApi):
        hands.history.seed(said)
        hands.state.seed(state or {})
    manifest = runner.declare() if runner is not None else None
    typed, plain = _config(config, runner)
    messages, packaging = _history(envelope, manifest, hands, said)
    wire = WireContext(
        run_id=RUN_ID,
        trigger=AgentTrigger(
            type=envelope.event_type,
            source=envelope.source,
            binding_id=BINDING_ID,
            binding_revision="sha256:test",
        ),
        conversation=_conversation(envelope, conversation, said),
        event=_event(envelope),
        actor=None if envelope.actor is None else ActorContext.model_validate(envelope.actor.model_dump()),
        subject=None
        if envelope.subject is None
        else SubjectContext.model_validate(envelope.subject.model_dump()),
        prompt=_prompt(prompt, manifest, plain),
        messages=messages,
        context_request=manifest.context_request if manifest is not None else None,
        context_packaging=packaging,
        input=envelope.input,
        params=freeze(params or {}),
        delivery=envelope.delivery,
        resources=AgentResources.model_validate(resources or {}),
        state=_state(hands, state),
        runtime=_runtime(envelope, packaging, streaming=streaming, timeout=timeout),
        config=plain,
    )
    return AgentRunContext.bind(
        wire,
        config=typed,
        api=hands,
        log=RecordedLog(),
        emit=RecordedEmit(),
        deadline=FixedDeadline(timeout),
    )


def _config(
    config: BaseModel | Mapping[str, Any] | None, runner: RunnerLike | None
) -> tuple[BaseModel, Mapping[str, Any]]:
    """The typed config, and the JSON of it that an admin would have written."""
    if isinstance(config, BaseModel):
        typed = config
    else:
        typed = (AnyConfig if runner is None else runner.Config).model_validate(dict(config or {}))
    return typed, freeze(typed.model_dump(mode="json", by_alias=True))


def _event(event: AgentEventEnvelope) -> AgentEventContext:
    return AgentEventContext(
        event_uid=event.event_uid,
        event_id=event.event_id,
        event_type=event.event_type,
        event_time=event.event_time,
        source=event.source,
        event_data=event.metadata,
        raw_ref=event.raw_ref,
    )


def _conversation(
    event: AgentEventEnvelope, given: ConversationLike | None, said: Sequence[Message]
) -> ConversationContext | None:
    if isinstance(given, ConversationContext):
        return given
    found: dict[str, Any] = {}
    if event.conversation_id is not None:
        kind, _, peer = event.conversation_id.partition("_")
        launcher = kind if kind in {"person", "group"} and peer else None
        found = {
            "conversation_id": event.conversation_id,
            "conversation_type": event.conversation_type,
            "thread_id": event.thread_id,
            "launcher_type": launcher,
            "launcher_id": peer if launcher else None,
            "sender_id": event.actor.actor_id if event.actor else None,
            "bot_id": event.bot_id,
            "turn_count": sum(message.role == "user" for message in said),
        }
    if isinstance(given, Mapping):
        found.update(given)
    return ConversationContext.model_validate(found) if found else None


def _history(
    event: AgentEventEnvelope,
    manifest: AgentRunnerManifest | None,
    api: AgentRunAPI,
    said: Sequence[Message],
) -> tuple[tuple[Message, ...], ContextPackagingMetadata]:
    """The window of history that the manifest wants, and its receipt."""
    if event.conversation_id is None:
        return (), ContextPackagingMetadata(strategy="none")
    if not isinstance(api, InMemoryApi):
        return tuple(said), ContextPackagingMetadata(sent_messages=len(said))
    rounds = _rounds(manifest)
    window, cursor = api.history.window(rounds)
    more = cursor is not None or (rounds == 0 and bool(said))
    return tuple(window), ContextPackagingMetadata(
        strategy="window" if rounds else "none",
        sent_messages=len(window),
        complete=not more,
        next_cursor=cursor,
        truncated_by=("rounds" if rounds else "runner") if more else None,
    )


def _rounds(manifest: AgentRunnerManifest | None) -> int:
    if manifest is None:
        return HISTORY_ROUNDS
    wanted = manifest.context_request
    if manifest.capabilities.self_managed_context:
        return 0
    if wanted is not None and wanted.strategy in {"none", "external"}:
        return 0
    return HISTORY_ROUNDS if wanted is None or wanted.rounds is None else min(HISTORY_ROUNDS, wanted.rounds)


def _prompt(
    given: str | Sequence[HistoryItem] | None,
    manifest: AgentRunnerManifest | None,
    config: Mapping[str, Any],
) -> tuple[Message, ...]:
    """The prompt that was given, else the one in the config's `prompt-editor` field."""
    if given is None and manifest is not None:
        given = thaw(config.get(_prompt_field(manifest.config_schema)))
    if isinstance(given, str):
        return (Message(role="system", content=given),) if given else ()
    return tuple(as_message(item) for item in given or ())


def _prompt_field(schema: Mapping[str, Any]) -> str:
    properties: Mapping[str, Any] = schema.get("properties", {})
    found = (
        name
        for name, field in properties.items()
        if isinstance(field, Mapping) and field.get("x-selector") == "prompt-editor"
    )
    return next(found, "")


def _state(api: AgentRunAPI, given: State | None) -> AgentRunState:
    if isinstance(api, InMemoryApi):
        return AgentRunState(scopes=api.state.snapshot())
    scopes = {
        scope: {key: StateValue(value=value, version=1) for key, value in items.items()}
        for scope, items in (given or {}).items()
    }
    return AgentRunState(scopes=scopes)


def _runtime(
    event: AgentEventEnvelope, packaging: ContextPackagingMetadata, *, streaming: bool | None, timeout: float
) -> AgentRuntimeContext:
    return AgentRuntimeContext(
        host_version=__version__,
        workspace_id=event.workspace_id,
        bot_id=event.bot_id,
        binding_id=BINDING_ID,
        trace_id="0" * 31 + "1",
        deadline_at=datetime.now(UTC) + timedelta(seconds=timeout),
        locale=event.locale or "en_US",
        streaming_supported=event.delivery.supports_streaming if streaming is None else streaming,
        metadata=freeze({"context_packaging": packaging.model_dump(mode="json")}),
    )
