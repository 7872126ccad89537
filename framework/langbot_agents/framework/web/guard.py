"""Who may ask: the bearer token, the Host and Origin headers, and how much a body may hold."""

import hmac
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from langbot_agents.schemas.host import ServerSettings

from ..access import LOCAL_NAME, Caller, TokenBook
from ..platforms import HTTP_SURFACE
from ..texts import t
from .problems import ProblemError

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths that answer without a token, for probes."""

LOCAL = Caller(name=LOCAL_NAME, surface=HTTP_SURFACE, impersonate=True, local=True)
"""Who has the token of `host.json`: the operator's own commands."""


class Guard:
    """Refuses a request before anything of its body is read, and says who asks."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        tokens: TokenBook,
        allowed_hosts: Collection[str],
        allowed_origins: Collection[str],
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._tokens = tokens
        self._hosts = frozenset(host.lower() for host in allowed_hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            self._check_host(request)
            self._check_origin(request)
            caller = self._caller(request)
            # not `request.url`, which is made of the Host header too
            if caller is None and scope["path"] not in OPEN_PATHS:
                raise unauthorized()
        except ProblemError as problem:
            await problem.response()(scope, receive, send)
            return
        request.state.caller = caller
        await self._app(scope, receive, send)

    def _check_host(self, request: Request) -> None:
        host = _host_name(request.headers.get("host", ""))
        if "*" not in self._hosts and host not in self._hosts:
            raise ProblemError(
                421,
                "unknown_host",
                t("host {host!r} is not served here", host=host),
                remedy=t("add it to server.allowed_hosts"),
            )

    def _check_origin(self, request: Request) -> None:
        origin = request.headers.get("origin")
        if origin is None or origin.lower().rstrip("/") in self._origins:
            return
        try:
            own = urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
        except ValueError:
            own = False
        if not own:
            raise ProblemError(
                403,
                "unknown_origin",
                t("origin {origin!r} may not call this host", origin=origin),
                remedy=t("add it to server.allowed_origins"),
            )

    def _caller(self, request: Request) -> Caller | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            return None
        if hmac.compare_digest(token.encode(), self._token):
            return LOCAL if _is_here(request) else None
        return self._tokens.caller(token)


def unauthorized() -> ProblemError:
    """The refusal of who has no token, or one that has ended: nobody learns which."""
    return ProblemError(
        401,
        "unauthorized",
        t("a bearer token is needed"),
        remedy=t("send `Authorization: Bearer TOKEN`; `lba tokens create` makes one"),
        headers={"WWW-Authenticate": "Bearer"},
    )


def _is_here(request: Request) -> bool:
    """Whether the caller is on this machine, as the operator's own commands are."""
    if request.client is None:
        return False
    try:
        address = ip_address(request.client.host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    server = request.scope.get("server")
    return mapped.is_loopback or (server is not None and server[0] == request.client.host)


def _host_name(header: str) -> str:
    header = header.strip().lower()
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.rpartition(":")[0] if ":" in header else header


async def read_body(request: Request, server: ServerSettings) -> bytes:
    """The body, refused as soon as it is known to be too large, or when it is not there in time."""
    limit = server.max_body_bytes
    too_large = ProblemError(
        413,
        "payload_too_large",
        t("the body is over {limit} bytes", limit=limit),
        remedy=t("send files by reference, or raise server.max_body_bytes"),
    )
    stated = request.headers.get("content-length", "")
    if stated.isdecimal() and int(stated) > limit:
        raise too_large
    body = bytearray()
    try:
        with anyio.fail_after(server.body_timeout):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise too_large
    except TimeoutError:
        raise ProblemError(
            408,
            "request_timeout",
            t("the body was not there whole within {seconds:g} seconds", seconds=server.body_timeout),
            remedy=t("send as many bytes as Content-Length says, or raise server.body_timeout"),
            headers={"Connection": "close"},
        ) from None
    except ClientDisconnect:
        raise ProblemError(400, "disconnected", t("the caller went away")) from None
    return bytes(body)
