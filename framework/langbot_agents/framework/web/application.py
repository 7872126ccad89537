"""The Starlette application of a host."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route

from ..app import Host
from ..errors import LangbotAgentsError
from .events import get_decision, get_event, list_events, post_event
from .guard import Guard
from .probes import healthz, readyz
from .problems import ProblemError, on_fault, on_host_error, on_http_error, on_problem
from .runs import cancel_run, get_run


def create_app(host: Host, *, token: str) -> Starlette:
    """The application that answers for a host; every path but the probes wants the token."""
    server = host.project.settings.server
    app = Starlette(
        routes=[
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/v1/events", post_event, methods=["POST"]),
            Route("/v1/events", list_events, methods=["GET"]),
            Route("/v1/events/{event_uid:path}/decision", get_decision),
            Route("/v1/events/{event_uid:path}", get_event),
            Route("/v1/runs/{run_id}", get_run),
            Route("/v1/runs/{run_id}/cancel", cancel_run, methods=["POST"]),
        ],
        middleware=[
            Middleware(
                Guard, token=token, allowed_hosts=server.allowed_hosts, allowed_origins=server.allowed_origins
            )
        ],
        exception_handlers={
            ProblemError: on_problem,
            LangbotAgentsError: on_host_error,
            HTTPException: on_http_error,
            Exception: on_fault,
        },
    )
    app.state.host = host
    app.state.token = token
    return app
