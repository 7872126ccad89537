"""What came in: every request as it was received, and how its answer ended."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio.to_thread

from .script import WireMessages, last_user_text

Outcome = Literal["answered", "dropped", "disconnected"]
"""The answer went out whole, the server broke it off, or the client went away before its end."""


@dataclass(kw_only=True)
class RecordedRequest:
    """One request; `outcome` is None while it is being answered."""

    method: str
    path: str
    headers: Mapping[str, str]
    """By name in lower case."""
    raw: bytes
    body: Any = None
    """The parsed JSON; None where it is none."""
    status: int | None = None
    outcome: Outcome | None = None
    chunks_sent: int = 0
    """Pieces of the body that went out."""
    received_at: float = field(default_factory=time.monotonic)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def messages(self) -> WireMessages:
        """The messages of a chat request; none where they are malformed."""
        found = self.body.get("messages") if isinstance(self.body, dict) else None
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    @property
    def text(self) -> str:
        """The text of the last user message."""
        return last_user_text(self.messages)

    def end(self, outcome: Outcome) -> None:
        """Note how it ended; the first note stands."""
        if self.outcome is None:
            self.outcome = outcome
            self._ended.set()

    def wait(self, timeout: float = 5.0) -> Outcome:
        """Block until the answer has ended. Raises `TimeoutError`."""
        if not self._ended.wait(timeout) or self.outcome is None:
            raise TimeoutError(f"{self.method} {self.path} is still being answered after {timeout} s")
        return self.outcome

    async def ended(self, timeout: float = 5.0) -> Outcome:
        """As `wait`, without blocking the loop."""
        return await anyio.to_thread.run_sync(self.wait, timeout)
