"""Test files: found, read strictly, checked against the bindings."""

import json
from pathlib import Path

import pytest

from langbot_agents.framework.errors import UsageError
from langbot_agents.framework.project import Project
from langbot_agents.framework.testing import find_test_files, read_cases

from .conftest import HEADER, Cases


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (
            "{name: a, event: message.received, expect: {winner: refnds}}",
            ["LBA320 cases[0].expect.winner: there is no binding 'refnds' | did you mean 'refunds'?"],
        ),
        (
            "{name: a, event: message.received, expect: {winner: zzz}}",
            [
                "LBA320 cases[0].expect.winner: there is no binding 'zzz' | there are: at-night, broken, "
                "everybody, notes, recalls, refunds"
            ],
        ),
        (
            "{name: a, event: message.received, expect: {observers: [note], reasons: {everybdy: scope}}}",
            [
                "LBA320 cases[0].expect.observers[0]: there is no binding 'note' | did you mean 'notes'?",
                "LBA320 cases[0].expect.reasons.everybdy: there is no binding 'everybdy' | did you mean "
                "'everybody'?",
            ],
        ),
        (
            "{name: a, event: message.received, expect: {winner: notes, observers: [everybody]}}",
            [
                "LBA324 cases[0].expect.winner: 'notes' observes, so it never answers | write it under "
                "`observers`",
                "LBA324 cases[0].expect.observers[0]: 'everybody' answers, so it never observes | write it "
                "at `winner`",
            ],
        ),
        (
            "{name: a, event: mesage.received, expect: {winner: none}}",
            [
                "LBA321 cases[0].event: 'mesage.received' is no event type of the catalogue, and no file | "
                "did you mean 'message.received'?"
            ],
        ),
        (
            "{name: a, event: no/such.json, expect: {winner: none}}",
            [
                "LBA321 cases[0].event: no/such.json: No such file or directory | the path starts at the "
                "folder of the test file"
            ],
        ),
        (
            "{name: a, event: message.received, set: {actr.actor_id: x}, expect: {winner: none}}",
            [
                "LBA322 cases[0].set['actr.actor_id']: actr.actor_id: an event has no 'actr' there | did "
                "you mean 'actor'?"
            ],
        ),
        (
            "{name: a, event: message.received, expect: {messages: [{matches: '('}]}}",
            [
                "LBA323 cases[0].expect.messages[0].matches: '(' is not a pattern: missing ) at position 1 "
                "| a literal ., +, *, ?, ( or [ is written with a backslash before it"
            ],
        ),
        (
            "{name: a, event: message.received, expct: {winner: none}}",
            ["LBA140 cases[0].expct: unknown key 'expct' | did you mean 'expect'?"],
        ),
        (
            "{name: a, event: message.received, expect: {}}",
            ["LBA148 cases[0].expect: nothing is expected | write for example winner: none"],
        ),
        (
            "{name: a, event: message.received, expect: {winner: null}}",
            ["LBA148 cases[0].expect.winner: winner has no value | leave it out, or write `none` for nobody"],
        ),
    ],
)
def test_findings(cases: Cases, case: str, expected: list[str]) -> None:
    """A mistake is a finding with its code, its place, the cause and the remedy."""
    found = cases(f"- {case}").findings

    assert [f"{item.code} {item.path}: {item.message} | {item.remedy}" for item in found] == expected
    assert all(item.file == "bindings/all.test.yaml" and item.line == 4 for item in found)
    assert all((item.excerpt or "")[item.column - 1 :].strip() for item in found)


def test_fault_of_a_set_field(cases: Cases) -> None:
    """What the event's model refuses is told at the key of `set` that made it so."""
    (found,) = cases(
        """\
        - name: a
          event: message.received
          set:
            input.text: hello
            bot_id: 7
          expect: {winner: none}
        """
    ).findings

    assert (found.code, found.path, found.line) == ("LBA322", "cases[0].set.bot_id", 8)


def test_fault_of_a_written_event(cases: Cases) -> None:
    """In an event that is written out the fault is told where it stands."""
    (found,) = cases(
        "- {name: a, event: {event_type: message.received, actor: {actor_type: usr}}, expect: {winner: none}}"
    ).findings

    assert (found.code, found.path) == ("LBA322", "cases[0].event.actor.actor_type")


def test_events(cases: Cases, project: Project) -> None:
    """An event is a sample, a file of either kind, or written out; `set` is laid over each."""
    sample = {"event_type": "message.received", "input": {"text": "from a file"}}
    (project.root / "bindings" / "one.json").write_text(json.dumps(sample))
    (project.root / "bindings" / "two.yaml").write_text("event_type: message.edited\nbot_id: '5'\n")
    file = cases(
        """\
        - {name: a, event: message.deleted, expect: {winner: recalls}}
        - {name: b, event: one.json, set: {actor: {actor_type: bot}}, expect: {winner: everybody}}
        - {name: c, event: two.yaml, expect: {winner: everybody}}
        - {name: d, event: {event_type: a.b}, set: {conversation_type: group}, expect: {winner: none}}
        - {name: e, event: message.received, set: {conversation_type: private}, expect: {winner: everybody}}
        """
    )
    events = [case.event for case in file.cases if case.event is not None]

    assert file.findings == ()
    assert [(item.origin, item.envelope.event_type) for item in events] == [
        ("sample", "message.recalled"),
        ("file", "message.received"),
        ("file", "message.edited"),
        ("inline", "a.b"),
        ("sample", "message.received"),
    ]
    assert events[1].envelope.input.text == "from a file"
    assert events[1].envelope.actor is not None
    assert events[2].envelope.bot_id == "5"
    # one fact under two names is set under both
    assert events[4].envelope.metadata["chat_type"] == "private"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[1]", "an event is a mapping"),
    ],
)
def test_broken_event_file(cases: Cases, project: Project, text: str, message: str) -> None:
    """A file that holds no event is told at the case that names it."""
    (project.root / "bindings" / "one.json").write_text(text)
    (found,) = cases("- {name: a, event: one.json, expect: {winner: none}}").findings

    assert (found.code, found.path) == ("LBA322", "cases[0].event")
    assert message in found.message


def test_broken_yaml_event(cases: Cases, project: Project) -> None:
    """The place in the event's own file is part of what is told."""
    (project.root / "bindings" / "one.yaml").write_text("event_type: a.b\nevent_type: a.c\n")
    (found,) = cases("- {name: a, event: one.yaml, expect: {winner: none}}").findings

    assert "one.yaml:2:1: key 'event_type' is given twice" in found.message


def test_without_bindings(project: Project, tmp_path: Path) -> None:
    """Where nobody knows the bindings, their ids are not judged; all else is."""
    path = tmp_path / "x.test.yaml"
    path.write_text(HEADER + "  - {name: a, event: a, expect: {winner: nobody-knows}}\n")

    assert [item.code for item in read_cases(path, tmp_path, None).findings] == ["LBA321"]


def test_wrong_kind(project: Project, tmp_path: Path) -> None:
    """A document that is no test stays out of a test file."""
    path = tmp_path / "x.test.yaml"
    path.write_text("apiVersion: langbot-agents/v1\nkind: Host\n")

    assert [item.code for item in read_cases(path, tmp_path, None).findings] == ["LBA123"]


def test_one_broken_case_stays_alone(cases: Cases) -> None:
    """Beside a case with a finding the others are ready to run."""
    file = cases(
        """\
        - {name: a, event: message.received, expect: {winner: nobody}}
        - {name: b, event: message.received, expect: {winner: everybody}}
        """
    )

    assert [(case.name, bool(case.findings)) for case in file.cases] == [("a", True), ("b", False)]
    assert str(file.cases[1].place("expect", "winner")) == "bindings/all.test.yaml:5"


def test_finding_files(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PATH the folders of the bindings are looked in; with it, what it names."""
    monkeypatch.chdir(tmp_path)
    for name in ("bindings/a.test.yaml", "bindings/deep/b.test.yml", ".hidden/c.test.yaml", "d.test.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    def found(*paths: str) -> list[str]:
        files = find_test_files(tmp_path, ["bindings/all.yaml"], paths)
        return sorted(path.resolve().relative_to(tmp_path).as_posix() for path in files)

    assert found() == ["bindings/a.test.yaml"]
    assert found("bindings") == ["bindings/a.test.yaml", "bindings/deep/b.test.yml"]
    assert found(".") == ["bindings/a.test.yaml", "bindings/deep/b.test.yml", "d.test.yaml"]
    assert found("d.test.yaml") == ["d.test.yaml"]
    (tmp_path / "bindings" / "a.yaml").touch()

    assert found("bindings/a.yaml") == ["bindings/a.test.yaml"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "nowhere: there is no such file or folder"),
        ("bindings/all.yaml", "bindings/all.yaml: this is not a test file, and there is none of its name"),
        ("langbot-agents.yaml", "langbot-agents.yaml: this is not a test file"),
    ],
)
def test_path_without_tests(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    """A PATH that leads to no test is wrong usage."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_test_files(tmp_path, [], [path])

    assert message in str(caught.value)
