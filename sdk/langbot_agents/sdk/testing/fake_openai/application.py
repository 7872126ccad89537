"""The HTTP side: requests in, and answers out step by step, down to a socket that is closed half-way."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import anyio

from .answers import Drop, Outgoing, Pause
from .requests import Outcome, RecordedRequest
from .service import Service

if TYPE_CHECKING:
    from starlette.applications import Starlette

_Event = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Event]]
_Send = Callable[[_Event], Awaitable[None]]

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def application(service: Service, stopping: anyio.Event) -> "Starlette":
    """The service as an ASGI application; answers that are under way end when `stopping` is set."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    return Starlette(routes=[Route("/{path:path}", Endpoint(service, stopping), methods=METHODS)])


class Endpoint:
    """Takes each request, and gives what the service answers."""

    def __init__(self, service: Service, stopping: anyio.Event) -> None:
        self._service = service
        self._stopping = stopping

    async def __call__(self, scope: _Event, receive: _Receive, send: _Send) -> None:
        """Answer one request (ASGI)."""
        raw = await _body(receive)
        if raw is None:
            return
        request = RecordedRequest(
            method=scope["method"],
            path=scope["path"],
            headers={name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]},
            raw=raw,
            body=_parsed(raw),
        )
        exchange = _Exchange(request, scope["state"]["transport"], receive, send)
        await exchange.run(self._service.answer(request), self._stopping)


class _Exchange:
    """One answer on its way."""

    def __init__(self, request: RecordedRequest, transport: Any, receive: _Receive, send: _Send) -> None:
        self._request = request
        self._transport = transport
        self._receive = receive
        self._send = send

    async def run(self, answer: Outgoing, stopping: anyio.Event) -> None:
        """Send the answer, unless the client goes away or the server stops before its end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watch, tasks.cancel_scope)
            tasks.start_soon(self._abort, stopping)
            await self._write(answer)
            tasks.cancel_scope.cancel()

    async def _write(self, answer: Outgoing) -> None:
        started = False
        held: bytes | None = None  # the last piece goes out with the mark of the end
        for step in answer.steps:
            if isinstance(step, bytes):
                if not started:
                    started = await self._start(answer)
                if held is not None:
                    await self._piece(held, more=True)
                held = step
                continue
            if held is not None:
                await self._piece(held, more=True)
                held = None
            if isinstance(step, Pause):
                await anyio.sleep(step.seconds)
            elif isinstance(step, Drop):
                if not started and answer.status:
                    await self._start(answer)
                await self._close("dropped")
        if not started:
            await self._start(answer)
        self._request.end("answered")
        await self._piece(held or b"", more=False)

    async def _start(self, answer: Outgoing) -> bool:
        self._request.status = answer.status
        await self._send(
            {"type": "http.response.start", "status": answer.status, "headers": answer.header_pairs()}
        )
        return True

    async def _piece(self, body: bytes, *, more: bool) -> None:
        self._request.chunks_sent += bool(body)
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def _close(self, outcome: Outcome) -> None:
        self._request.end(outcome)
        self._transport.close()  # what was sent still arrives, then the connection ends
        await anyio.sleep_forever()  # until the watch sees it closed

    async def _watch(self, scope: anyio.CancelScope) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._request.end("disconnected")
        scope.cancel()

    async def _abort(self, stopping: anyio.Event) -> None:
        await stopping.wait()
        self._request.end("dropped")
        self._transport.abort()


async def _body(receive: _Receive) -> bytes | None:
    """The body of a request; None where the client went away before its end."""
    parts: list[bytes] = []
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        parts.append(event.get("body", b""))
        if not event.get("more_body", False):
            return b"".join(parts)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None
