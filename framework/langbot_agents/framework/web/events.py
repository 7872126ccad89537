"""`/v1/events`: an event in, its reply out; and what is on record of it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from typing import Any

import anyio
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from langbot_agents.schemas.records import Decision

from ..app import EventStory, Host, read_story
from ..errors import NotFoundError
from ..gateway import Accepted, Caller
from ..platforms import HTTP_SURFACE, Frame
from ..store import Cursor, decisions, events
from ..store.events import StoredEvent
from ..streams import Subscription
from ..texts import t
from . import cloudevents
from .guard import read_body
from .problems import ProblemError

EVENT_STREAM = "text/event-stream"
HEARTBEAT = 15.0
MAX_WAIT = 300.0
MAX_PAGE = 500


class _Listener:
    """Listens to an event's deliveries from before its append to its end."""

    def __init__(self, host: Host, stack: ExitStack) -> None:
        self._mailbox = host.surfaces.mailboxes[HTTP_SURFACE]
        self._stack = stack
        self.frames: Subscription[Frame] | None = None

    def start(self, event_uid: str) -> None:
        self.frames = self._stack.enter_context(self._mailbox.listen(event_uid))


def caller_of(request: Request) -> Caller:
    """Who asks: until tokens are made, the operator's own commands."""
    return Caller(name="local", surface=HTTP_SURFACE, impersonate=True)


async def post_event(request: Request) -> Response:
    """Take an event in; 202 once it is on disk, or its reply as SSE or with `?wait=`."""
    host: Host = request.app.state.host
    data = await _read_event(request, host.project.settings.server.max_body_bytes)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return await _streamed(request, host, data)
    if "wait" in request.query_params:
        return await _waited(request, host, data, _wait_seconds(request.query_params["wait"]))
    accepted = await host.run_from_event(data, caller_of(request))
    return _accepted(accepted)


def _accepted(accepted: Accepted, **more: Any) -> JSONResponse:
    headers = {"Location": f"/v1/events/{accepted.event_uid}"}
    return JSONResponse({**accepted.as_dict(), **more}, status_code=202, headers=headers)


async def _streamed(request: Request, host: Host, data: Mapping[str, Any]) -> Response:
    stack = ExitStack()
    listener = _Listener(host, stack)
    try:
        accepted = await host.run_from_event(data, caller_of(request), before_append=listener.start)
        if accepted.duplicate:
            listener.start(accepted.event_uid)
    except BaseException:
        stack.close()
        raise
    headers = {
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
        "Location": f"/v1/events/{accepted.event_uid}",
    }
    return StreamingResponse(
        _frames(host, listener, accepted, stack), media_type=EVENT_STREAM, headers=headers
    )


async def _frames(
    host: Host, listener: _Listener, accepted: Accepted, stack: ExitStack
) -> AsyncIterator[bytes]:
    with stack:
        yield _sse("accepted", accepted.as_dict())
        frames = listener.frames
        if frames is not None and (not accepted.duplicate or host.dispatcher.is_open(accepted.event_uid)):
            while True:
                try:
                    with anyio.fail_after(HEARTBEAT):
                        frame = await frames.get()
                except TimeoutError:
                    yield b": still here\n\n"
                except anyio.EndOfStream:
                    break
                else:
                    yield _sse(f"message.{frame.kind}", frame.as_dict())
        else:
            async for line in _replayed(host, accepted.event_uid):
                yield line
        story = await _ended_story(host, accepted.event_uid)
        yield _sse("done", story.summary())


async def _replayed(host: Host, event_uid: str) -> AsyncIterator[bytes]:
    """The reply of an event that has ended, for a caller who sends it again."""
    story = await _ended_story(host, event_uid)
    for item in story.summary()["deliveries"]:
        if item["status"] == "sent":
            text = item["content"] if isinstance(item["content"], str) else ""
            more = {} if isinstance(item["content"], str) else {"contents": item["content"]}
            yield _sse(
                "message.close",
                {"run_id": item["run_id"], "message_id": item["message_id"], "text": text, **more},
            )


async def _waited(request: Request, host: Host, data: Mapping[str, Any], seconds: float) -> Response:
    with ExitStack() as stack:
        listener = _Listener(host, stack)
        accepted = await host.run_from_event(data, caller_of(request), before_append=listener.start)
        if accepted.duplicate:
            listener.start(accepted.event_uid)
        ended = True
        if not accepted.duplicate or host.dispatcher.is_open(accepted.event_uid):
            ended = await _until_end(listener, seconds)
        if not ended:
            return _accepted(accepted, ended=False)
    story = await _ended_story(host, accepted.event_uid)
    return JSONResponse({**accepted.as_dict(), "ended": True, **story.summary()})


async def _until_end(listener: _Listener, seconds: float) -> bool:
    with anyio.move_on_after(seconds) as scope:
        if listener.frames is not None:
            async for _ in listener.frames:
                pass
    return not scope.cancelled_caught


async def _ended_story(host: Host, event_uid: str) -> EventStory:
    await host.db.writer.flush()  # the mark of the last delivery is written behind its send
    return await _story(host, event_uid)


async def list_events(request: Request) -> Response:
    """One page of the log, newest first; with `after` oldest first."""
    host: Host = request.app.state.host
    query = request.query_params
    limit = _number(query.get("limit", "50"), "limit")
    if not 1 <= limit <= MAX_PAGE:
        raise _bad_query("limit", t("give 1 to {limit}", limit=MAX_PAGE))
    after, before = query.get("after"), query.get("before")
    page = await host.db.read(
        events.page,
        caller_of(request).workspace_id,
        after=None if after is None else _number(after, "after"),
        before=None if before is None else _number(before, "before"),
        limit=limit,
        event_type=query.get("event_type"),
        outcome=query.get("outcome"),
    )
    return JSONResponse(
        {
            "events": [_listed(item) for item in page],
            "next_cursor": str(page[-1].seq) if len(page) == limit else None,
        }
    )


async def get_event(request: Request) -> Response:
    """The event, and what became of it; as a CloudEvent where the caller asks for one."""
    host: Host = request.app.state.host
    story = await _story(host, request.path_params["event_uid"])
    if cloudevents.STRUCTURED in request.headers.get("accept", ""):
        document = cloudevents.to_structured(story.stored.envelope)
        return JSONResponse(document, media_type=cloudevents.STRUCTURED)
    return JSONResponse({"event": story.stored.envelope.model_dump(mode="json"), **story.summary()})


async def get_decision(request: Request) -> Response:
    """The stored decision of an event."""
    host: Host = request.app.state.host
    stored = await _stored(host, request.path_params["event_uid"])

    def read(cursor: Cursor) -> Decision | None:
        return decisions.get(cursor, stored.envelope.workspace_id, stored.envelope.event_uid or "")

    decision = await host.db.read(read)
    if decision is None:
        raise NotFoundError(t("event {uid} is not decided yet", uid=stored.envelope.event_uid))
    return JSONResponse(decision.model_dump(mode="json"))


async def _story(host: Host, name: str) -> EventStory:
    stored = await _stored(host, name)
    return await host.db.read(read_story, stored)


async def _stored(host: Host, name: str) -> StoredEvent:
    """The event of that uid, or of that `event_id` where it names one event."""
    workspace = "default"
    found = await host.db.read(events.get, workspace, name)
    if found is not None:
        return found
    named = await host.db.read(events.find, workspace, name)
    if len(named) == 1:
        return named[0]
    if named:
        uids = ", ".join(item.envelope.event_uid or "" for item in named)
        raise NotFoundError(
            t("event_id {name!r} names {count} events", name=name, count=len(named)), remedy=uids
        )
    raise NotFoundError(t("there is no event {name!r}", name=name))


def _listed(item: StoredEvent) -> dict[str, Any]:
    event = item.envelope
    return {
        "seq": item.seq,
        "event_uid": event.event_uid,
        "event_id": event.event_id,
        "event_type": event.event_type,
        "received_at": None if event.received_at is None else event.received_at.isoformat(),
        "source": event.source.model_dump(mode="json"),
        "bot_id": event.bot_id,
        "conversation_id": event.conversation_id,
        "outcome": item.outcome,
    }


async def _read_event(request: Request, limit: int) -> dict[str, Any]:
    body = await read_body(request, limit)
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media == cloudevents.BATCH:
        raise ProblemError(
            415, "unsupported_media_type", t("batches are not taken; send one event a request")
        )
    if media == cloudevents.STRUCTURED:
        data: Any = cloudevents.from_structured(cloudevents.read_json(body))
    elif "ce-specversion" in request.headers:
        data = cloudevents.from_binary(request.headers, body)
    elif media == "application/json" or media.endswith("+json"):
        data = cloudevents.read_json(body)
    else:
        raise ProblemError(
            415,
            "unsupported_media_type",
            t("{media!r} is not taken", media=media),
            remedy=t("send application/json (curl: --json) or a CloudEvent"),
        )
    if not isinstance(data, dict):
        raise ProblemError(
            400, "invalid_event", t("event: an event is an object, got {kind}", kind=type(data).__name__)
        )
    return _with_key(data, request.headers.get("idempotency-key"))


def _with_key(data: dict[str, Any], key: str | None) -> dict[str, Any]:
    if key is None:
        return data
    stated = data.get("event_id")
    if stated is not None and stated != key:
        raise ProblemError(
            400,
            "invalid_event",
            t("event_id: {stated!r} and Idempotency-Key {key!r} differ; send one", stated=stated, key=key),
        )
    return {**data, "event_id": key}


def _wait_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_WAIT:
        raise _bad_query("wait", t("give 0 to {limit:g} seconds", limit=MAX_WAIT))
    return seconds


def _number(text: str, name: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise _bad_query(name, t("{value!r} is not a number of ours", value=text))
    return int(text)


def _bad_query(name: str, message: str) -> ProblemError:
    return ProblemError(
        400, "invalid_query", f"{name}: {message}", errors=[{"path": name, "message": message}]
    )


def _sse(event: str, data: Mapping[str, Any]) -> bytes:
    return b"event: " + event.encode() + b"\ndata: " + to_json(data) + b"\n\n"
