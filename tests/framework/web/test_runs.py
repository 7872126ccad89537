"""Runs over HTTP: the ledger in pages, results as a list and as a stream, their end."""

import time
from typing import Any

import httpx2 as httpx
import pytest

from .conftest import MESSAGE, STREAM, events_of, pages, say


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
