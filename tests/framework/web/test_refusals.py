"""What is refused over HTTP: each with one clear problem, and nothing else stops."""

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from .conftest import HOST_DOCUMENT, Served, make_project

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


UNKNOWN = [
    ({"event_typ": "message.received"}, "event_typ", "did you mean 'event_type'?"),
    ({"event_type": "a.b", "conversaton_id": "1"}, "conversaton_id", "did you mean 'conversation_id'?"),
    ({"event_type": "a.b", "text": "hi"}, "text", "did you mean 'input.text'?"),
    ({"event_type": "a.b", "input": {"txt": "hi"}}, "input.txt", "did you mean 'text'?"),
    ({"event_type": "a.b", "actor": {"id": "7"}}, "actor.id", "allowed: actor_type, actor_id"),
    (
        {"event_type": "a.b", "input": {"contents": [{"type": "image", "url": "https://a", "alt": "x"}]}},
        "input.contents[0].alt",
        "allowed: artifact, url, name, mime_type, type",
    ),
]


@pytest.mark.parametrize(("event", "path", "remedy"), UNKNOWN, ids=[path for _, path, _ in UNKNOWN])
@pytest.mark.parametrize("address", ["/v1/events", "/v1/route"])
def test_unknown_keys_are_refused(
    client: httpx.Client, address: str, event: dict[str, Any], path: str, remedy: str
) -> None:
    """A key that no event has is named with what was meant, and nothing is recorded; free data is free."""
    before = client.get("/v1/events?limit=1").json()
    answer = client.post(address, json=event)
    body = problem(answer)

    assert (answer.status_code, body["code"]) == (400, "invalid_event")
    assert body["detail"] == f"{path}: unknown key {path.rpartition('.')[2]!r}"
    assert remedy in body["remedy"]
    assert body["errors"][0]["path"] == path
    assert client.get("/v1/events?limit=1").json() == before
    free = {"event_type": "a.b", "metadata": {"txt": 1}, "input": {"data": {"txt": 1}}}
    assert client.post("/v1/route", json=free).status_code == 200


MALFORMED = [
    ({"event_type": "Message"}, "event_type", "'Message' is not an event type", "two to five parts"),
    ({"event_type": "mesage.received."}, "event_type", "", "(did you mean 'message.received'?)"),
    ({}, "event_type", "this key is missing", "add `event_type: ...`"),
    ({"event_type": "a.b", "bot_id": 12345}, "bot_id", "12345 is a number", 'quote it: "12345"'),
    ({"event_type": "a.b", "event_time": "noon"}, "event_time", "expected a number, got 'noon'", "1.5"),
    ({"event_type": "a.b", "metadata": [1]}, "metadata", "expected a mapping, got a list", ""),
    (
        {"event_type": "a.b", "actor": {"actor_type": "usr"}},
        "actor.actor_type",
        "unknown value 'usr'",
        "(did you mean 'user'?)",
    ),
    (
        {"event_type": "a.b", "input": {"contents": [{"type": "pic"}]}},
        "input.contents[0].type",
        "unknown value 'pic'",
        "allowed: text, image",
    ),
    (
        {"event_type": "a.b", "input": {"contents": [{"text": "x"}]}},
        "input.contents[0].type",
        "this key is missing",
        "add `type: ...`",
    ),
    (
        {"event_type": "a.b", "input": {"contents": [{"type": "image"}]}},
        "input.contents[0]",
        "give exactly one of artifact, url",
        "",
    ),
    (
        {"event_type": "a.b", "conversation_type": "group", "metadata": {"chat_type": "private"}},
        "conversation_type",
        "'group' and metadata.chat_type 'private' differ",
        "state one of them",
    ),
    (
        {"event_type": "a.b", "input": {"text": "x" * 70_000}},
        "input.text",
        "the text has 70000 bytes, over 65536",
        "send more as an attachment",
    ),
    (
        {"event_type": "a.b", "expires_at": "2026-01-01T00:00:00"},
        "expires_at",
        "is not a time with a zone",
        "2026-01-31T08:00:00Z",
    ),
]


@pytest.mark.parametrize(("event", "path", "cause", "remedy"), MALFORMED)
def test_causes_are_in_our_words(
    client: httpx.Client, event: dict[str, Any], path: str, cause: str, remedy: str
) -> None:
    """The cause and the remedy are told as those of documents are, not in the words of a library."""
    body = problem(client.post("/v1/events", json=event))

    assert body["errors"][0]["path"] == path
    assert body["detail"].startswith(f"{path}: ")
    assert cause in body["detail"]
    assert remedy in body.get("remedy", "")
    assert "Input should" not in str(body)


def test_a_secret_is_not_shown_again(client: httpx.Client) -> None:
    """What has the name of a secret is masked where it is refused."""
    body = problem(client.post("/v1/events", json={"event_type": "a.b", "api_key": "hunter2"}))

    assert body["errors"][0]["path"] == "api_key"
    assert "hunter2" not in str(body)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b"{", "line 1, column 1: the text ends too early"),
        (b'{"a": 1,}', "line 1, column 9: there is a comma too many"),
        (b"{'a': 1}", "a key is no text in double quotes"),
        (b'{"a" 1}', "a colon is missing behind a key"),
        (b'{"a": NaN}', "there is something that JSON does not know"),
        (b"{} x", "there is something behind its end"),
        (b'"a\nb"', "a text holds a control character"),
        (b"[" * 1000, "it is nested too deeply"),
        (b'{"a": "\xff"}', "it is not UTF-8"),
    ],
)
def test_bad_json_in_our_words(client: httpx.Client, content: bytes, words: str) -> None:
    """What is no JSON is told with its place and its cause."""
    answer = client.post("/v1/events", content=content, headers={"Content-Type": "application/json"})

    assert problem(answer)["detail"].endswith(words) or words in problem(answer)["detail"]


@pytest.mark.parametrize(
    ("wanted", "path", "cause"),
    [
        ({"name": "a b", "scopes": ["read"]}, "name", "'a b' is not a name"),
        ({"name": "a", "scopes": ["reed"]}, "scopes[0]", "unknown value 'reed'"),
        ({"name": "a", "scopes": ["read"], "nme": 1}, "nme", "unknown key 'nme'"),
        ({"name": "a", "scopes": []}, "scopes", "the list is empty"),
        ({"name": "a", "scopes": ["read"], "expires_after": "soon"}, "expires_after", "is not a duration"),
        ([], "body", "expected a mapping, got a list"),
    ],
)
def test_bodies_of_other_requests(client: httpx.Client, wanted: Any, path: str, cause: str) -> None:
    """The same holds for what is not an event."""
    answer = client.post("/v1/tokens", json=wanted)
    body = problem(answer)

    assert (answer.status_code, body["code"]) == (400, "invalid_body")
    assert body["errors"][0]["path"] == path
    assert cause in body["detail"]
    assert "Input should" not in str(body)


def test_body_that_never_ends(tmp_path: Path) -> None:
    """A body that is not there whole in time is a 408, the connection ends, and the host goes on."""
    server = make_project(tmp_path, host=HOST_DOCUMENT.replace("}", ", body_timeout: 0.3}")).start()
    try:
        url = urlsplit(server.file["url"])
        with socket.create_connection((url.hostname, url.port), timeout=10) as raw:
            raw.sendall(
                f"POST /v1/events HTTP/1.1\r\nHost: {url.netloc}\r\n"
                f"Authorization: {server.headers['Authorization']}\r\n"
                f'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{{"event_type"'.encode()
            )
            answer = b""
            while piece := raw.recv(65536):
                answer += piece
        with server.client() as client:
            after = client.post("/v1/events", json={"event_type": "message.received"})
            logged = client.get("/v1/events").json()["events"]
    finally:
        server.stop()

    assert answer.startswith(b"HTTP/1.1 408")
    assert b"server.body_timeout" in answer
    assert after.status_code == 202
    assert [item["event_uid"] for item in logged] == [after.json()["event_uid"]]


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
