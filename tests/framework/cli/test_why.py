"""`lba why`: the decision of then with its reasons, and what would be now."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import BINDINGS, Run


def sent(lba: Run, *words: str) -> str:
    """The uid of an event that was sent."""
    uid: str = lba("send", *words, "-o", "json").json["event_uid"]
    return uid


def codes(explained: Any) -> dict[str, str]:
    """Binding to reason."""
    return {item["binding_id"]: item["code"] for item in explained["bindings"]}


def test_after_many_changes(lba: Run, project: Path) -> None:
    """The decision and its reasons stay, whatever the files became since, and whether they are there."""
    uid = sent(lba, "message.received")
    first = lba("why", uid, "-o", "json").json
    file = project / "bindings" / "all.yaml"
    for number in range(50):
        file.write_text(BINDINGS.replace("priority: 10", f"priority: {-1 - number}"))
        if number % 10 == 0:
            sent(lba, "bot.muted")
    later = lba("why", uid, "-o", "json").json

    assert first["decision"]["winner"] == later["decision"]["winner"] == "refunds"
    assert first["decision"] == later["decision"]
    assert codes(first["then"]) == codes(later["then"])
    assert (first["repeats"], later["repeats"]) == (True, True)
    assert (first["differs"], later["differs"]) == (False, True)
    assert later["now"]["winner"] == "everybody"
    assert later["moves"][0]["cause"]["code"] == "priority"
    assert (later["moves"][0]["cause"]["was"], later["moves"][0]["cause"]["now"]) == ("10", "-50")

    file.unlink()
    gone = lba("why", uid, "-o", "json").json

    assert (gone["decision"], codes(gone["then"])) == (first["decision"], codes(first["then"]))
    assert gone["moves"][0]["cause"]["code"] == "removed"


def test_with(lba: Run, project: Path, tmp_path: Path) -> None:
    """Other bindings are asked in place of those of now."""
    uid = sent(lba, "message.received")
    other = tmp_path / "other.yaml"
    other.write_text(BINDINGS.split("---")[0])
    answer = lba("why", uid, "--with", str(other), "-o", "json").json

    assert (answer["decision"]["winner"], answer["now"]["winner"]) == ("refunds", "everybody")
    assert answer["with"] == str(other)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("message.received",), "bindings/all.yaml:7: refunds answered"),
        (("message.recalled",), "nothing: there is no answer, on purpose"),
        (("bot.muted",), "no binding takes events of type bot.muted"),
        (("friend.request_received",), "only observers took it"),
    ],
)
def test_sentence(lba: Run, project: Path, words: tuple[str, ...], said: str) -> None:
    """The first line says in one sentence what became of it, and where that is written."""
    done = lba("why", sent(lba, *words))

    assert done.code == 0
    assert said in done.out.splitlines()[0]


def test_silent_by_a_filter(lba: Run, project: Path) -> None:
    """Where a filter kept the event out, the sentence has its place, the leg and the value."""
    document = BINDINGS.split("---")[1]
    (project / "bindings" / "all.yaml").write_text(document)
    line = 1 + next(at for at, text in enumerate(document.splitlines()) if "expr:" in text)
    uid = sent(lba, "message.received", "--set", "actor.actor_type=bot", "--set", "actor.actor_id=b")
    first = lba("why", uid).out.splitlines()[0]

    assert first.startswith(f"bindings/all.yaml:{line}: no binding took it; refunds, the nearest, did not")
    assert "actor.actor_type == 'user' is false; actor.actor_type = \"bot\"" in first


def test_paused(lba: Run, project: Path) -> None:
    """A pause of then is a reason of then; one of now is a reason of now."""
    before = sent(lba, "message.received")
    lba("bindings", "pause", "refunds")
    after = sent(lba, "message.received")
    lba("bindings", "resume", "refunds")
    answers = [lba("why", uid, "-o", "json").json for uid in (before, after)]

    assert [codes(item["then"])["refunds"] for item in answers] == ["selected", "disabled"]
    assert [codes(item["now"])["refunds"] for item in answers] == ["selected", "selected"]
    assert answers[1]["moves"][0]["cause"]["code"] == "enabled"


def test_unknown(lba: Run, project: Path) -> None:
    """An event that is not there is said so."""
    sent(lba, "bot.muted")
    done = lba("why", "evt_nothing")

    assert (done.code, "there is no event 'evt_nothing'" in done.err) == (1, True)
