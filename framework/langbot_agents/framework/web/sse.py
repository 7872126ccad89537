"""Server-sent events: how they are written, and a stream that ends with its caller's token."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ..access import Caller, TokenBook
from ..texts import t

EVENT_STREAM = "text/event-stream"
HEARTBEAT = 15.0
"""Seconds after which a stream says that it still is there."""
STILL_HERE = b": still here\n\n"


def wants_stream(request: Request) -> bool:
    """Whether the caller accepts a stream."""
    return EVENT_STREAM in request.headers.get("accept", "")


def sse(event: str, data: Mapping[str, Any], *, sequence: int | None = None) -> bytes:
    """One event; with `sequence` as its id, from which a stream resumes."""
    head = b"" if sequence is None else b"id: %d\n" % sequence
    return head + b"event: " + event.encode() + b"\ndata: " + to_json(data) + b"\n\n"


class EventStream(StreamingResponse):
    """A stream of events, cut off in the moment in which its caller's token ends."""

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        *,
        tokens: TokenBook,
        caller: Caller,
        headers: Mapping[str, str] | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        whole = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})}
        super().__init__(frames, media_type=EVENT_STREAM, headers=whole)
        self._frames = frames
        self._tokens = tokens
        self._caller = caller
        self._on_end = on_end
        """Called at the end, also where no frame was ever asked for."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        async with aclosing(self._frames):
            try:
                with self._tokens.while_valid(self._caller) as life:
                    await super().__call__(scope, receive, send)
            finally:
                if self._on_end is not None:
                    self._on_end()
            if life.cancelled_caught:
                last = sse("problem", {"code": "unauthorized", "detail": t("the token has ended")})
                with suppress(OSError):
                    await send({"type": "http.response.body", "body": last, "more_body": False})
