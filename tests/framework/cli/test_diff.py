"""`lba diff`: only what moves, because of which change."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from langbot_agents.framework.cli import logged

from .conftest import BINDINGS, Run

NARROWED = BINDINGS.replace("contains(input.text || '', '退款')", "contains(input.text || '', 'money')")


@pytest.fixture
def changed(project: Path) -> Path:
    """A copy of the project in which the filter of `refunds` takes other words."""
    folder = project.parent / "changed"
    shutil.copytree(project, folder)
    (folder / "bindings" / "all.yaml").write_text(NARROWED)
    return folder


def git(project: Path, *words: str) -> None:
    """A command of git in the project."""
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)


def test_moves(lba: Run, project: Path, changed: Path, day: str) -> None:
    """What moves is grouped by the filter's leg that did it, with its place in both files."""
    for _ in range(2):
        lba("send", "message.received")
    lba("send", "message.received", "--set", "input.text=hello")
    lba("send", "group.member_joined")
    done = lba("diff", ".", str(changed), "--events", "1h", "--at", day, "-o", "json")
    answer = done.json
    (group,) = answer["groups"]

    assert done.code == 3
    assert answer["schema"] == "langbot-agents/diff/v1"
    assert (answer["events"], answer["moved"], answer["changed_bindings"]) == (4, 2, ["refunds"])
    assert (group["kind"], group["before"], group["after"], group["count"]) == (
        "answer",
        "refunds",
        "everybody",
        2,
    )
    assert len(group["examples"]) == 2
    assert group["cause"]["code"] == "filter"
    assert group["cause"]["now"] == "contains(input.text || '', 'money')"
    for side, text in (("old", BINDINGS), ("new", NARROWED)):
        place = group["cause"][side]
        assert place["file"] == "bindings/all.yaml"
        assert "contains(input.text" in text.splitlines()[place["line"] - 1]


def test_text(lba: Run, project: Path, changed: Path, day: str) -> None:
    """For people: how many, from whom to whom, why, where, and some events."""
    done = lba("diff", ".", str(changed), "--events", "message.received", "--at", day)

    assert done.code == 3
    assert "1 event  refunds → everybody" in done.out
    assert "refunds: filters[0]: " in done.out
    assert "bindings/all.yaml:" in done.out
    assert "moved: 1 of 1 event  changed: 1 binding" in done.out
    assert "misspelt is left out" in done.err


def test_nothing_moves(lba: Run, project: Path, changed: Path, day: str) -> None:
    """Exit code 0 where nothing moves, whether or not something changed."""
    same = lba("diff", ".", ".", "--events", "samples")
    other = lba("diff", ".", str(changed), "--events", "group.member_joined", "--at", day)

    assert (same.code, "the two sets say the same" in same.out) == (0, True)
    assert (other.code, "nothing moves; changed: 1 binding" in other.out) == (0, True)


def test_revision(lba: Run, project: Path, day: str) -> None:
    """A revision of git is a set, whole or by a path, and places are those of the project."""
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    (project / "bindings" / "all.yaml").write_text(NARROWED)
    words = ("--events", "message.received", "--at", day, "-o", "json")
    whole = lba("diff", "HEAD:", ".", *words)
    part = lba("diff", "HEAD:bindings", "bindings", *words)

    assert (whole.code, part.code) == (3, 3)
    assert whole.json["groups"][0]["cause"]["old"]["file"] == "bindings/all.yaml"
    assert part.json["groups"][0]["cause"]["old"]["file"] == "all.yaml"
    assert lba("diff", "HEAD:", "HEAD:", *words).code == 0
    assert lba("diff", "nothing:", ".", *words).code == 2
    assert lba("diff", "HEAD:nothing", ".", *words).code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere", "."), "there is no such file or folder"),
        (("HEAD:", "."), "not in a repository of git"),
        ((".", ".", "--events", "yesterday"), "no span of time, no file and no event type"),
        ((".", "bare", "--events", "samples"), "there are no bindings"),
        ((".", ".", "--events", "none.ndjson"), "there are no events to compare by"),
    ],
)
def test_nothing_to_compare(lba: Run, project: Path, words: tuple[str, ...], said: str) -> None:
    """Exit code 2 where a side or the events are not there."""
    (project / "bare").mkdir()
    (project / "none.ndjson").write_text("\n")
    done = lba("diff", *words)

    assert done.code == 2
    assert said in done.err


def test_lines(lba: Run, project: Path, changed: Path, day: str) -> None:
    """A file has one event a line, also as `events tail` prints them; a line at fault is named."""
    lba("send", "message.received")
    tailed = lba("events", "tail", "--no-follow", "-o", "json").out
    lines = project / "events.ndjson"
    lines.write_text(tailed + json.dumps({"event_type": "api.invoked"}) + "\n\n")
    done = lba("diff", ".", str(changed), "--events", "events.ndjson", "--at", day, "-o", "json")

    assert (done.code, done.json["events"], done.json["moved"]) == (3, 2, 1)

    lines.write_text('{"event_type": "api.invoked"}\n{"event_type": 7}\n')

    assert "events.ndjson:2" in lba("diff", ".", ".", "--events", "events.ndjson").err


def test_many_pages(lba: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log is read page by page, each event once."""
    for _ in range(5):
        lba("send", "bot.muted")
    monkeypatch.setattr(logged, "PAGE", 2)

    assert lba("diff", ".", ".", "--events", "1h", "-o", "json").json["events"] == 5
