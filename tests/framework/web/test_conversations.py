"""Conversations over HTTP: in pages, with their transcript, and begun anew."""

import json
import sqlite3
from pathlib import Path

import anyio
import httpx2 as httpx
import pytest

from langbot_agents.framework.store import Database, state
from langbot_agents.framework.store.state import StateKey

from .conftest import key_of, make_project, pages, say


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
