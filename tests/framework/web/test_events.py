"""An event over HTTP: acknowledged once it is on disk, its reply streamed, waited for, or read later."""

import json
import threading
from pathlib import Path

import httpx2 as httpx
import pytest

from langbot_agents.schemas import standard_types

from .conftest import Served, make_project, sse

MESSAGE = {
    "event_type": "message.received",
    "conversation_id": "person_1",
    "input": {"text": "hello big world"},
}
STREAM = {"Accept": "text/event-stream"}


def test_acknowledged_event_is_on_record(client: httpx.Client) -> None:
    """202 comes with the event_uid, and the event can be read back under it."""
    answer = client.post("/v1/events", json=MESSAGE)

    assert answer.status_code == 202
    uid = answer.json()["event_uid"]
    assert answer.headers["location"] == f"/v1/events/{uid}"
    assert client.get(f"/v1/events/{uid}").json()["event"]["input"]["text"] == "hello big world"


def test_reply_streams_with_exactly_one_close(client: httpx.Client) -> None:
    """The reply comes piece by piece, and is closed once with its whole text."""
    answer = client.post("/v1/events", json={**MESSAGE, "input": {"text": "a slow answer"}}, headers=STREAM)

    names = [name for name, _ in sse(answer)]
    assert names[:2] == ["accepted", "message.open"]
    assert names[-2:] == ["message.close", "done"]
    assert names.count("message.close") == 1
    pieces = [data["text"] for name, data in sse(answer) if name == "message.delta"]
    assert len(pieces) > 1
    assert "".join(pieces) == "a slow answer"


def test_wait_gives_the_reply(client: httpx.Client) -> None:
    """`?wait=` answers with what was delivered."""
    answer = client.post("/v1/events?wait=10", json=MESSAGE).json()

    assert answer["ended"] is True
    assert answer["outcome"] == "matched"
    assert [item["content"] for item in answer["deliveries"]] == ["hello big world"]


def test_wait_that_runs_out_says_so(client: httpx.Client) -> None:
    """A wait shorter than the run gives 202 and `ended: false`; the run goes on."""
    answer = client.post("/v1/events?wait=0.05", json={**MESSAGE, "input": {"text": "slow slow slow"}})

    assert answer.status_code == 202
    assert answer.json()["ended"] is False


def test_repeat_is_answered_with_the_first(client: httpx.Client) -> None:
    """A repeat of an event_id has the first one's event_uid and its reply, and does not run again."""
    event = {**MESSAGE, "event_id": "repeat:1"}
    first = sse(client.post("/v1/events", json=event, headers=STREAM))
    second = sse(client.post("/v1/events", json=event, headers=STREAM))

    assert second[0][1] == {**first[0][1], "duplicate": True}
    assert [name for name, _ in second] == ["accepted", "message.close", "done"]
    assert second[-1][1] == first[-1][1]
    assert len(second[-1][1]["runs"]) == 1


def test_storm_of_repeats_runs_once(client: httpx.Client, served: Served) -> None:
    """Of 20 repeats at once, one runs, and all are answered with one uid."""
    uids: list[str] = []

    def post() -> None:
        with served.client() as own:
            uids.append(own.post("/v1/events", json={**MESSAGE, "event_id": "storm:1"}).json()["event_uid"])

    threads = [threading.Thread(target=post) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(uids) == 20
    assert len(set(uids)) == 1
    done = client.post("/v1/events?wait=10", json={**MESSAGE, "event_id": "storm:1"}).json()
    assert len(done["runs"]) == 1


def test_idempotency_key_is_an_event_id(client: httpx.Client) -> None:
    """`Idempotency-Key` deduplicates an event that has no event_id of its own."""
    answers = [
        client.post("/v1/events", json=MESSAGE, headers={"Idempotency-Key": "key/1"}).json() for _ in "12"
    ]

    assert [answer["duplicate"] for answer in answers] == [False, True]
    conflicting = {**MESSAGE, "event_id": "other"}
    refused = client.post("/v1/events", json=conflicting, headers={"Idempotency-Key": "key/1"})
    assert refused.status_code == 400


PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


@pytest.mark.parametrize("how", ["", "?wait=5", "stream"])
def test_idempotency_key_of_another_event(client: httpx.Client, how: str) -> None:
    """A key that comes again with another event is a 409 that names the first; with the same one a repeat."""
    attachments = [{"type": "image", "url": PICTURE}]
    first = {**MESSAGE, "input": {"text": "a", "attachments": attachments}}
    other = {**MESSAGE, "input": {"text": "b", "attachments": attachments}}
    headers = {"Idempotency-Key": f"key/of{how}"}
    address = "/v1/events" + (how if how.startswith("?") else "")
    taken = client.post("/v1/events", json=first, headers=headers).json()
    if how == "stream":
        headers |= STREAM
    same = client.post(address, json=first, headers=headers)
    refused = client.post(address, json=other, headers=headers)
    by_id = client.post("/v1/events", json={**other, "event_id": f"key/of{how}"})

    assert same.status_code in (200, 202)
    assert '"duplicate":true' in same.text.replace(" ", "")
    assert (refused.status_code, refused.json()["code"]) == (409, "key_reused")
    assert taken["event_uid"] in refused.json()["detail"]
    assert by_id.json() == {**taken, "duplicate": True}


def test_event_without_id_says_that_it_is_not_deduplicated(client: httpx.Client) -> None:
    """The answer says whether a repeat would be noticed."""
    assert client.post("/v1/events", json=MESSAGE).json()["deduplicated"] is False


def test_unmatched_event_ends_at_once(client: httpx.Client) -> None:
    """Nobody takes the event: the stream says so and ends."""
    events = sse(client.post("/v1/events", json={"event_type": "friend.added"}, headers=STREAM))

    assert [name for name, _ in events] == ["accepted", "done"]
    assert events[-1][1]["outcome"] == "unmatched"


def test_discard_is_a_named_outcome(client: httpx.Client) -> None:
    """`discard` starts no run, and the dispatch says `discarded`."""
    done = client.post("/v1/events?wait=5", json={"event_type": "bot.muted"}).json()

    assert [item["outcome"] for item in done["dispatches"]] == ["discarded"]
    assert done["runs"] == []


def test_decision_and_run_can_be_read(client: httpx.Client) -> None:
    """The stored decision and the run of an event have addresses of their own."""
    done = client.post("/v1/events?wait=10", json=MESSAGE).json()

    decision = client.get(f"/v1/events/{done['event_uid']}/decision").json()
    assert decision["winner"] == "chat"
    run = client.get(f"/v1/runs/{done['runs'][0]['run_id']}").json()
    assert run["status"] == "completed"
    assert client.post(f"/v1/runs/{run['run_id']}/cancel").json()["cancelling"] is False


def test_cancel_ends_a_run_with_one_close(client: httpx.Client, served: Served) -> None:
    """A cancelled run ends `cancelled`, and what was shown is closed once with the text so far."""
    frames: list[tuple[str, dict[str, object]]] = []
    with client.stream(
        "POST", "/v1/events", json={**MESSAGE, "input": {"text": "slow " * 100}}, headers=STREAM
    ) as stream:
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                frames.append((name, json.loads(line.removeprefix("data: "))))
                if name == "message.delta" and len(frames) == 3:
                    with served.client() as other:
                        assert other.post(f"/v1/runs/{frames[-1][1]['run_id']}/cancel").status_code == 202

    assert [kind for kind, _ in frames].count("message.close") == 1
    assert frames[-1][1]["runs"][0]["status"] == "cancelled"  # type: ignore[index]


@pytest.mark.parametrize("contract", standard_types(), ids=lambda contract: contract.name)
def test_every_catalogue_sample_is_taken(client: httpx.Client, contract: object) -> None:
    """Each sample of the catalogue is accepted over HTTP and decided."""
    from langbot_agents.schemas import EventTypeContract, sample

    assert isinstance(contract, EventTypeContract)
    answer = client.post("/v1/events?wait=10", json=sample(contract.name))

    assert answer.status_code == 200
    assert answer.json()["outcome"] in {"matched", "unmatched"}


def test_list_pages_through_the_log(client: httpx.Client) -> None:
    """The log is listed newest first, in pages that follow each other."""
    for number in range(3):
        client.post("/v1/events", json={**MESSAGE, "event_id": f"page:{number}"})
    first = client.get("/v1/events?limit=2&event_type=message.received").json()
    second = client.get(
        f"/v1/events?limit=2&event_type=message.received&cursor={first['next_cursor']}"
    ).json()

    assert [item["event_id"] for item in first["events"]] == ["page:2", "page:1"]
    assert second["events"][0]["event_id"] == "page:0"


def test_list_goes_on_as_the_log_grows(client: httpx.Client) -> None:
    """Oldest first, the cursor of the last page finds what came since."""
    params = {"limit": "500", "order": "oldest"}
    cursor = client.get("/v1/events", params=params).json()["next_cursor"]
    again = client.get("/v1/events", params={**params, "cursor": cursor}).json()
    client.post("/v1/events", json={**MESSAGE, "event_id": "grown"})
    grown = client.get("/v1/events", params={**params, "cursor": again["next_cursor"]}).json()

    assert again == {"events": [], "next_cursor": cursor}
    assert [item["event_id"] for item in grown["events"]] == ["grown"]


def test_event_id_names_an_event_where_it_names_one(client: httpx.Client) -> None:
    """An event can be read by its event_id too, also one with slashes."""
    uid = client.post("/v1/events", json={**MESSAGE, "event_id": "a/b/c"}).json()["event_uid"]

    assert client.get("/v1/events/a/b/c").json()["event"]["event_uid"] == uid


@pytest.mark.slow
def test_kill_between_acknowledgement_and_reply(tmp_path: Path) -> None:
    """After a `kill -9` behind the acknowledgement, a restart finds the event and ends it with one reply."""
    server = make_project(tmp_path / "p").start()
    with server.client() as client:
        uids = [
            client.post(
                "/v1/events", json={**MESSAGE, "event_id": f"k:{n}", "input": {"text": f"slow {n}"}}
            ).json()["event_uid"]
            for n in range(3)
        ]
    server.kill()
    server.start()
    with server.client() as client:
        ended = [
            client.post("/v1/events?wait=20", json={**MESSAGE, "event_id": f"k:{n}"}).json() for n in range(3)
        ]
    code = server.stop()

    assert [item["event_uid"] for item in ended] == uids
    assert [item["duplicate"] for item in ended] == [True] * 3
    assert [item["runs"][0]["status"] for item in ended] == ["completed"] * 3
    assert [[d["content"] for d in item["deliveries"]] for item in ended] == [
        ["slow 0"],
        ["slow 1"],
        ["slow 2"],
    ]
    assert code == 0
    assert not (tmp_path / "p/data/host.json").exists()


@pytest.mark.slow
def test_kill_while_the_reply_is_shown(tmp_path: Path) -> None:
    """A run whose reply was shown at a `kill -9` is not run again: it ends interrupted, and is listed."""
    server = make_project(tmp_path / "p").start()
    with (
        server.client() as client,
        client.stream(
            "POST",
            "/v1/events",
            json={**MESSAGE, "event_id": "shown", "input": {"text": "slow " * 50}},
            headers=STREAM,
        ) as stream,
    ):
        for line in stream.iter_lines():
            if line == "event: message.delta":
                break
        server.kill()
    server.start()
    with server.client() as client:
        done = client.post("/v1/events?wait=20", json={**MESSAGE, "event_id": "shown"}).json()
    server.stop()

    assert [run["status"] for run in done["runs"]] == ["interrupted"]
    assert {item["message_id"]: item["status"] for item in done["deliveries"]} == {
        "main": "unknown",
        "host.error": "sent",
    }
