"""Every hook, in the order in which a host's life and an event's way meet them.

A package names a module (or object) in the entry-point group `langbot_agents`; functions in it that
carry `@hookimpl` are called. Each implementation is called alone and under `plugins.hook_deadline`:
one that fails or hangs is quarantined with its reason and does not stop the next. A hook may be a
plain function, which is called in a thread, or `async def`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import pluggy

from langbot_agents.schemas.events import AgentEventEnvelope, AgentInput
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.records import RunRecord
from langbot_agents.schemas.results import AgentRunResult

from .runner import AgentRunner

PROJECT = "langbot_agents"
"""Name of the pluggy project and of the entry-point group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class RegisterRunner(Protocol):
    """What `register_runners` is given."""

    def __call__(self, runner: type[AgentRunner], *, aliases: tuple[str, ...] = ()) -> None:
        """Offer a runner class, and other names by which bindings may call it."""


class RegisterFilterFunction(Protocol):
    """What `register_filter_functions` is given."""

    def __call__(self, function: Callable[..., Any], *, name: str | None = None) -> None:
        """Offer a function that filters may call, by its own name or another that nobody has.

        Its annotations (`str`, `float`, `bool`, `list`, `dict`, `None`, unions of them, `Any`) say what it
        takes and gives, and are checked; its docstring says what it does. It must be quick, and depend on
        nothing but its arguments. What it raises is an error of the filter.
        """


class RegisterEventType(Protocol):
    """What `register_event_types` is given."""

    def __call__(self, name: str, *, sample: Mapping[str, Any], description: str = "") -> None:
        """Add an event type with a sample to the catalogue."""


@hookspec
def register_runners(register: RegisterRunner) -> None:
    """Called once at start (and on reload) by the host: call `register(RunnerClass)` for each runner."""


@hookspec
def register_model_providers(register: Callable[..., None]) -> None:
    """Called once at start by the host: offer model providers."""


@hookspec
def register_tools(register: Callable[..., None]) -> None:
    """Called once at start by the host: offer tools."""


@hookspec
def register_knowledge_bases(register: Callable[..., None]) -> None:
    """Called once at start by the host: offer kinds of knowledge bases."""


@hookspec
def register_platforms(register: Callable[..., None]) -> None:
    """Called once at start by the host: offer platform adapters."""


@hookspec
def register_event_types(register: RegisterEventType) -> None:
    """Called once at start by the host: offer event types with a sample."""


@hookspec
def register_filter_functions(register: RegisterFilterFunction) -> None:
    """Called once at start by the host: call `register(function)` for each function that filters may call."""


@hookspec
def host_started(host: Any) -> None:
    """Called once by the host when it answers requests."""


@hookspec
def event_received(event: AgentEventEnvelope) -> str | None:
    """Called by the gateway after the event is on disk; a text returned is the reason of a veto."""


@hookspec
def input_prepared(
    run: RunRecord, prompt: tuple[Message, ...], messages: tuple[Message, ...], input: AgentInput
) -> Mapping[str, Any] | None:
    """Called by the context builder before a run; may return other `prompt`, `messages`, `input`."""


@hookspec
def output_prepared(run: RunRecord, message: Message) -> Message | None:
    """Called by the orchestrator before a whole message is committed; may return a replacement."""


@hookspec
def run_started(run: RunRecord) -> None:
    """Called by the orchestrator when an attempt is committed and its runner is about to be called."""


@hookspec
def result_received(run: RunRecord, result: AgentRunResult) -> None:
    """Called by the orchestrator for each result that passed normalisation."""


@hookspec
def run_finished(run: RunRecord, outcome: str) -> None:
    """Called by the orchestrator when the end of a run is committed."""


@hookspec
def host_stopping(host: Any) -> None:
    """Called once by the host when it takes no more events."""
