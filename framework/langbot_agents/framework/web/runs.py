"""`/v1/runs`: the ledger in pages, one run, its end."""

from typing import cast, get_args

from starlette.requests import Request
from starlette.responses import Response

from langbot_agents.schemas.records import RunRecord, RunStatus

from ..errors import NotFoundError
from ..store import runs
from ..texts import t
from .answers import answer
from .cursors import make_cursor, read_cursor
from .models import RunCancelled, RunPage
from .reading import host_of, limit_of, one_of, workspace_of

STATUSES: tuple[str, ...] = get_args(RunStatus)


async def list_runs(request: Request) -> Response:
    """One page of runs, newest first."""
    workspace, limit = workspace_of(request), limit_of(request)
    binding_id, status = request.query_params.get("binding_id"), one_of(request, "status", STATUSES)
    question = ("runs", workspace, binding_id, status)
    given = request.query_params.get("cursor")
    (before,) = (None,) if given is None else read_cursor(question, given, (str,))
    page = await host_of(request).db.read(
        runs.page,
        workspace,
        before=before,
        limit=limit + 1,
        binding_id=binding_id,
        status=cast("RunStatus | None", status),
    )
    shown = page[:limit]
    more = make_cursor(question, (shown[-1].run_id,)) if len(page) > limit else None
    return answer(RunPage(runs=tuple(shown), next_cursor=more))


async def get_run(request: Request) -> Response:
    """The ledger's record of a run."""
    return answer(await find_run(request))


async def cancel_run(request: Request) -> Response:
    """Ask a run to end as `cancelled`; 202 if it lives, 200 if it has ended already."""
    run = await find_run(request)
    session = host_of(request).parts.sessions.get(run.run_id)
    if session is None:
        return answer(RunCancelled(run_id=run.run_id, status=run.status, cancelling=False))
    session.cancel(t("cancelled over HTTP"))
    return answer(RunCancelled(run_id=run.run_id, status=run.status, cancelling=True), status=202)


async def find_run(request: Request) -> RunRecord:
    """The run that the address names, in the caller's workspace. Raises `NotFoundError`."""
    run_id = request.path_params["run_id"]
    found = await host_of(request).db.read(runs.get, workspace_of(request), run_id)
    if found is None:
        raise NotFoundError(t("there is no run {run_id!r}", run_id=run_id))
    return found
