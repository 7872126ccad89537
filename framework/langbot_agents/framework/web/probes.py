"""`/healthz` and `/readyz`: whether the process lives, and whether the host can do its work."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..app import Host


async def healthz(_request: Request) -> Response:
    """The process answers."""
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """`ready`, `degraded` (a part is out) or `failing` (503); the reasons only for who has a token."""
    host: Host = request.app.state.host
    status, reasons = host.readiness()
    body: dict[str, object] = {
        "status": status,
        "bindings": len(host.bindings.live),
        "problems": len(reasons),
    }
    if request.headers.get("authorization") == f"Bearer {request.app.state.token}":
        body["reasons"] = reasons
    return JSONResponse(body, status_code=503 if status == "failing" else 200)
