"""`lba filter eval`: each leg with what it looked at, and what loading the filter would say."""

import json
from pathlib import Path

import pytest

from .conftest import Run

EXPR = "actor.actor_type == 'user' && contains_any(input.text, ['退款', 'refund'])"


def test_true(lba: Run, project: Path) -> None:
    """A filter that holds is exit 0, with each leg and the values that it looked at."""
    done = lba("filter", "eval", EXPR, "message.received")

    assert done.code == 0
    assert done.out.splitlines() == [
        "√ true  message.received",
        "  √ actor.actor_type == 'user'",
        '      actor.actor_type = "user"',
        "  √ contains_any(input.text, ['退款', 'refund'])",
        '      input.text = "我想退款，订单号是 A20260302-118"',
    ]


def test_false_and_error(lba: Run, project: Path) -> None:
    """False and an error are exit 1; an error has its reason, and what a load would say stands below."""
    false = lba("filter", "eval", EXPR, "message.received", "--set", "input.text=hello")
    error = lba("filter", "eval", "contains(input.text, 'x')", "message.received", "--set", "input.text=null")

    assert (false.code, error.code) == (1, 1)
    assert false.out.splitlines()[0] == "× false  message.received"
    lines = error.out.splitlines()
    assert lines[0] == "! an error, which is no match  message.received"
    assert "contains() wants array or string for `subject`, got null" in lines[1]
    assert lines[4:6] == ["contains(input.text, 'x')", "         ^^^^^^^^^^"]


def test_time_and_json(lba: Run, project: Path, tmp_path: Path) -> None:
    """`--at` sets the time; `-o json` has every leg with its parts; an event may be a file."""
    file = tmp_path / "event.json"
    file.write_text(json.dumps({"event_type": "api.invoked", "input": {"data": {"n": 5}}}))
    done = lba(
        "filter", "eval", "hour_in('09:00-10:00', 'UTC') && input.data.n > `3`", str(file),
        *("--at", "2026-03-02T09:30:00Z", "-o", "json"),
    )  # fmt: skip
    answer = done.json

    assert done.code == 0
    assert (answer["schema"], answer["truth"]) == ("langbot-agents/filter-eval/v1", "true")
    assert [leg["text"] for leg in answer["legs"]] == ["hour_in('09:00-10:00', 'UTC')", "input.data.n > `3`"]
    assert answer["legs"][1]["parts"][0]["value"] == 5


def test_what_cannot_be_read(lba: Run, project: Path) -> None:
    """A filter that cannot be read is exit 2, with a caret at the place."""
    done = lba("filter", "eval", "input.text = 'x'", "message.received")

    assert done.code == 2
    assert "input.text = 'x'\n           ^" in done.err


def test_without_a_project(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no project, but one that is named must be there."""
    monkeypatch.chdir(tmp_path)

    assert lba("filter", "eval", EXPR, "message.received").code == 0
    assert lba("filter", "eval", EXPR, "message.received", "-c", "nowhere").code == 1
