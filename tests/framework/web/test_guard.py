"""Where the host's own token counts, and which Host and Origin are ours."""

from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request

from langbot_agents.framework.web import create_app
from langbot_agents.framework.web.guard import Guard, _is_here
from langbot_agents.framework.web.problems import ProblemError


@pytest.mark.parametrize(
    ("client", "server", "here"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.2", "127.0.0.1", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1", True),
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.7", "192.0.2.1", False),
        ("::ffff:192.0.2.7", "::", False),
        ("2001:db8::7", "2001:db8::1", False),
        ("testclient", "testserver", False),
        (None, "127.0.0.1", False),
    ],
)
def test_own_token_counts_on_this_machine_only(client: str | None, server: str, here: bool) -> None:
    """A caller is here on loopback, or at the very address that the host has."""
    scope: dict[str, object] = {
        "type": "http",
        "headers": [],
        "client": None if client is None else (client, 4000),
        "server": (server, 8620),
    }

    assert _is_here(Request(scope)) is here


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8620", None, None),
        ("LOCALHOST", None, None),
        ("[::1]:8620", None, None),
        ("", None, 421),
        ("localhost.evil.example", None, 421),
        ("evil.example:127.0.0.1", None, 421),
        ("127.0.0.1:8620", "http://127.0.0.1:8620", None),
        ("127.0.0.1:8620", "https://console.example/", None),
        ("127.0.0.1:8620", "http://127.0.0.1:9999", 403),
        ("127.0.0.1:8620", "null", 403),
        ("127.0.0.1:8620", "http://[", 403),
        ("127.0.0.1:8620", "", 403),
    ],
)
def test_host_and_origin(host: str, origin: str | None, status: int | None) -> None:
    """Only our own names and origins are answered; what cannot be read is foreign."""
    guard = Guard(
        None,  # type: ignore[arg-type]
        token="x",
        tokens=None,  # type: ignore[arg-type]
        allowed_hosts=("localhost", "127.0.0.1", "[::1]"),
        allowed_origins=("https://console.example",),
    )
    headers = [(b"host", host.encode())]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    request = Request({"type": "http", "headers": headers})
    found = None
    try:
        guard._check_host(request)
        guard._check_origin(request)
    except ProblemError as problem:
        found = problem.status

    assert found == status


@pytest.mark.anyio
@pytest.mark.parametrize(
    "path", ["/v1/runs", "/v1/tokens", "/openapi.json", "/nowhere", "/v1/events/healthz"]
)
@pytest.mark.parametrize("host", ["x", "x/healthz?", "x/readyz#", "x:80/healthz?"])
async def test_no_host_header_opens_a_path(make_house: Callable[..., Any], path: str, host: str) -> None:
    """Where every Host is answered, none makes another path one of the open ones."""
    house = make_house(bindings=[{"runner_id": "echo"}], settings={"server": {"allowed_hosts": ["*"]}})
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async with house.open() as opened:
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "scheme": "http",
            "headers": [(b"host", host.encode())],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
        }
        await create_app(opened.host, token="secret")(scope, receive, send)

    assert sent[0]["status"] == 401
