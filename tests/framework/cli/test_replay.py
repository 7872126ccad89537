"""`lba events replay`: dry unless it is told to deliver."""

import json
from pathlib import Path

import pytest

from langbot_agents.framework.cli.replaying import anew
from langbot_agents.framework.documents import check_keys
from langbot_agents.schemas.catalogue import sample
from langbot_agents.schemas.events import AgentEventEnvelope

from .conftest import BINDINGS, Run


def sent(lba: Run, *words: str) -> str:
    """The uid of an event that was sent."""
    uid: str = lba("send", *words, "-o", "json").json["event_uid"]
    return uid


def count(lba: Run) -> int:
    """How many events are in the log."""
    return len(lba("events", "list", "-o", "json").json["events"])


def test_dry(lba: Run, project: Path) -> None:
    """An event is decided again; nothing is written, run or sent."""
    uid = sent(lba, "message.received")
    same = lba("events", "replay", uid, "-o", "json")
    (project / "bindings" / "all.yaml").write_text(BINDINGS.replace("priority: 10", "priority: -1"))
    other = lba("events", "replay", uid, "-o", "json")

    assert (same.code, same.json["differs"], same.json["moves"]) == (0, False, [])
    assert (other.code, other.json["differs"]) == (3, True)
    assert (other.json["then"]["winner"], other.json["now"]["winner"]) == ("refunds", "everybody")
    assert other.json["moves"][0]["cause"]["code"] == "priority"
    assert count(lba) == 1


def test_span(lba: Run, project: Path) -> None:
    """Of a span only what differs is shown to people, everything to programs."""
    for name in ("message.received", "bot.muted", "group.member_joined"):
        sent(lba, name)
    (project / "bindings" / "all.yaml").write_text(BINDINGS.replace("[group.member_joined]", "[bot.muted]"))
    text = lba("events", "replay", "--since", "1h")
    rows = [
        json.loads(line) for line in lba("events", "replay", "--since", "1h", "-o", "json").out.splitlines()
    ]

    assert text.code == 3
    assert "nobody → joined" in text.out
    assert "joined → nobody" in text.out
    assert "message.received" not in text.out
    assert "2 of 3 events" in text.err
    assert [row["differs"] for row in rows] == [False, True, True]


def test_with(lba: Run, project: Path, tmp_path: Path) -> None:
    """Other bindings in place of those of now."""
    uid = sent(lba, "message.received")
    (tmp_path / "other.yaml").write_text(BINDINGS.split("---")[0])

    assert "refunds → everybody" in lba("events", "replay", uid, "--with", str(tmp_path / "other.yaml")).out


def test_deliver(lba: Run, project: Path, via: str) -> None:
    """It is a new event whose cause names the first, one link deeper each time."""
    uid = sent(lba, "message.received")
    again = lba("events", "replay", uid, "--deliver", "-o", "json").json
    third = lba("events", "replay", again["event_uid"], "--deliver", "-o", "json").json
    events = [lba("events", "show", item["event_uid"], "-o", "json").json["event"] for item in (again, third)]

    assert (again["winner"], again["replays"], again["duplicate"]) == ("refunds", uid, False)
    assert again["messages"]
    assert [event["cause"]["event_uid"] for event in events] == [uid, again["event_uid"]]
    assert [event["cause"]["depth"] for event in events] == [1, 2]


def test_what_an_adapter_said_beyond_the_envelope() -> None:
    """A new event is posted, where an unknown key is refused: what only an adapter knew is left out."""
    logged = AgentEventEnvelope.model_validate(
        {
            **sample("message.received"),
            "event_uid": "evt_1",
            "source": {"kind": "platform_adapter", "name": "telegram", "shard": 7},
            "delivery": {"surface": "telegram"},
            "gift": {"a": 1},
        }
    )
    data = anew(logged)

    check_keys(data)
    assert "gift" not in data
    assert data["source"] == {"kind": "platform_adapter", "name": "telegram"}
    assert data["input"]["text"] == logged.input.text


def test_many_need_a_word(lba: Run, project: Path) -> None:
    """More than one is sent only where that was said."""
    for _ in range(2):
        sent(lba, "group.member_joined")
    refused = lba("events", "replay", "--since", "1h", "--deliver")
    done = lba("events", "replay", "--since", "1h", "--deliver", "--yes")

    assert (refused.code, "2 events would be sent again" in refused.err) == (2, True)
    assert done.code == 0
    assert count(lba) == 4


@pytest.mark.parametrize(
    "words",
    [(), ("e", "--since", "1h"), ("e", "--deliver", "--with", "x"), ("--since", "soon")],
)
def test_wrong_words(lba: Run, project: Path, words: tuple[str, ...]) -> None:
    """Words that make no sense together are refused."""
    assert lba("events", "replay", *words).code == 2
