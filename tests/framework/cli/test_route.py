"""`lba route`: the decision and a reason for every binding."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from langbot_agents.schemas.catalogue import sample, standard_types

from .conftest import Run


def by_id(done: Any) -> dict[str, Any]:
    """The bindings of a JSON answer by their ids."""
    return {item["binding_id"]: item for item in done["bindings"]}


def test_reasons(lba: Run, project: Path, day: str) -> None:
    """Every binding has one reason, with its place in the file and the value that counted."""
    done = lba("route", "message.received", "--at", day, "-o", "json")
    answer = done.json
    found = by_id(answer)

    assert done.code == 0
    assert answer["schema"] == "langbot-agents/route/v1"
    assert {name: item["code"] for name, item in found.items()} == {
        "everybody": "outranked",
        "refunds": "selected",
        "other-bot": "scope",
        "broken-filter": "filter_error",
        "at-night": "inactive",
        "switched-off": "disabled",
        "joined": "event_type",
        "notes": "observer",
        "nothing": "event_type",
        "misspelt": "quarantined",
    }
    assert (answer["outcome"], answer["winner"], answer["observers"]) == ("matched", "refunds", ["notes"])
    assert answer["stages"] == {
        "bindings": 10,
        "event_type": 6,
        "scope": 5,
        "filters": 4,
        "active": 3,
        "winner": 1,
    }


def test_places(lba: Run, project: Path, day: str) -> None:
    """A place is the line of what decided: the filter's leg, the scope's field, the hours."""
    found = by_id(lba("route", "message.received", "--at", day, "-o", "json").json)
    lines = (project / "bindings" / "all.yaml").read_text().splitlines()

    def written(name: str) -> str:
        line, column = int(found[name]["line"]), int(found[name]["column"])
        return lines[line - 1][column - 1 :]

    assert {item["file"] for item in found.values()} == {"bindings/all.yaml"}
    assert written("other-bot") == '"1"'
    assert written("broken-filter").startswith("length(metadata.nothing)")
    assert written("at-night").startswith("hours:")
    assert written("switched-off") == "false"
    assert written("joined") == "[group.member_joined]"


def test_failing_leg(lba: Run, project: Path, day: str) -> None:
    """Of a filter the failing leg is shown, its place, and the values of the paths it looks at."""
    done = lba("route", "message.received", "--at", day, "--set", "actor.actor_type=bot", "-o", "json")
    item = by_id(done.json)["refunds"]
    line = (project / "bindings" / "all.yaml").read_text().splitlines()[item["line"] - 1]

    assert item["code"] == "filter_false"
    assert item["filter"] == {
        "name": "about money",
        "leg": "actor.actor_type == 'user'",
        "truth": "false",
        "reason": None,
        "values": {"actor.actor_type": "bot"},
    }
    assert line[item["column"] - 1 :] == "actor.actor_type == 'user'"


def test_failing_filter(lba: Run, project: Path, day: str) -> None:
    """Of a filter that errs the reason is shown."""
    item = by_id(lba("route", "message.received", "--at", day, "-o", "json").json)["broken-filter"]

    assert item["filter"]["truth"] == "error"
    assert "length()" in item["filter"]["reason"]
    assert item["filter"]["values"] == {"metadata.nothing": None}


def test_scope(lba: Run, project: Path, day: str) -> None:
    """Of a scope the field, what it wants and what the event has are shown."""
    item = by_id(lba("route", "message.received", "--at", day, "-o", "json").json)["other-bot"]

    assert (item["field"], item["expected"], item["actual"]) == ("bot_id", "1", "3889001234")


def test_rank(lba: Run, project: Path, day: str) -> None:
    """An outranked binding is shown with the element of the rank that decided."""
    answer = lba("route", "message.received", "--at", day, "-o", "json").json

    assert by_id(answer)["everybody"]["outranked_by"] == {
        "element": "priority",
        "field": None,
        "better": 10,
        "worse": 0,
    }


def test_chosen(lba: Run, project: Path, day: str) -> None:
    """Of what was chosen it is said what is granted, how it is queued, where it goes, and what is lost."""
    answer = lba("route", "message.received", "--at", day, "-o", "json").json
    winner, observer = answer["chosen"]

    assert winner["binding_id"] == "refunds"
    assert winner["runner_id"] == "plugin:langbot-agents/echo/default"
    assert winner["grant"]["state_scopes"] == ["actor", "conversation"]
    assert winner["queue"]["overlap"] == "queue"
    assert winner["delivery"]["destinations"][0]["surface"] == "qq-main"
    assert [item["code"] for item in winner["delivery"]["downgrades"]] == ["no_surface", "no_streaming"]
    assert [item["code"] for item in observer["delivery"]["downgrades"]] == ["observer"]
    assert observer["delivery"]["destinations"] == []


def test_text(lba: Run, project: Path, day: str) -> None:
    """The text for people says the same: who answers and why, then all others."""
    done = lba("route", "message.received", "--at", day)

    assert done.err == ""
    assert "10 bindings → 6 by event type → 5 by scope → 4 by filters → 3 active now → 1 winner" in done.out
    assert "→ refunds answers with echo  bindings/all.yaml:7" in done.out
    assert "everybody: priority 10 over 0" in done.out
    assert "+ notes observes with echo" in done.out
    assert "active 22:00-06:00 mon,tue; now it is Mon 2026-03-02 10:00 Asia/Shanghai" in done.out
    assert "scope.bot_id wants 1; it is 3889001234" in done.out
    assert "takes group.member_joined" in done.out
    assert "no runner 'ehco' is installed" in done.out


def test_time(lba: Run, project: Path) -> None:
    """`--at` decides for another time: RFC 3339 or Unix seconds."""
    night = lba("route", "message.received", "--at", "2026-03-02T23:00:00+08:00", "-o", "json").json
    same = lba("route", "message.received", "--at", "1772463600", "-o", "json").json

    assert night["winner"] == "at-night"
    assert night["at"] == "2026-03-02T15:00:00.000000Z"
    assert same == night


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bot.muted", "Nobody answers: the event would be recorded as unmatched."),
        ("friend.request_received", "Nobody answers: only observers take it."),
        ("message.recalled", "→ nothing takes it and says nothing (discard)"),
    ],
)
def test_no_answer(lba: Run, project: Path, name: str, said: str) -> None:
    """Where nobody answers it is said plainly; it is no failure."""
    done = lba("route", name)

    assert done.code == 0
    assert said in done.out


def test_loop_guard(lba: Run, project: Path) -> None:
    """A message of the bot itself is chosen for, but would never start a run."""
    own = ("--set", "actor.actor_type=bot", "--set", "actor.actor_id=3889001234")
    done = lba("route", "message.edited", *own, "--set", "bot_id=3889001234")

    assert "the loop guard starts nothing: the message is the bot's own" in done.out


@pytest.mark.parametrize("name", [each.name for each in standard_types() if each.pattern is None])
def test_every_sample(lba: Run, project: Path, name: str) -> None:
    """Each sample of the catalogue can be explained."""
    answer = lba("route", name, "-o", "json").json

    assert answer["event"]["event_type"] == name
    assert len(answer["bindings"]) == 10


def test_other_event_types(lba: Run, project: Path) -> None:
    """An alias and a type of a family have samples, too."""
    assert lba("route", "message.deleted", "-o", "json").json["winner"] == "nothing"
    assert lba("route", "platform.telegram.pinned", "-o", "json").json["outcome"] == "unmatched"


@pytest.mark.parametrize("form", ["json", "yaml", "-", "- as yaml"])
def test_files(process: Run, project: Path, form: str) -> None:
    """An event comes from a JSON or YAML file, or from stdin in either form."""
    event = sample("group.member_joined")
    as_yaml = yaml.safe_dump(event, allow_unicode=True)
    text = as_yaml if "yaml" in form else json.dumps(event)
    name = "-" if form.startswith("-") else f"event.{form}"
    if name != "-":
        (project / name).write_text(text)
    done = process("route", name, "-o", "json", stdin=text if name == "-" else None)

    assert done.json["winner"] == "joined"
    assert done.json["event"]["origin"] == ("stdin" if name == "-" else "file")


def test_smallest_event(lba: Run, project: Path) -> None:
    """What the host sets need not be in a file."""
    (project / "event.yaml").write_text("event_type: message.received\ninput: {text: hi}\n")
    answer = lba("route", "event.yaml", "-o", "json").json

    assert answer["event"]["facts"]["source_kind"] == "http_api"
    assert answer["event"]["facts"]["workspace_id"] == "default"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", '{"event_type": ', "a.json:1:16: not valid JSON"),
        ("a.json", "[1]", "a.json: an event is a mapping"),
        ("a.yaml", "event_type: a.b\nevent_type: a.b\n", "key 'event_type' is given twice"),
        ("a.yaml", "a: 1\n---\nb: 2\n", "one event is wanted, found 2"),
        ("a.yaml", "", "one event is wanted, found 0"),
        ("a.json", '{"event_type": "Message"}', "event_type"),
        ("a.json", '{"event_type": "a.b", "actor": 5}', "actor"),
        ("a.json", '{"specversion": "1.0", "type": "x"}', "a CloudEvent"),
        ("a.json", "[" * 100_000, "nested too deeply"),
    ],
)
def test_malformed_events(lba: Run, project: Path, name: str, text: str, said: str) -> None:
    """A malformed event gets one clear error with its place; exit 1."""
    (project / name).write_text(text)
    done = lba("route", name)

    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_many_bindings(lba: Run, project: Path) -> None:
    """Where many bindings have one reason, some are listed and the rest counted; `--all` lists them."""
    document = (
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nevent_types: [bot.muted]\nrunner_id: echo\n"
    )
    many = "---\n".join(f"{document}binding_id: b{number}\npriority: {number}\n" for number in range(40))
    (project / "bindings" / "many.yaml").write_text(many)

    assert "more: `--all` lists them" in lba("route", "bot.unmuted").out
    assert "more: `--all` lists them" not in lba("route", "bot.unmuted", "--all").out
    assert len(lba("route", "bot.unmuted", "-o", "json").json["bindings"]) == 50


def test_logged_event(lba: Run, project: Path) -> None:
    """An event of the log is named by its uid, or by the id of its source."""
    (project / "event.json").write_text(json.dumps(sample("group.member_joined") | {"event_id": "order-1"}))
    uid = lba("send", "event.json", "-o", "json").json["event_uid"]
    by_uid = lba("route", uid, "-o", "json").json
    by_source = lba("route", "order-1", "-o", "json").json

    assert by_uid["winner"] == by_source["winner"] == "joined"
    assert by_uid["event"]["event_uid"] == by_source["event"]["event_uid"] == uid
    assert by_uid["event"]["origin"] == "log"


def test_unknown_logged_event(lba: Run, project: Path) -> None:
    """A uid that is not in the log is said to be that."""
    assert "there is no such store" in lba("route", "evt_0").err
    lba("send", "--text", "x")

    assert "there is no event 'evt_0' in the log" in lba("route", "evt_0").err
    assert lba("route", "nothing-like-it").code == 2


def test_text_in_chinese(process: Run, project: Path, day: str) -> None:
    """In Chinese the whole explanation is Chinese."""
    done = process("route", "message.received", "--at", day, lang="zh_Hans")

    assert "→ refunds 用 echo 回答" in done.out
    assert "其他绑定" in done.out
    assert "All others" not in done.out


def test_pauses(lba: Run, project: Path, day: str) -> None:
    """A binding that an operator paused is out, as it is for the host, and the reason says so."""
    lba("send", "message.received")
    lba("bindings", "pause", "notes", "--reason", "too loud")
    answer = lba("route", "message.received", "--at", day, "-o", "json").json

    assert by_id(answer)["notes"]["code"] == "disabled"
    assert "too loud" in by_id(answer)["notes"]["reason"]
    assert answer["observers"] == []


def test_a_store_that_cannot_be_read(lba: Run, project: Path, day: str) -> None:
    """The explanation goes on with what is on disk, and says what it does not know."""
    (project / "data").mkdir()
    (project / "data" / "langbot-agents.db").write_text("this is no database, whatever its name says")
    done = lba("route", "message.received", "--at", day)

    assert done.code == 0
    assert "pauses are not known" in done.err
