"""How a reply is shown while it comes, and what is said of its end."""

from typing import Any

import pytest

from langbot_agents.framework.cli.output import Output
from langbot_agents.framework.cli.reply import Reply, Step, ending


def steps(*told: tuple[str, str, str]) -> list[Step]:
    """Steps from (name, message_id, text)."""
    return [
        Step(name=f"message.{name}", data={"run_id": "run_1", "message_id": message, "text": text})
        for name, message, text in told
    ]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ([("delta", "a", "on"), ("delta", "a", "e"), ("close", "a", "one")], "one\n"),
        ([("delta", "a", "on"), ("close", "a", "one two")], "one two\n"),
        ([("close", "a", "one")], "one\n"),
        ([("delta", "a", "oops"), ("close", "a", "one")], "oops\n(this replaces it)\none\n"),
        (
            [("delta", "a", "on"), ("delta", "b", "two"), ("close", "b", "two"), ("close", "a", "one")],
            "on\ntwo\none\n",
        ),
        ([("delta", "a", "1\n2"), ("close", "a", "1\n2\n3")], "1\n2\n3\n"),
    ],
)
def test_shown(capsys: pytest.CaptureFixture[str], told: list[tuple[str, str, str]], shown: str) -> None:
    """The close prints only what is missing; a final text that differs is printed whole."""
    reply = Reply(out=Output())
    for step in steps(*told):
        reply.take(step)
    reply.take(Step(name="done", data={"outcome": "matched"}))

    assert capsys.readouterr().out == shown
    assert [item["text"] for item in reply.messages] == [text for name, _, text in told if name == "close"]


def test_indent(capsys: pytest.CaptureFixture[str]) -> None:
    """Under a heading each line of the reply is indented."""
    reply = Reply(out=Output(), indent="    ")
    for step in steps(("delta", "a", "1\n2"), ("close", "a", "1\n2\n3"), ("close", "b", "4")):
        reply.take(step)

    assert capsys.readouterr().out == "    1\n    2\n    3\n    4\n"


def test_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    """A reply that breaks off ends its line."""
    reply = Reply(out=Output())
    reply.take(steps(("delta", "a", "on"))[0])
    reply.end()

    assert capsys.readouterr().out == "on\n"


def test_json_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Where JSON is wanted nothing is shown before the end."""
    reply = Reply(out=Output(as_json=True))
    for step in steps(("delta", "a", "on"), ("close", "a", "one")):
        reply.take(step)

    assert capsys.readouterr().out == ""


def done(**changes: Any) -> dict[str, Any]:
    """The end of an event that one binding answered."""
    run = {"run_id": "run_1", "binding_id": "b", "status": "completed", "code": None, "reason": "stop"}
    base: dict[str, Any] = {
        "outcome": "matched",
        "dispatches": [{"binding_id": "b", "outcome": "started", "reason": None}],
        "runs": [run | changes.pop("run", {})],
        "deliveries": [{"run_id": "run_1", "surface": "s", "status": "sent", "error": None}],
    }
    return base | changes


@pytest.mark.parametrize(
    ("story", "well", "answered"),
    [
        (done(), True, True),
        (done(run={"status": "failed", "code": "x"}), False, False),
        (
            done(deliveries=[{"run_id": "run_1", "surface": "s", "status": "unknown", "error": None}]),
            False,
            False,
        ),
        (done(outcome="unmatched", dispatches=[], runs=[]), True, False),
        (
            done(dispatches=[{"binding_id": "b", "outcome": "discarded", "reason": None}], runs=[]),
            True,
            False,
        ),
        (
            done(dispatches=[{"binding_id": "b", "outcome": "queue_full", "reason": "r"}], runs=[]),
            False,
            False,
        ),
        (done(dispatches=[{"binding_id": "b", "outcome": "vetoed", "reason": "r"}], runs=[]), True, False),
    ],
)
def test_ending(story: dict[str, Any], well: bool, answered: bool) -> None:
    """An event ended well if its answer was given, or if nobody was to answer."""
    found = ending(story, {"observers": []})

    assert (found.well, found.answered) == (well, answered)


def test_observer_does_not_count() -> None:
    """An observer that fails is not the answer."""
    failed = {"run_id": "run_2", "binding_id": "o", "status": "failed", "code": "x", "reason": None}
    story = done()
    story["runs"].append(failed)
    story["dispatches"].append({"binding_id": "o", "outcome": "started", "reason": None})

    assert ending(story, {"observers": ["o"]}).well
