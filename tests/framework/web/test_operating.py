"""Operating a host over HTTP: runs, bindings, conversations, runners; and what would be."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import httpx2 as httpx
import pytest

from langbot_agents.framework.store import Database, state
from langbot_agents.framework.store.state import StateKey

from .conftest import BINDINGS, Served, make_project

STREAM = {"Accept": "text/event-stream"}
MESSAGE = {"event_type": "message.received", "conversation_id": "person_1", "input": {"text": "one two"}}


def say(client: httpx.Client, text: str = "one two", **more: Any) -> dict[str, Any]:
    """Send a message and wait for its reply."""
    answer = client.post("/v1/events?wait=20", json={**MESSAGE, "input": {"text": text}, **more})
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


def events_of(lines: Iterator[str]) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    """The events of a stream as they come: id, name, data."""
    number, name = None, ""
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "id":
            number = value
        elif key == "event":
            name = value
        elif key == "data":
            yield number, name, json.loads(value)
            number = None


def pages(client: httpx.Client, address: str, name: str, **params: str) -> list[dict[str, Any]]:
    """All records of a list, page by page."""
    found: list[dict[str, Any]] = []
    place: dict[str, str] = {}
    while True:
        page = client.get(address, params={"limit": "2", **params, **place}).json()
        assert 0 < len(page[name]) <= 2
        found += page[name]
        if page["next_cursor"] is None:
            return found
        place = {"cursor": page["next_cursor"]}


def key_of(name: str) -> str:
    """The address of a conversation of the local source."""
    return quote(json.dumps(["local", name, None], separators=(",", ":")), safe="")


# runs


def test_runs_page_through_the_ledger(client: httpx.Client) -> None:
    """Runs are listed newest first, each once, by binding and state too."""
    wanted = [say(client)["runs"][0]["run_id"] for _ in range(5)]
    found = pages(client, "/v1/runs", "runs", binding_id="chat", status="completed")
    seen = [run["run_id"] for run in found]

    assert seen[:5] == wanted[::-1]
    assert len(set(seen)) == len(seen)
    assert client.get("/v1/runs?binding_id=nobody").json() == {"runs": [], "next_cursor": None}


def test_last_page_says_so(client: httpx.Client) -> None:
    """The last page has no cursor, also where it is just full."""
    total = len(client.get("/v1/runs?limit=500").json()["runs"])
    say(client)

    assert client.get(f"/v1/runs?limit={total + 1}").json()["next_cursor"] is None


@pytest.mark.parametrize("change", ["last", "first", "junk", "other", "longer", "empty"])
def test_altered_cursor_is_refused(client: httpx.Client, change: str) -> None:
    """A cursor that was altered, or is of another question, is a 400 and not another page."""
    say(client)
    say(client)
    cursor = client.get("/v1/runs?limit=1").json()["next_cursor"]
    altered = {
        "last": cursor[:-1] + ("A" if cursor[-1] != "A" else "B"),
        "first": ("A" if cursor[0] != "A" else "B") + cursor[1:],
        "junk": cursor[:5] + "!" + cursor[5:],
        "other": client.get("/v1/events?limit=1").json()["next_cursor"],
        "longer": cursor + "A" * 5000,
        "empty": "",
    }[change]
    answer = client.get("/v1/runs", params={"limit": 1, "cursor": altered})
    of_filter = client.get("/v1/runs", params={"limit": 1, "cursor": cursor, "status": "completed"})
    of_workspace = client.get("/v1/runs", params={"limit": 1, "cursor": cursor, "workspace": "other"})

    assert answer.status_code == of_filter.status_code == of_workspace.status_code == 400
    assert answer.json()["code"] == "invalid_cursor"
    assert client.get("/v1/runs", params={"limit": 1, "cursor": cursor}).status_code == 200


def test_results_are_listed_in_parts(client: httpx.Client) -> None:
    """Results come in order, and behind a place; `next_after` leads on."""
    run_id = say(client)["runs"][0]["run_id"]
    whole = client.get(f"/v1/runs/{run_id}/results").json()
    first = client.get(f"/v1/runs/{run_id}/results?limit=1").json()
    rest = client.get(f"/v1/runs/{run_id}/results?after={first['next_after']}").json()

    assert whole["status"] == "completed"
    assert [item["type"] for item in whole["results"]] == [
        "message.delta",
        "message.completed",
        "run.completed",
    ]
    assert first["results"] + rest["results"] == whole["results"]
    assert rest["next_after"] is None


def test_results_of_a_run_that_lives_stream_to_its_end(client: httpx.Client) -> None:
    """Who follows a run gets what is stored, then what comes, then `done`; the pieces are the whole text."""
    text = "slow and " * 6
    uid = client.post("/v1/events", json={**MESSAGE, "input": {"text": text}}).json()["event_uid"]
    while not (runs := client.get(f"/v1/events/{uid}").json()["runs"]):
        time.sleep(0.02)
    with client.stream("GET", f"/v1/runs/{runs[0]['run_id']}/results", headers=STREAM) as stream:
        began = time.monotonic()
        arrived = [(time.monotonic() - began, *event) for event in events_of(stream.iter_lines())]

    names = [name for _, _, name, _ in arrived]
    pieces = [data["data"]["chunk"]["content"] for _, _, name, data in arrived if name == "message.delta"]
    numbers = [int(number) for _, number, _, _ in arrived if number is not None]
    assert names[-3:] == ["message.completed", "run.completed", "done"]
    assert len(pieces) > 3
    assert "".join(pieces) == text
    assert numbers == sorted(numbers)
    assert arrived[-1][3]["status"] == "completed"
    assert arrived[0][0] < arrived[-1][0] / 2


def test_results_resume_where_a_stream_broke_off(client: httpx.Client) -> None:
    """With `Last-Event-ID` a stream goes on behind that result: nothing is missed, nothing comes twice."""
    text = "slow again " * 6
    uid = client.post("/v1/events", json={**MESSAGE, "input": {"text": text}}).json()["event_uid"]
    while not (runs := client.get(f"/v1/events/{uid}").json()["runs"]):
        time.sleep(0.02)
    address = f"/v1/runs/{runs[0]['run_id']}/results"
    got: list[tuple[str | None, str, dict[str, Any]]] = []
    breaks = 0
    while not got or got[-1][1] != "done":
        last = next((number for number, _, _ in reversed(got) if number is not None), None)
        headers = STREAM if last is None else {**STREAM, "Last-Event-ID": last}
        with client.stream("GET", address, headers=headers) as stream:
            for count, event in enumerate(events_of(stream.iter_lines()), 1):
                got.append(event)
                if count == 2:
                    breaks += 1
                    break

    pieces = [data["data"]["chunk"]["content"] for _, name, data in got if name == "message.delta"]
    numbers = [number for number, _, _ in got if number is not None]
    assert breaks > 2
    assert "".join(pieces) == text
    assert len(set(numbers)) == len(numbers)
    assert client.get(address, headers={**STREAM, "Last-Event-ID": "x"}).status_code == 400


def test_cancel_ends_a_run(client: httpx.Client) -> None:
    """A cancelled run ends `cancelled`, and a second cancel says that it has ended."""
    uid = client.post("/v1/events", json={**MESSAGE, "input": {"text": "slow " * 100}}).json()["event_uid"]
    while not (runs := client.get(f"/v1/events/{uid}").json()["runs"]):
        time.sleep(0.02)
    run_id = runs[0]["run_id"]
    first = client.post(f"/v1/runs/{run_id}/cancel")
    with client.stream("GET", f"/v1/runs/{run_id}/results", headers=STREAM) as stream:
        last = list(events_of(stream.iter_lines()))[-1]
    second = client.post(f"/v1/runs/{run_id}/cancel")

    assert (first.status_code, first.json()["cancelling"]) == (202, True)
    assert last[2]["status"] == "cancelled"
    assert (second.status_code, second.json()["cancelling"]) == (200, False)


# bindings


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


# conversations


def test_conversations_page_by_their_last_change(client: httpx.Client) -> None:
    """The one that changed last comes first; each is listed once."""
    names = [f"person_page{number}" for number in range(5)]
    for name in names:
        say(client, conversation_id=name)
    say(client, conversation_id=names[2])
    found = pages(client, "/v1/conversations", "conversations")
    seen = [item["conversation_id"] for item in found]

    assert seen[:5] == [names[2], names[4], names[3], names[1], names[0]]
    assert len(set(seen)) == len(seen)


def test_transcript_pages_backwards(client: httpx.Client) -> None:
    """A conversation comes with the end of its transcript, and the cursor of what is older."""
    for number in range(3):
        say(client, f"text {number}", conversation_id="person_long")
    key = key_of("person_long")
    newest = client.get(f"/v1/conversations/{key}?limit=4").json()
    older = client.get(
        f"/v1/conversations/{key}", params={"limit": 4, "cursor": newest["next_cursor"]}
    ).json()
    foreign = client.get(f"/v1/conversations/{key_of('person_1')}", params={"cursor": newest["next_cursor"]})

    assert [item["content"] for item in newest["history"]] == ["text 1", "text 1", "text 2", "text 2"]
    assert [item["role"] for item in newest["history"]] == ["user", "assistant"] * 2
    assert [item["content"] for item in older["history"]] == ["text 0", "text 0"]
    assert (newest["turn_count"], newest["has_more"], older["has_more"]) == (3, True, False)
    assert older["next_cursor"] is None
    assert foreign.status_code == 400


@pytest.mark.slow
def test_pause_and_reset_are_on_disk(tmp_path: Path) -> None:
    """A pause survives a restart; a reset clears the window and the `external.` keys of one conversation."""
    server = make_project(tmp_path / "p").start()
    with server.client() as client:
        for name in ("person_a", "person_b"):
            say(client, "before", conversation_id=name)
        client.post("/v1/bindings/calls/pause", json={"reason": "until Monday"})
    server.stop()
    anyio.run(_put_state, server.root)
    server.start()
    with server.client() as client:
        calls = client.get("/v1/bindings/calls").json()
        unmatched = client.post("/v1/events?wait=5", json={"event_type": "api.invoked"}).json()
        reset = client.post(f"/v1/conversations/{key_of('person_a')}/reset")
        after = client.get(f"/v1/conversations/{key_of('person_a')}").json()
        other = client.get(f"/v1/conversations/{key_of('person_b')}").json()
        say(client, "behind", conversation_id="person_a")
        behind = client.get(f"/v1/conversations/{key_of('person_a')}").json()
        client.post("/v1/bindings/calls/resume")
        again = client.post("/v1/events?wait=5", json={"event_type": "api.invoked"}).json()
    server.stop()

    assert (calls["state"], calls["reason"]) == ("paused", "until Monday")
    assert (unmatched["outcome"], again["outcome"]) == ("unmatched", "matched")
    assert reset.json() == {
        "conversation_key": json.dumps(["local", "person_a", None], separators=(",", ":")),
        "reset": True,
    }
    assert (after["turn_count"], len(after["history"])) == (0, 2)
    assert after["reset_seq"] == after["history"][-1]["sequence"]
    assert (other["turn_count"], other["reset_at"]) == (1, None)
    assert behind["turn_count"] == 1
    assert _state_left(server.root) == {
        ("w2", "conversation", "person_a", "external.id"),
        ("default", "actor", "person_a", "external.id"),
        ("default", "conversation", "person_a", "externally"),
        ("default", "conversation", "person_a", "note"),
        ("default", "conversation", "person_b", "external.id"),
    }


def _drawer(workspace: str, namespace: str, scope: str, name: str) -> StateKey:
    scope_id = json.dumps(["local", name, None], separators=(",", ":"))
    return StateKey(
        workspace_id=workspace, namespace=namespace, runner_id="r", scope=scope, scope_id=scope_id
    )


async def _put_state(root: Path) -> None:
    async with Database.open("sqlite:///data/langbot-agents.db", root=root) as db:
        for drawer, key in (
            (_drawer("default", "chat", "conversation", "person_a"), "external.id"),
            (_drawer("default", "gone", "conversation", "person_a"), "external.id"),
            (_drawer("default", "chat", "conversation", "person_a"), "external.more"),
            (_drawer("default", "chat", "conversation", "person_a"), "externally"),
            (_drawer("default", "chat", "conversation", "person_a"), "note"),
            (_drawer("default", "chat", "conversation", "person_b"), "external.id"),
            (_drawer("default", "chat", "actor", "person_a"), "external.id"),
            (_drawer("w2", "chat", "conversation", "person_a"), "external.id"),
        ):
            await db.writer.submit(state.put, drawer, key, "x")


def _state_left(root: Path) -> set[tuple[str, str, str, str]]:
    connection = sqlite3.connect(root / "data/langbot-agents.db")
    rows = connection.execute("SELECT workspace_id, scope, scope_id, key FROM state").fetchall()
    connection.close()
    return {(workspace, scope, json.loads(scope_id)[1], key) for workspace, scope, scope_id, key in rows}


# runners


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
