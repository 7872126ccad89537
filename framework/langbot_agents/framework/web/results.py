"""`/v1/runs/{run_id}/results`: what a run said and did, as a list, or as a stream to its end."""

from collections.abc import AsyncGenerator, Sequence

import anyio
from starlette.requests import Request
from starlette.responses import Response

from langbot_agents.schemas.records import RunRecord, RunResultRecord

from ..app import Host
from ..store import Cursor, run_results, runs
from .answers import answer
from .models import RunResults
from .reading import caller_of, host_of, limit_of, number
from .runs import find_run
from .sse import HEARTBEAT, STILL_HERE, EventStream, sse, wants_stream

PAGE = 500
POLL = 0.1
"""Seconds between two looks at a run that goes on; its deltas reach the store as often."""
LOST_AFTER = 10.0
"""Seconds after which a run that nobody runs any more is not waited for."""
ENDED = frozenset({"completed", "failed", "timeout", "cancelled", "interrupted"})

Look = tuple[RunRecord | None, Sequence[RunResultRecord]]


async def get_results(request: Request) -> Response:
    """The results of a run behind a place; as a stream also those that are still to come."""
    host, run = host_of(request), await find_run(request)
    after = _after(request)
    if wants_stream(request):
        return EventStream(_follow(host, run, after), tokens=host.tokens, caller=caller_of(request))
    limit = limit_of(request, default=1000, most=1000)
    found = await host.db.read(
        run_results.after, run.workspace_id, run.run_id, after_sequence=after, limit=limit + 1
    )
    shown = found[:limit]
    more = shown[-1].sequence if len(found) > limit else None
    return answer(RunResults(run_id=run.run_id, status=run.status, results=tuple(shown), next_after=more))


def _after(request: Request) -> int:
    """From where on: `Last-Event-ID` of a stream that broke off, else `after`."""
    last = request.headers.get("last-event-id") if wants_stream(request) else None
    if last:
        return number(last, "Last-Event-ID")
    return number(request.query_params.get("after", "0"), "after")


async def _follow(host: Host, run: RunRecord, after: int) -> AsyncGenerator[bytes, None]:
    quiet = lost = 0.0
    while True:
        # in one snapshot, so that no result of a run that has ended is missed
        found, results = await host.db.read(_look, run, after)
        for item in results:
            after = item.sequence
            yield sse(item.type, item.model_dump(mode="json"), sequence=after)
        if len(results) == PAGE:
            continue
        run = found or run
        lives = host.parts.sessions.get(run.run_id) is not None
        lost = 0.0 if lives else lost + POLL
        if found is None or run.status in ENDED or lost > LOST_AFTER:
            break
        quiet = 0.0 if results else quiet + POLL
        if quiet >= HEARTBEAT:
            quiet = 0.0
            yield STILL_HERE
        await anyio.sleep(POLL)
    yield sse("done", run.model_dump(mode="json"))


def _look(cursor: Cursor, run: RunRecord, after: int) -> Look:
    found = runs.get(cursor, run.workspace_id, run.run_id)
    return found, run_results.after(cursor, run.workspace_id, run.run_id, after_sequence=after, limit=PAGE)
