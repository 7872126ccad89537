"""Bindings and runners over HTTP: their state, taking one out, and what would be."""

import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx

from .conftest import BINDINGS, MESSAGE, Served, make_project, say


def test_bindings_are_listed_with_their_state(client: httpx.Client) -> None:
    """Each binding has its state, revision, place, runner, types and priority."""
    listed = {item["binding_id"]: item for item in client.get("/v1/bindings").json()["bindings"]}
    slow = client.get("/v1/bindings/slow").json()

    assert set(listed) == {"chat", "slow", "calls", "quiet"}
    assert {item["state"] for item in listed.values()} == {"live"}
    assert listed["slow"]["priority"] == 1
    assert listed["slow"]["runner_id"] == "plugin:langbot-agents/echo/default"
    assert listed["slow"]["origin"].startswith("bindings/all.yaml:")
    assert slow["document"]["runner_config"] == {"delay": 0.3}
    assert {**slow, "document": None} == {**listed["slow"], "document": None}


def test_paused_binding_takes_no_part(client: httpx.Client) -> None:
    """From the next event on a paused binding is passed over, with its reason; resumed, it answers again."""
    digest = client.get("/v1/bindings").json()["digest"]
    paused = client.post("/v1/bindings/chat/pause", json={"reason": "the shop moves"})
    again = client.post("/v1/bindings/chat/pause").json()
    while_paused = say(client)
    explained = client.post("/v1/route", json=MESSAGE).json()
    others = client.get("/v1/bindings").json()
    resumed = client.post("/v1/bindings/chat/resume").json()
    twice = client.post("/v1/bindings/chat/resume").json()

    assert paused.json()["state"] == "paused"
    assert paused.json()["reason"] == "the shop moves"
    assert (paused.json()["changed"], again["changed"]) == (True, False)
    assert while_paused["outcome"] == "unmatched"
    reason = next(item for item in explained["bindings"] if item["binding_id"] == "chat")
    assert (reason["code"], reason["reason"]) == ("disabled", "paused: the shop moves")
    assert explained["set_digest"] == others["digest"] != digest
    assert {item["state"] for item in others["bindings"]} == {"live", "paused"}
    assert (resumed["state"], resumed["changed"], twice["changed"]) == ("live", True, False)
    assert client.get("/v1/bindings").json()["digest"] == digest
    assert say(client)["deliveries"][0]["content"] == "one two"


def test_a_run_goes_on_when_its_binding_is_paused(client: httpx.Client) -> None:
    """A pause stops nothing that has begun."""
    answers: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answers.append(say(client, "slow but whole")))
    thread.start()
    time.sleep(0.3)
    client.post("/v1/bindings/slow/pause")
    thread.join(20)
    client.post("/v1/bindings/slow/resume")

    assert answers[0]["deliveries"][0]["content"] == "slow but whole"


def test_unknown_binding_is_not_paused(client: httpx.Client) -> None:
    """Nothing is paused that is not there; a body that is not one is refused."""
    assert client.post("/v1/bindings/nobody/pause").status_code == 404
    assert client.post("/v1/bindings/chat/pause", json={"why": "x"}).status_code == 400
    assert client.get("/v1/bindings/chat").json()["state"] == "live"


def test_validate_uses_the_hosts_loader(client: httpx.Client) -> None:
    """Documents are checked without being kept; each finding has its place."""
    good = BINDINGS.lstrip().encode()
    bad = good.replace(b"runner_id: discard", b"runner_id: discrad").replace(b"priority: 1", b"priorty: 1")
    headers = {"Content-Type": "application/yaml"}
    fine = client.post("/v1/bindings/validate", content=good, headers=headers).json()
    wrong = client.post("/v1/bindings/validate", content=bad, headers=headers).json()
    host = client.post(
        "/v1/bindings/validate", content=b"apiVersion: langbot-agents/v1\nkind: Host\n", headers=headers
    ).json()

    assert (fine["ok"], fine["documents"], fine["findings"]) == (True, 4, [])
    assert (wrong["ok"], wrong["errors"]) == (False, 2)
    assert [(item["code"], item["line"], item["path"]) for item in wrong["findings"]] == [
        ("LBA140", 12, "priorty"),
        ("LBA301", 26, "runner_id"),
    ]
    assert [item["state"] for item in wrong["bindings"]] == ["live", "quarantined", "live", "quarantined"]
    assert host["findings"][0]["code"] == "LBA123"
    assert client.post("/v1/bindings/validate", content=b"", headers=headers).status_code == 400
    assert client.post("/v1/bindings/validate", json={}).status_code == 415


def test_route_explains_and_does_nothing(client: httpx.Client) -> None:
    """An event that is only asked about has a reason for every binding, and is in no log."""
    before = client.get("/v1/events?limit=1").json()
    explained = client.post("/v1/route?at=1700000000", json={**MESSAGE, "input": {"text": "slow"}}).json()
    codes = {item["binding_id"]: item["code"] for item in explained["bindings"]}
    refused = client.post("/v1/route", json={"event_type": "Nonsense"})

    assert explained["winner"] == "slow"
    assert explained["at"] == "2023-11-14T22:13:20.000000Z"
    assert codes == {"chat": "outranked", "slow": "selected", "calls": "event_type", "quiet": "event_type"}
    assert explained["chosen"][0]["binding_id"] == "slow"
    assert refused.status_code == 400
    assert client.post("/v1/route?at=nan", json=MESSAGE).status_code == 400
    assert client.get("/v1/events?limit=1").json() == before


def test_runners_by_id_and_alias(client: httpx.Client) -> None:
    """A runner is found by its id and by each of its names."""
    listed = {item["id"] for item in client.get("/v1/runners").json()["runners"]}
    by_id = client.get(f"/v1/runners/{quote('plugin:langbot-agents/echo/default', safe='')}").json()
    unknown = client.get("/v1/runners/ecoh")

    assert "plugin:langbot-agents/echo/default" in listed
    assert by_id == client.get("/v1/runners/echo").json()
    assert by_id["state"] == "ready"
    assert unknown.status_code == 404
    assert "echo" in unknown.json()["remedy"]


def test_secrets_of_a_binding_are_masked(tmp_path: Path) -> None:
    """A binding's document is shown with references, and with literal secrets masked."""
    text = BINDINGS.replace("runner_config: {delay: 0.3}", "labels: {api_key: sk-literal-secret}")
    server: Served = make_project(tmp_path / "p", text).start()
    with server.client() as client:
        shown = client.get("/v1/bindings/slow")
    server.stop()

    assert shown.json()["document"]["labels"] == {"api_key": "***"}
    assert "sk-literal" not in shown.text
