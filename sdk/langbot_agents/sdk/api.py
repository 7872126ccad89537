"""What `ctx.api`, `ctx.log`, `ctx.emit` and `ctx.deadline` are to a runner."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any, Protocol

from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import StateValue
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.models import ModelChunk, ModelReply
from langbot_agents.schemas.results import AgentRunResult

Emit = Callable[[AgentRunResult], Coroutine[Any, Any, None]]
"""Gives a result from inside a task group, where a runner must not yield."""


class RunLog(Protocol):
    """Lines of a runner's own, kept with its run."""

    def debug(self, event: str, **values: Any) -> Any:
        """Say something for the author of the runner."""

    def info(self, event: str, **values: Any) -> Any:
        """Say something for the admin."""

    def warning(self, event: str, **values: Any) -> Any:
        """Say that something is odd."""

    def error(self, event: str, **values: Any) -> Any:
        """Say that something failed."""


class Deadline(Protocol):
    """When the run must end."""

    def remaining(self) -> float:
        """Seconds left; never below 0."""


class StateAPI(Protocol):
    """`ctx.api.state`: values that outlive the run, at once and not with its end."""

    async def get(self, scope: StateScope, key: str) -> StateValue | None:
        """The value with its version, or null."""

    async def set(self, scope: StateScope, key: str, value: Any, *, version: int | None = None) -> StateValue:
        """Write a value; with `version` only if it is that one (0: if there is none), else `conflict`."""

    async def list(self, scope: StateScope) -> dict[str, StateValue]:
        """All keys of a scope."""


class HistoryAPI(Protocol):
    """`ctx.api.history`: what was said in the run's conversation."""

    async def page(self, *, before: str | None = None, rounds: int = 10) -> tuple[list[Message], str | None]:
        """Older messages, whole turns, oldest first, and the cursor of the ones before them."""


class ModelsAPI(Protocol):
    """`ctx.api.models`: the models that were granted by name."""

    async def invoke(self, model: str, messages: Sequence[Message], **options: Any) -> ModelReply:
        """A whole answer; `options` go to the model, such as `temperature`."""

    def stream(
        self, model: str, messages: Sequence[Message], **options: Any
    ) -> AsyncGenerator[ModelChunk, None]:
        """An answer in pieces, each only what is new; close it (`aclosing`) where you leave early."""


class AgentRunAPI(Protocol):
    """`ctx.api`, by capability; each call is checked against the run's grant in the host."""

    @property
    def state(self) -> StateAPI:
        """State by scope."""

    @property
    def models(self) -> ModelsAPI:
        """Language models."""

    @property
    def history(self) -> HistoryAPI:
        """History of the conversation."""
