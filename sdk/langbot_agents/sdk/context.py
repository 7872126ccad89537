"""The context as a runner has it: the wire's fields, its typed config, and the host's hands."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, PrivateAttr

from langbot_agents.schemas.base import trusted
from langbot_agents.schemas.context import AgentRunContext as WireContext

from .api import AgentRunAPI, Deadline, Emit, RunLog

ConfigT = TypeVar("ConfigT", bound=BaseModel)


class AgentRunContext(WireContext, Generic[ConfigT]):
    """Everything a runner is given; `config` is an instance of its `Config`."""

    config: ConfigT  # type: ignore[assignment]  # the wire has plain JSON here
    _api: AgentRunAPI = PrivateAttr()
    _log: RunLog = PrivateAttr()
    _emit: Emit = PrivateAttr()
    _deadline: Deadline = PrivateAttr()

    @property
    def api(self) -> AgentRunAPI:
        """The run API: everything a runner may reach, checked in the host call by call."""
        return self._api

    @property
    def log(self) -> RunLog:
        """Log lines that are kept with the run."""
        return self._log

    @property
    def emit(self) -> Emit:
        """`await ctx.emit(result)` gives a result from inside a task group."""
        return self._emit

    @property
    def deadline(self) -> Deadline:
        """When the run must end."""
        return self._deadline

    @classmethod
    def bind(
        cls, wire: WireContext, *, config: Any, api: AgentRunAPI, log: RunLog, emit: Emit, deadline: Deadline
    ) -> "AgentRunContext[Any]":
        """Join a validated wire context with the host's hands, without validating it again."""
        context = trusted(cls, **{**wire.__dict__, "config": config})
        hands = {"_api": api, "_log": log, "_emit": emit, "_deadline": deadline}
        object.__setattr__(context, "__pydantic_private__", hands)
        return context
