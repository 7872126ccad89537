"""What is refused over HTTP: each with one clear problem, and nothing else stops."""

import socket
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from .conftest import Served

MESSAGE = {"event_type": "message.received", "input": {"text": "hi"}}


def problem(answer: httpx.Response) -> dict[str, Any]:
    """The problem document of a refusal."""
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["status"] == answer.status_code
    assert set(body) >= {"type", "title", "status", "detail", "code"}
    return body


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({}, "event_type"),
        ({"event_type": "Message"}, "event_type"),
        ({"event_type": "message"}, "event_type"),
        ({"event_type": 3}, "event_type"),
        ({"event_type": "message.received", "input": {"text": 3}}, "input.text"),
        ({"event_type": "message.received", "input": "hi"}, "input"),
        ({"event_type": "message.received", "input": {"text": "x" * 70_000}}, "input.text"),
        ({"event_type": "message.received", "actor": {"actor_type": "ghost"}}, "actor.actor_type"),
        ({"event_type": "message.received", "source": {"kind": "pigeon", "name": "x"}}, "source.kind"),
        ({"event_type": "message.received", "metadata": [1]}, "metadata"),
        ({"event_type": "message.received", "conversation_id": 12345}, "conversation_id"),
        ({"event_type": "message.received", "event_time": "noon"}, "event_time"),
        ({"event_type": "message.received", "workspace_id": "../etc"}, "workspace_id"),
    ],
)
def test_malformed_event_names_the_field(client: httpx.Client, event: dict[str, Any], path: str) -> None:
    """A malformed event is refused with the field, the cause and the value; nothing is recorded."""
    before = client.get("/v1/events?limit=1").json()
    body = problem(client.post("/v1/events", json=event))

    assert body["code"] == "invalid_event"
    assert body["errors"][0]["path"].startswith(path)
    assert client.get("/v1/events?limit=1").json() == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b'{"a": NaN}', "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b"[]", "invalid_event"),
        (b'"text"', "invalid_event"),
        (
            b'{"event_type": "a.b", "metadata": ' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}",
            "invalid_event",
        ),
    ],
)
def test_body_that_is_no_event(client: httpx.Client, content: bytes, code: str) -> None:
    """A body that is not one JSON object is refused with its cause."""
    answer = client.post("/v1/events", content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert problem(answer)["code"] == code


def test_other_media_types_are_refused(client: httpx.Client) -> None:
    """A body of another kind is refused with what to send instead."""
    answer = client.post(
        "/v1/events", content=b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )

    assert answer.status_code == 415
    assert "--json" in problem(answer)["remedy"]


def test_large_body_is_refused_before_it_is_read(served: Served) -> None:
    """A stated length over the limit is answered at once; the rest is not waited for."""
    url = urlsplit(served.file["url"])
    with socket.create_connection((url.hostname, url.port), timeout=10) as raw:
        raw.sendall(
            f"POST /v1/events HTTP/1.1\r\nHost: {url.netloc}\r\n"
            f"Authorization: {served.headers['Authorization']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n".encode()
        )
        answer = raw.recv(65536).decode()

    assert answer.startswith("HTTP/1.1 413")


def test_large_body_without_a_length_is_cut_off(client: httpx.Client) -> None:
    """A body that grows over the limit is refused as soon as that is known."""
    answer = client.post(
        "/v1/events", content=(b" " * 65536 for _ in range(100)), headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 413


@pytest.mark.parametrize("token", [None, "", "Bearer", "Bearer wrong", "Basic x", "Bearer \u00e9"])
def test_no_token_no_answer(served: Served, token: str | None) -> None:
    """Without the token nothing is answered but the probes."""
    headers = [] if token is None else [(b"Authorization", token.encode("latin-1"))]
    with served.client(authorised=False) as client:
        answer = client.post("/v1/events", json=MESSAGE, headers=headers)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "reasons" not in answer.text


def test_probes_need_no_token(served: Served) -> None:
    """`/healthz` and `/readyz` answer probes, without reasons."""
    with served.client(authorised=False) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/readyz").json() == {"status": "ready", "bindings": 4, "problems": 0}


def test_unknown_host_header_is_refused(client: httpx.Client) -> None:
    """A name that is not ours, as DNS rebinding uses, is refused on loopback too."""
    answer = client.get("/v1/events", headers={"Host": "evil.example"})

    assert answer.status_code == 421
    assert problem(answer)["code"] == "unknown_host"


def test_unknown_origin_is_refused(client: httpx.Client) -> None:
    """A page of another origin may not call the host."""
    answer = client.get("/v1/events", headers={"Origin": "https://evil.example"})

    assert problem(answer)["code"] == "unknown_origin"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nope", 404),
        ("/v1/events/evt_nope", 404),
        ("/v1/events/evt_nope/decision", 404),
        ("/v1/runs/run_nope", 404),
        ("/v1/events?limit=0", 400),
        ("/v1/events?limit=x", 400),
        ("/v1/events?cursor=-1", 400),
        ("/v1/events?before=1", 400),
        ("/v1/events?workspace=../etc", 400),
        ("/v1/runs?status=asleep", 400),
        ("/v1/runs?limit=501", 400),
        ("/v1/runs/run_nope/results", 404),
        ("/v1/bindings/nope", 404),
        ("/v1/conversations/nope", 404),
        ("/v1/runners/nope", 404),
    ],
)
def test_unknown_addresses_are_problems(client: httpx.Client, path: str, status: int) -> None:
    """What is not there, or is asked wrongly, is a problem document as well."""
    answer = client.get(path)

    assert answer.status_code == status
    problem(answer)


def test_wrong_method_is_a_problem(client: httpx.Client) -> None:
    """A method that an address does not know is a problem document as well."""
    answer = client.delete("/v1/events")

    assert answer.status_code == 405
    problem(answer)


def test_bad_wait_is_refused(client: httpx.Client) -> None:
    """`wait` is a number of seconds within bounds."""
    for wait in ("x", "-1", "nan", "1e9"):
        assert client.post(f"/v1/events?wait={wait}", json=MESSAGE).status_code == 400
