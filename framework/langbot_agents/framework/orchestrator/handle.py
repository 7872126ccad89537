"""A run under way, as its caller sees it."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

import anyio

from langbot_agents.schemas.base import FrozenDict
from langbot_agents.schemas.records import RunStatus
from langbot_agents.schemas.results import AgentRunResult

from ..errors import LangbotAgentsError
from ..results import delta_text
from ..streams import Subscription
from ..texts import t


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutcome:
    """How a run ended."""

    run_id: str
    status: RunStatus
    code: str | None
    reason: str | None
    effectful: bool
    followed: bool = False
    """Whether the next candidate was put in its place, in the commit that ended it."""


class RunHandle:
    """A run under way: iterate it for its normalised results, or wait for its end."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.outcome: RunOutcome | None = None
        self._results: Subscription[AgentRunResult] = Subscription(_are_deltas, _join_deltas)
        self._done = False
        self._ended: anyio.Event | None = None
        """For who waits for the end, where somebody does."""
        self.on_cancel: Callable[[str], None] | None = None

    def __aiter__(self) -> AsyncIterator[AgentRunResult]:
        return self._results.__aiter__()

    async def wait(self, *, read: bool = False) -> RunOutcome:
        """The end; what the run gives is forgotten, but where somebody will `read` it."""
        if not read:
            self.discard()
        if not self._done:
            self._ended = self._ended or anyio.Event()
            await self._ended.wait()
        if self.outcome is None:
            raise LangbotAgentsError(t("run {run_id} was stopped with the host", run_id=self.run_id))
        return self.outcome

    def discard(self) -> None:
        """Nobody reads what the run gives."""
        self._results.discard()

    def cancel(self, reason: str = "cancelled") -> None:
        """Ask the run to end as `cancelled`."""
        if self.on_cancel is not None:
            self.on_cancel(reason)

    def give(self, result: AgentRunResult) -> None:
        """One more result; called by the run."""
        self._results.put(result)

    def finish(self, outcome: RunOutcome | None) -> None:
        """The end; called by the run."""
        self.outcome = outcome
        self._results.close()
        self._done = True
        if self._ended is not None:
            self._ended.set()


def _are_deltas(last: AgentRunResult, new: AgentRunResult) -> bool:
    return last.type == new.type == "message.delta" and last.message_id == new.message_id


def _join_deltas(deltas: Sequence[AgentRunResult]) -> AgentRunResult:
    chunk = FrozenDict({"role": "assistant", "content": "".join(delta_text(delta) for delta in deltas)})
    return deltas[-1].model_copy(update={"data": FrozenDict({"chunk": chunk})})
