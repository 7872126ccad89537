"""Who may ask: the bearer token, the Host and Origin headers, and how much a body may hold."""

import hmac
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ..texts import t
from .problems import ProblemError

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths that answer without a token, for probes."""


class Guard:
    """Refuses a request before anything of its body is read."""

    def __init__(
        self, app: ASGIApp, *, token: str, allowed_hosts: Collection[str], allowed_origins: Collection[str]
    ) -> None:
        self._app = app
        self._token = token.encode()
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
            if request.url.path not in OPEN_PATHS:
                self._check_token(request)
        except ProblemError as problem:
            await problem.response()(scope, receive, send)
            return
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
        if urlsplit(origin).netloc.lower() != request.headers.get("host", "").lower():
            raise ProblemError(
                403,
                "unknown_origin",
                t("origin {origin!r} may not call this host", origin=origin),
                remedy=t("add it to server.allowed_origins"),
            )

    def _check_token(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            raise ProblemError(
                401,
                "unauthorized",
                t("a bearer token is needed"),
                remedy=t(
                    "send `Authorization: Bearer TOKEN`; the host's own token is in host.json beside its store"
                ),
                headers={"WWW-Authenticate": "Bearer"},
            )


def _host_name(header: str) -> str:
    header = header.strip().lower()
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.rpartition(":")[0] if ":" in header else header


async def read_body(request: Request, limit: int) -> bytes:
    """The body, refused as soon as it is known to be too large."""
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
        async for chunk in request.stream():
            body += chunk
            if len(body) > limit:
                raise too_large
    except ClientDisconnect:
        raise ProblemError(400, "disconnected", t("the caller went away")) from None
    return bytes(body)
