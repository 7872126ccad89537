"""How long a token counts, and how tokens are made and kept, over a real server."""

import threading
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from .conftest import HOST_DOCUMENT, Served, make_project

MESSAGE = {"event_type": "message.received", "input": {"text": "hello"}}
SLOW = {"event_type": "message.received", "input": {"text": "slow word " * 100}}
STREAM = {"Accept": "text/event-stream"}


def test_token_ends_at_its_end_date(served: Served) -> None:
    """Until then it works; from then on it is as good as none."""
    with served.outsider(served.token("short", "read", expires_after=1.5)) as client:
        before = client.get("/v1/runs").status_code
        deadline = time.monotonic() + 10
        while client.get("/v1/runs").status_code == 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        after = client.get("/v1/runs")

    assert before == 200
    assert after.status_code == 401
    assert after.json()["code"] == "unauthorized"


@pytest.mark.parametrize("way", ["deliveries", "results", "wait"])
def test_revoked_token_stops_at_once(served: Served, client: httpx.Client, way: str) -> None:
    """Also a stream or a wait that is under way ends in the moment in which its token does."""
    name = f"revoked-{way}"
    token = served.token(name, "ingest", "read")
    got: dict[str, Any] = {}
    begun = threading.Event()

    def work() -> None:
        with served.outsider(token) as own:
            if way == "wait":
                begun.set()
                got["answer"] = own.post("/v1/events?wait=60", json=SLOW)
                return
            method, path, body = "POST", "/v1/events", SLOW
            if way == "results":
                uid = own.post("/v1/events", json=SLOW).json()["event_uid"]
                while not (runs := own.get(f"/v1/events/{uid}").json()["runs"]):
                    time.sleep(0.05)
                method, path, body = "GET", f"/v1/runs/{runs[0]['run_id']}/results", {}
            with own.stream(method, path, json=body or None, headers=STREAM) as stream:
                lines = []
                for line in stream.iter_lines():
                    lines.append(line)
                    if len(lines) > 8:
                        begun.set()
                got["lines"] = lines

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(15)
    time.sleep(0.3)
    revoked = time.monotonic()
    assert client.delete(f"/v1/tokens/{name}").status_code == 204
    thread.join(10)
    took = time.monotonic() - revoked
    for run in client.get("/v1/runs?status=running").json()["runs"]:
        client.post(f"/v1/runs/{run['run_id']}/cancel")

    assert not thread.is_alive()
    assert took < 5
    if way == "wait":
        assert got["answer"].status_code == 401
    else:
        assert "event: problem" in got["lines"]
        assert "event: done" not in got["lines"]


def test_storm_of_bad_tokens(served: Served) -> None:
    """Thousands of wrong tokens are each refused, and who has a right one is served all the while."""
    good = served.token("steady", "read")
    statuses: set[int] = set()
    served_all_the_while: list[int] = []
    stop = threading.Event()

    def storm(number: int) -> None:
        with served.client(authorised=False) as client:
            for index in range(250):
                token = f"lba_{number:04}{index:039}"
                statuses.add(client.get("/v1/runs", headers={"Authorization": f"Bearer {token}"}).status_code)

    def steady() -> None:
        with served.outsider(good) as client:
            while not stop.is_set():
                served_all_the_while.append(client.get("/v1/runs?limit=1").status_code)

    threads = [threading.Thread(target=storm, args=(number,)) for number in range(8)]
    watch = threading.Thread(target=steady)
    for thread in (*threads, watch):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    watch.join()

    assert statuses == {401}
    assert len(served_all_the_while) > 5
    assert set(served_all_the_while) == {200}


def test_tokens_are_listed_without_their_secret(served: Served, client: httpx.Client) -> None:
    """A token is in the answer that makes it, and nowhere else; the answer is not to be kept."""
    made = client.post(
        "/v1/tokens",
        json={"name": "shown/once", "scopes": ["ingest"], "workspace_id": "shop", "expires_after": "90d"},
    )
    token = made.json()["token"]
    every = client.get("/v1/tokens")
    of_shop = {item["workspace_id"] for item in client.get("/v1/tokens?workspace=shop").json()["tokens"]}
    again = client.post("/v1/tokens", json={"name": "shown/once", "scopes": ["read"], "workspace_id": "shop"})
    gone = client.delete("/v1/tokens/shown/once?workspace=shop")

    assert made.headers["cache-control"] == "no-store"
    assert token not in every.text
    assert "hash" not in every.text
    assert of_shop == {"shop"}
    assert again.status_code == 409
    assert gone.status_code == 204
    assert client.delete("/v1/tokens/shown/once?workspace=shop").status_code == 404


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({"scopes": ["read"]}, 400),
        ({"name": "a b", "scopes": ["read"]}, 400),
        ({"name": "a", "scopes": []}, 400),
        ({"name": "a", "scopes": ["everything"]}, 400),
        ({"name": "a", "scopes": ["read"], "expires_after": 0}, 400),
        ({"name": "a", "scopes": ["read"], "workspaces": ["x"]}, 400),
        ({"name": "local", "scopes": ["read"]}, 409),
        ([], 400),
    ],
)
def test_wrong_token_wishes_are_refused(client: httpx.Client, wanted: Any, status: int) -> None:
    """A wish that is not one is refused with its field; the operator's own name is taken."""
    assert client.post("/v1/tokens", json=wanted).status_code == status


@pytest.mark.slow
def test_tokens_outlive_a_restart_and_are_not_logged(tmp_path: Path) -> None:
    """A token and its end survive a restart; neither token stands in any log, also not when it is refused."""
    host = HOST_DOCUMENT + "telemetry: {log_level: debug}\n"
    server = make_project(tmp_path / "p", host=host)
    server.keep_output = True
    server.start()
    kept, ended = server.token("kept", "read"), server.token("ended", "read")
    local = server.file["token"]
    with server.client() as client:
        client.delete("/v1/tokens/ended")
    with server.outsider(ended) as client:
        assert client.get("/v1/runs").status_code == 401
    server.stop()
    server.start()
    with server.outsider(kept) as client:
        assert client.get("/v1/runs").status_code == 200
        assert client.post("/v1/events", json=MESSAGE).status_code == 403
    with server.outsider(ended) as client:
        assert client.get("/v1/runs").status_code == 401
    with server.outsider(local) as client:
        assert client.get("/v1/runs").status_code == 401
    server.stop()
    logged = [text for text in server.output if kept in text or ended in text]

    assert logged == []


@pytest.mark.slow
def test_listening_beyond_loopback_wants_a_token(tmp_path: Path) -> None:
    """On another address than loopback it listens only once there is a token; the Host header is checked."""
    root = tmp_path / "p"
    server = make_project(root).start()
    token = server.token("from-outside", "read")
    server.stop()
    (root / "langbot-agents.yaml").write_text(
        HOST_DOCUMENT.replace("{port: 0}", "{port: 0, host: 0.0.0.0, allowed_hosts: [agents.example]}")
    )
    server.start()
    with server.outsider(token) as client:
        by_name = client.get("/v1/runs", headers={"Host": "agents.example"}).status_code
        by_other = client.get("/v1/runs", headers={"Host": "evil.example"}).status_code
    with server.client() as client:
        local = client.get("/v1/tokens").status_code
        client.delete("/v1/tokens/from-outside")
    server.stop()
    done = server.refused()

    assert (by_name, by_other, local) == (200, 421, 200)
    assert "is not on this machine's loopback, and there is no token yet" in done
