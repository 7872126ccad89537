"""`lba events tail`: the log as it grows."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from .conftest import Run, Server, command


@pytest.fixture
def uids(lba: Run, project: Path) -> list[str]:
    """The uids of three events in the log, in the order of their coming."""
    names = ("message.received", "bot.muted", "group.member_joined")
    return [lba("send", name, "-o", "json").json["event_uid"] for name in names]


def tailed(lba: Run, *words: str) -> list[str]:
    """The uids that are shown."""
    done = lba("events", "tail", "--no-follow", "-o", "json", *words)
    return [json.loads(line)["event_uid"] for line in done.out.splitlines()]


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ((), [0, 1, 2]),
        (("--last", "2"), [1, 2]),
        (("--last", "0"), []),
        (("--type", "group.*"), [2]),
        (("--type", "bot.muted"), [1]),
        (("--unmatched",), [1]),
        (("--filter", "contains(input.text, '退款')"), [0]),
        (("--filter", "actor.actor_type == 'user' && event_type != 'bot.muted'"), [0, 2]),
        (("--workspace", "other"), []),
    ],
)
def test_which(lba: Run, uids: list[str], words: tuple[str, ...], places: list[int]) -> None:
    """Oldest first, only what is wanted; a filter that fails on an event does not take it."""
    assert tailed(lba, *words) == [uids[place] for place in places]


def test_line(lba: Run, uids: list[str]) -> None:
    """A line has the outcome, the winner, the type and the uid; JSON the whole event."""
    lines = lba("events", "tail", "--no-follow").out.splitlines()
    data = json.loads(lba("events", "tail", "--no-follow", "-o", "json").out.splitlines()[0])

    assert [line.split()[2:5] for line in lines] == [
        ["matched", "refunds", "message.received"],
        ["unmatched", "-", "bot.muted"],
        ["matched", "joined", "group.member_joined"],
    ]
    assert (data["schema"], data["winner"]) == ("langbot-agents/events-tail/v1", "refunds")
    assert data["event"]["event_type"] == "message.received"


def test_a_filter_that_cannot_be_read(lba: Run, uids: list[str]) -> None:
    """It is refused with a caret at the fault."""
    done = lba("events", "tail", "--filter", "bot_id = 'x'")

    assert done.code == 2
    assert "--filter:8" in done.err
    assert "^" in done.err


def test_follows_a_running_host(lba: Run, project: Path, server: Server) -> None:
    """Events that come while it follows are shown once they are decided; Ctrl-C ends it well."""
    process = subprocess.Popen(
        command("events", "tail", "-o", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LANGBOT_AGENTS_LANG": "en_US"},
    )
    assert process.stdout is not None
    sent = [lba("send", "group.member_joined", "-o", "json").json["event_uid"] for _ in range(2)]
    seen = [json.loads(process.stdout.readline()) for _ in sent]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)

    assert [item["event_uid"] for item in seen] == sent
    assert [item["winner"] for item in seen] == ["joined", "joined"]
    assert (process.returncode, err) == (0, "")
