"""The Starlette application of a host."""

from collections.abc import Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from ..app import Host
from ..errors import LangbotAgentsError
from .guard import Guard
from .openapi import openapi
from .problems import ProblemError, on_fault, on_host_error, on_http_error, on_problem
from .table import ENDPOINTS


def create_app(host: Host, *, token: str, own_hosts: Collection[str] = ()) -> Starlette:
    """The application that answers for a host; `token` is its local one, `own_hosts` where it listens."""
    server = host.project.settings.server
    app = Starlette(
        routes=[endpoint.route() for endpoint in ENDPOINTS],
        middleware=[
            Middleware(
                Guard,
                token=token,
                tokens=host.tokens,
                allowed_hosts=(*server.allowed_hosts, *own_hosts),
                allowed_origins=server.allowed_origins,
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
    app.state.openapi = openapi(ENDPOINTS)
    return app
