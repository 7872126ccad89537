"""`/v1/runs`: one run, its results, its end."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from langbot_agents.schemas.records import RunRecord

from ..app import Host
from ..errors import NotFoundError
from ..store import runs
from ..texts import t


async def get_run(request: Request) -> Response:
    """The ledger's record of a run."""
    run = await _run(request)
    return JSONResponse(run.model_dump(mode="json"))


async def cancel_run(request: Request) -> Response:
    """Ask a run to end as `cancelled`; 202 if it lives, 200 if it has ended already."""
    host: Host = request.app.state.host
    run = await _run(request)
    session = host.parts.sessions.get(run.run_id)
    if session is None:
        return JSONResponse({"run_id": run.run_id, "status": run.status, "cancelling": False})
    session.cancel(t("cancelled over HTTP"))
    return JSONResponse({"run_id": run.run_id, "status": run.status, "cancelling": True}, status_code=202)


async def _run(request: Request) -> RunRecord:
    host: Host = request.app.state.host
    run_id = request.path_params["run_id"]
    found = await host.db.read(runs.get, "default", run_id)
    if found is None:
        raise NotFoundError(t("there is no run {run_id!r}", run_id=run_id))
    return found
