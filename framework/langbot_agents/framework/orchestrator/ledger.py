"""The results of an attempt on their way to the store: deltas as ranges, and no run waits for them."""

import asyncio  # for a timer without a task: most attempts end before their results are due
import traceback
from collections.abc import Callable
from typing import Any

from langbot_agents.schemas.base import FrozenDict, trusted
from langbot_agents.schemas.records import RunRecord, RunResultRecord
from langbot_agents.schemas.results import AgentRunResult

from ..results import delta_text
from ..store import Database, run_results

FLUSH_SECONDS = 0.1
FLUSH_BYTES = 32 * 1024
TRACEBACK_CHARACTERS = 16_384


class ResultLedger:
    """Collects results and writes them each 100 ms or 32 KiB, whichever comes first."""

    def __init__(self, db: Database, run: RunRecord, mask: Callable[[str], str]) -> None:
        self._db = db
        self._mask = mask
        self._traceback: str | None = None
        self._run = run
        self._records: list[RunResultRecord] = []
        self._pieces: list[str] = []
        self._first: AgentRunResult | None = None
        self._last: AgentRunResult | None = None
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, result: AgentRunResult) -> None:
        """Take one result."""
        if result.type == "message.delta" and isinstance(result.data["chunk"].get("content"), str):
            if self._first is not None and self._first.message_id != result.message_id:
                self._end_range()
            self._first = self._first or result
            self._last = result
            text = delta_text(result)
            self._pieces.append(text)
            self._bytes += len(text)
        else:
            self._end_range()
            data = result.data
            if result.type == "run.failed" and self._traceback:
                data = FrozenDict({**data, "traceback": self._mask(self._traceback)})
            self._records.append(_record(result, result.sequence, data))
            self._bytes += 256
        if self._bytes >= FLUSH_BYTES:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def crash(self, error: BaseException | None) -> None:
        """Keep what a runner raised with its run; people who chat never see it."""
        if error is not None:
            self._traceback = "".join(traceback.format_exception(error))[-TRACEBACK_CHARACTERS:]

    def take(self) -> list[RunResultRecord]:
        """What is not written yet; the caller writes it."""
        self._end_range()
        records, self._records = self._records, []
        self._bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return records

    def flush(self) -> None:
        """Hand what waits to the writer, without waiting for anything."""
        records = self.take()
        if records:
            self._db.writer.post_now(run_results.append, self._run.workspace_id, records)

    def _end_range(self) -> None:
        first, last = self._first, self._last
        if first is None or last is None:
            return
        data = FrozenDict({"chunk": FrozenDict({"role": "assistant", "content": "".join(self._pieces)})})
        self._records.append(_record(last, first.sequence, data))
        self._pieces.clear()
        self._first = self._last = None


def _record(result: AgentRunResult, first: int | None, data: Any) -> RunResultRecord:
    return trusted(
        RunResultRecord,
        run_id=result.run_id or "",
        first_sequence=first or 1,
        sequence=result.sequence or 1,
        type=result.type,
        message_id=result.message_id,
        data=data,
        timestamp=result.timestamp or 0.0,
    )
