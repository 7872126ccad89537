"""What a test's context has for `ctx.log`, `ctx.emit` and `ctx.deadline`: all of it can be looked at."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langbot_agents.schemas.results import AgentRunResult


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLine:
    """One line that a runner logged."""

    level: Literal["debug", "info", "warning", "error"]
    event: str
    values: Mapping[str, Any]


class RecordedLog:
    """`ctx.log` that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[LogLine] = []

    def debug(self, event: str, **values: Any) -> None:
        """Keep a line for the author of the runner."""
        self.lines.append(LogLine(level="debug", event=event, values=values))

    def info(self, event: str, **values: Any) -> None:
        """Keep a line for the admin."""
        self.lines.append(LogLine(level="info", event=event, values=values))

    def warning(self, event: str, **values: Any) -> None:
        """Keep a line about something odd."""
        self.lines.append(LogLine(level="warning", event=event, values=values))

    def error(self, event: str, **values: Any) -> None:
        """Keep a line about something that failed."""
        self.lines.append(LogLine(level="error", event=event, values=values))


class RecordedEmit:
    """`ctx.emit` that keeps what it was given until `collect` takes it."""

    def __init__(self) -> None:
        self._waiting: list[AgentRunResult] = []

    async def __call__(self, result: AgentRunResult) -> None:
        """Keep a result."""
        self._waiting.append(result)

    def take(self) -> list[AgentRunResult]:
        """What was given since the last time."""
        taken, self._waiting = self._waiting, []
        return taken


class FixedDeadline:
    """`ctx.deadline`, so many seconds after it was made."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left; never below 0."""
        return max(0.0, self._end - time.monotonic())
