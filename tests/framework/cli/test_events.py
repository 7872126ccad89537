"""`lba events list|show|sample` and `lba runners list`."""

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from langbot_agents.schemas.catalogue import sample, standard_types

from .conftest import Run


@pytest.fixture
def uids(lba: Run, project: Path) -> list[str]:
    """The uids of three events in the log, in the order of their coming."""
    names = ("message.received", "bot.muted", "friend.request_received")
    return [lba("send", name, "-o", "json").json["event_uid"] for name in names]


def test_list(lba: Run, uids: list[str]) -> None:
    """The newest is first, with its decision's outcome."""
    done = lba("events", "list")
    rows = [line.split() for line in done.out.splitlines()[1:]]

    assert (done.code, done.err) == (0, "")
    assert [row[2] for row in rows] == ["observed", "unmatched", "matched"]
    assert [row[-1] for row in rows] == uids[::-1]


def test_times_are_of_the_root_zone(lba: Run, uids: list[str]) -> None:
    """A moment is told by the clock of the root document's zone, with its distance from UTC."""
    told = lba("events", "list").out.splitlines()[1][:25]
    received = lba("events", "list", "-o", "json").json["events"][0]["received_at"]

    assert told.endswith("+08:00")
    assert abs((datetime.fromisoformat(told) - datetime.fromisoformat(received)).total_seconds()) < 1
    assert "+08:00" in lba("events", "show", uids[0]).out
    assert "+08:00" in lba("runs", "list").out


def test_dropped_results_are_told(lba: Run, uids: list[str], project: Path) -> None:
    """What was odd in the results of a run is shown with the event and with the run."""
    warnings = [
        {"code": "result.invalid_payload", "type": "message.delta", "message": "chunk: missing", "count": 2},
        {
            "code": "result.unknown_type",
            "type": "a.b",
            "message": "unknown type 'a.b' is ignored",
            "count": 1,
        },
    ]
    run = lba("events", "show", uids[0], "-o", "json").json["runs"][0]
    with sqlite3.connect(project / "data" / "langbot-agents.db") as store:
        store.execute("UPDATE run SET warnings = ? WHERE run_id = ?", (json.dumps(warnings), run["run_id"]))
    store.close()
    event = lba("events", "show", uids[0])
    shown = lba("runs", "show", run["run_id"])

    for said in (event.out, shown.out):
        assert f"! 3 results of {run['binding_id']} were dropped or mended:" in said
        assert "message.delta: chunk: missing (2 times)  [result.invalid_payload]" in said
        assert "a.b: unknown type 'a.b' is ignored  [result.unknown_type]" in said


def test_pages(lba: Run, uids: list[str]) -> None:
    """A page says where the next one begins, in both directions."""
    first = lba("events", "list", "--limit", "2", "-o", "json").json
    second = lba("events", "list", "--limit", "2", "--before", first["next_cursor"], "-o", "json").json
    rising = lba("events", "list", "--after", "0", "-o", "json").json

    assert [item["event_uid"] for item in first["events"] + second["events"]] == uids[::-1]
    assert second["next_cursor"] is None
    assert [item["event_uid"] for item in rising["events"]] == uids
    assert "--before 2" in lba("events", "list", "--limit", "2").err


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (["--type", "bot.muted"], [1]),
        (["--outcome", "matched"], [0]),
        (["--outcome", "unmatched"], [1]),
        (["--workspace", "other"], []),
    ],
)
def test_conditions(lba: Run, uids: list[str], words: list[str], places: list[int]) -> None:
    """The list can be narrowed by type, outcome and workspace."""
    found = lba("events", "list", *words, "-o", "json").json["events"]

    assert [item["event_uid"] for item in found] == [uids[place] for place in places]


def test_no_events(lba: Run, uids: list[str]) -> None:
    """An empty list says so."""
    assert lba("events", "list", "--type", "bot.unmuted").out == "no events\n"


def test_no_store(lba: Run, project: Path) -> None:
    """Before the first start there is no log, and it is said what to do; reading does not make one."""
    done = lba("events", "list")

    assert done.code == 1
    assert "there is no such store" in done.err
    assert "start the host once" in done.err
    assert not (project / "data").exists()


def test_show(lba: Run, uids: list[str]) -> None:
    """An event is shown with its decision, its dispatches, its runs and what was delivered."""
    done = lba("events", "show", uids[0])

    assert done.code == 0
    assert f"message.received  {uids[0]}" in done.out
    assert "decision  matched" in done.out
    assert "broken-filter" in done.out
    assert "completed" in done.out
    assert "sent" in done.out
    assert '"我想退款，订单号是 A20260302-118"' in done.out


def test_show_json(lba: Run, uids: list[str]) -> None:
    """As JSON it has the whole records."""
    answer = lba("events", "show", uids[0], "-o", "json").json

    assert answer["schema"] == "langbot-agents/events-show/v1"
    assert answer["event"]["event_uid"] == uids[0]
    assert {item["code"] for item in answer["decision"]["entries"]} >= {
        "selected",
        "observer",
        "filter_error",
    }
    assert answer["runs"][0]["host_version"]
    assert answer["deliveries"][0]["surface"] == "terminal"


def test_show_by_id(lba: Run, project: Path) -> None:
    """A source's own id names an event where it names one only; else it is said which there are."""
    event = sample("message.received") | {"event_id": "order-1"}
    (project / "event.json").write_text(json.dumps(event))
    first = lba("send", "event.json", "-o", "json").json["event_uid"]

    assert lba("events", "show", "order-1", "-o", "json").json["event"]["event_uid"] == first

    (project / "event.json").write_text(json.dumps(event | {"bot_id": "other"}))
    second = lba("send", "event.json", "-o", "json").json["event_uid"]
    done = lba("events", "show", "order-1")

    assert done.code == 2
    assert "is that of 2 events" in done.err
    assert first in done.err
    assert second in done.err


def test_show_unknown(lba: Run, uids: list[str]) -> None:
    """An event that is not there is exit 1."""
    done = lba("events", "show", "evt_0")

    assert (done.code, done.out) == (1, "")
    assert "there is no event 'evt_0' in the log" in done.err


def test_show_undecided_veto_and_errors(lba: Run, uids: list[str]) -> None:
    """An unmatched event shows its decision and nothing else."""
    done = lba("events", "show", uids[1])

    assert "decision  unmatched" in done.out
    assert "runs" not in done.out


@pytest.mark.parametrize("name", [each.name for each in standard_types()])
def test_sample(lba: Run, name: str) -> None:
    """Every type has a sample, as JSON or YAML, that is an event as it is."""
    if "<" in name:
        name = "platform.telegram.pinned"
    as_json = lba("events", "sample", name)
    as_yaml = lba("events", "sample", name, "-o", "yaml")

    assert (as_json.code, as_yaml.code) == (0, 0)
    assert as_json.json == yaml.safe_load(as_yaml.out) == sample(name)


def test_catalogue(lba: Run) -> None:
    """Without TYPE it lists every type with its title."""
    done = lba("events", "sample")
    as_json = lba("events", "sample", "-o", "json").json

    assert [line.split()[0] for line in done.out.splitlines()] == [each.name for each in standard_types()]
    assert as_json["schema"] == "langbot-agents/events-sample/v1"
    assert yaml.safe_load(lba("events", "sample", "-o", "yaml").out)["event_types"] == as_json["event_types"]


def test_catalogue_in_chinese(process: Run) -> None:
    """The titles are Chinese for a Chinese reader."""
    assert "收到消息" in process("events", "sample", lang="zh_Hans").out


def test_runners(lba: Run, project: Path) -> None:
    """Each runner is listed with its aliases, package and state."""
    done = lba("runners", "list")
    answer = lba("runners", "list", "-o", "json").json

    assert done.code == 0
    assert "plugin:langbot-agents/echo/default" in done.out
    assert "echo, builtin:echo" in done.out
    assert answer["schema"] == "langbot-agents/runners-list/v1"
    assert all(item["state"] == "ready" for item in answer["runners"])
    assert {"echo", "builtin:echo"} <= set(answer["runners"][1]["aliases"] + answer["runners"][0]["aliases"])


def test_runners_in_chinese(process: Run, project: Path) -> None:
    """Their descriptions are Chinese for a Chinese reader."""
    assert "逐词" in process("runners", "list", lang="zh_Hans").out
