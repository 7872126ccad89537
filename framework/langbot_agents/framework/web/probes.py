"""`/healthz` and `/readyz`: whether the process lives, and whether the host can do its work."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..access import Caller
from .reading import host_of


async def healthz(_request: Request) -> Response:
    """Whether the process answers."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """`ready`, `degraded` (a part is out) or `failing` (503); the reasons only for the host's own token."""
    host = host_of(request)
    status, reasons = host.readiness()
    body: dict[str, object] = {
        "status": status,
        "bindings": len(host.bindings.live),
        "problems": len(reasons),
    }
    caller: Caller | None = request.state.caller
    if caller is not None and caller.local:
        body["reasons"] = reasons
    return JSONResponse(body, status_code=503 if status == "failing" else 200)
