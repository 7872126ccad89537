"""`/v1/events`: an event in, its reply out; and what is on record of it."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from langbot_agents.schemas.records import Decision

from ..app import EventStory, Host, read_story
from ..errors import NotFoundError
from ..gateway import Accepted
from ..platforms import HTTP_SURFACE, Frame
from ..store import Cursor, decisions, events
from ..store.events import StoredEvent
from ..streams import Subscription
from ..texts import t
from . import cloudevents
from .answers import answer
from .cursors import make_cursor, read_cursor
from .guard import read_body, unauthorized
from .json_body import read_json
from .models import EventPage, EventRow
from .problems import ProblemError
from .reading import (
    bad_query,
    caller_of,
    host_of,
    limit_of,
    media_type,
    one_of,
    unsupported,
    workspace_of,
)
from .repeats import check_repeat
from .sse import HEARTBEAT, STILL_HERE, EventStream, sse, wants_stream

MAX_WAIT = 300.0
ORDERS = ("newest", "oldest")


class _Listener:
    """Listens to an event's deliveries from before its append to its end."""

    def __init__(self, host: Host, stack: ExitStack) -> None:
        self._mailbox = host.surfaces.mailboxes[HTTP_SURFACE]
        self._stack = stack
        self.frames: Subscription[Frame] | None = None

    def start(self, event_uid: str) -> None:
        self.frames = self._stack.enter_context(self._mailbox.listen(event_uid))


async def post_event(request: Request) -> Response:
    """Take an event in; 202 once it is on disk, or its reply as SSE or with `?wait=`."""
    host = host_of(request)
    data = await read_event(request)
    if wants_stream(request):
        return await _streamed(request, host, data)
    if "wait" in request.query_params:
        return await _waited(request, host, data, _wait_seconds(request.query_params["wait"]))
    accepted = await host.run_from_event(data, caller_of(request))
    await check_repeat(request, host, data, accepted)
    return _accepted(request, accepted)


def _accepted(request: Request, accepted: Accepted, **more: Any) -> JSONResponse:
    headers = _location(request, accepted)
    return JSONResponse({**accepted.as_dict(), **more}, status_code=202, headers=headers)


def _location(request: Request, accepted: Accepted) -> dict[str, str]:
    """Where the caller finds the event, also where it is of another workspace."""
    address = f"/v1/events/{quote(accepted.event_uid)}"
    if accepted.workspace_id != caller_of(request).workspace_id:
        address += f"?workspace={quote(accepted.workspace_id)}"
    return {"Location": address}


async def _streamed(request: Request, host: Host, data: Mapping[str, Any]) -> Response:
    stack = ExitStack()
    listener = _Listener(host, stack)
    try:
        accepted = await host.run_from_event(data, caller_of(request), before_append=listener.start)
        if accepted.duplicate:
            await check_repeat(request, host, data, accepted)
            listener.start(accepted.event_uid)
    except BaseException:
        stack.close()
        raise
    return EventStream(
        _frames(host, listener, accepted, stack),
        tokens=host.tokens,
        caller=caller_of(request),
        headers=_location(request, accepted),
        on_end=stack.close,
    )


async def _frames(
    host: Host, listener: _Listener, accepted: Accepted, stack: ExitStack
) -> AsyncGenerator[bytes, None]:
    with stack:
        yield sse("accepted", accepted.as_dict())
        frames = listener.frames
        if frames is not None and (not accepted.duplicate or host.dispatcher.is_open(accepted.event_uid)):
            while True:
                try:
                    with anyio.fail_after(HEARTBEAT):
                        frame = await frames.get()
                except TimeoutError:
                    yield STILL_HERE
                except anyio.EndOfStream:
                    break
                else:
                    yield sse(f"message.{frame.kind}", frame.as_dict())
        else:
            async for line in _replayed(host, accepted):
                yield line
        story = await _ended_story(host, accepted)
        yield sse("done", story.summary())


async def _replayed(host: Host, accepted: Accepted) -> AsyncIterator[bytes]:
    """The reply of an event that has ended, for a caller who sends it again."""
    story = await _ended_story(host, accepted)
    for item in story.summary()["deliveries"]:
        if item["status"] == "sent":
            text = item["content"] if isinstance(item["content"], str) else ""
            more = {} if isinstance(item["content"], str) else {"contents": item["content"]}
            yield sse(
                "message.close",
                {"run_id": item["run_id"], "message_id": item["message_id"], "text": text, **more},
            )


async def _waited(request: Request, host: Host, data: Mapping[str, Any], seconds: float) -> Response:
    caller = caller_of(request)
    with ExitStack() as stack:
        listener = _Listener(host, stack)
        accepted = await host.run_from_event(data, caller, before_append=listener.start)
        if accepted.duplicate:
            await check_repeat(request, host, data, accepted)
            listener.start(accepted.event_uid)
        ended = True
        if not accepted.duplicate or host.dispatcher.is_open(accepted.event_uid):
            with host.tokens.while_valid(caller) as life:
                ended = await _until_end(listener, seconds)
            if life.cancelled_caught:
                raise unauthorized()
        if not ended:
            return _accepted(request, accepted, ended=False)
    story = await _ended_story(host, accepted)
    return JSONResponse({**accepted.as_dict(), "ended": True, **story.summary()})


async def _until_end(listener: _Listener, seconds: float) -> bool:
    with anyio.move_on_after(seconds) as scope:
        if listener.frames is not None:
            async for _ in listener.frames:
                pass
    return not scope.cancelled_caught


async def _ended_story(host: Host, accepted: Accepted) -> EventStory:
    await host.db.writer.flush()  # the mark of the last delivery is written behind its send
    return await _story(host, accepted.workspace_id, accepted.event_uid)


async def list_events(request: Request) -> Response:
    """One page of the log, newest first; with `order=oldest` from its beginning, and on as it grows."""
    query, workspace, limit = request.query_params, workspace_of(request), limit_of(request)
    event_type, outcome = query.get("event_type"), query.get("outcome")
    rising = one_of(request, "order", ORDERS) == "oldest"
    question = ("events", workspace, event_type, outcome, rising)
    given = query.get("cursor")
    (place,) = (0 if rising else None,) if given is None else read_cursor(question, given, (int,))
    page = await host_of(request).db.read(
        events.page,
        workspace,
        after=place if rising else None,
        before=None if rising else place,
        limit=limit + 1,
        event_type=event_type,
        outcome=outcome,
    )
    shown = page[:limit]
    more = make_cursor(question, (shown[-1].seq,)) if shown and (rising or len(page) > limit) else None
    if rising and not shown:  # nothing new yet; the same place may be asked about again
        more = given or make_cursor(question, (0,))
    return answer(EventPage(events=tuple(_listed(item) for item in shown), next_cursor=more))


async def get_event(request: Request) -> Response:
    """The event, and what became of it; as a CloudEvent where the caller asks for one."""
    story = await _story(host_of(request), workspace_of(request), request.path_params["event_uid"])
    if cloudevents.STRUCTURED in request.headers.get("accept", ""):
        document = cloudevents.to_structured(story.stored.envelope)
        return JSONResponse(document, media_type=cloudevents.STRUCTURED)
    return JSONResponse({"event": story.stored.envelope.model_dump(mode="json"), **story.summary()})


async def get_decision(request: Request) -> Response:
    """The stored decision of an event."""
    host = host_of(request)
    stored = await _stored(host, workspace_of(request), request.path_params["event_uid"])

    def read(cursor: Cursor) -> Decision | None:
        return decisions.get(cursor, stored.envelope.workspace_id, stored.envelope.event_uid or "")

    decision = await host.db.read(read)
    if decision is None:
        raise NotFoundError(t("event {uid} is not decided yet", uid=stored.envelope.event_uid))
    return JSONResponse(decision.model_dump(mode="json"))


async def _story(host: Host, workspace: str, name: str) -> EventStory:
    stored = await _stored(host, workspace, name)
    return await host.db.read(read_story, stored)


async def _stored(host: Host, workspace: str, name: str) -> StoredEvent:
    """The event of that uid, or of that `event_id` where it names one event."""
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


def _listed(item: StoredEvent) -> EventRow:
    event = item.envelope
    return EventRow(
        seq=item.seq,
        event_uid=event.event_uid or "",
        event_id=event.event_id,
        event_type=event.event_type,
        received_at=event.received_at,
        source=event.source,
        bot_id=event.bot_id,
        conversation_id=event.conversation_id,
        outcome=item.outcome,
    )


async def read_event(request: Request) -> dict[str, Any]:
    """The event in a request, in our own form or as a CloudEvent. Raises `ProblemError`."""
    body = await read_body(request, host_of(request).project.settings.server)
    media = media_type(request)
    if media == cloudevents.BATCH:
        raise ProblemError(
            415, "unsupported_media_type", t("batches are not taken; send one event a request")
        )
    if media == cloudevents.STRUCTURED:
        data: Any = cloudevents.from_structured(read_json(body))
    elif "ce-specversion" in request.headers:
        data = cloudevents.from_binary(request.headers, body)
    elif media == "application/json" or media.endswith("+json"):
        data = read_json(body)
    else:
        raise unsupported(media, t("send application/json (curl: --json) or a CloudEvent"))
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
        raise bad_query("wait", t("give 0 to {limit:g} seconds", limit=MAX_WAIT))
    return seconds
