"""`lba send` with a host in the same process."""

import json
from pathlib import Path

import pytest

from langbot_agents.schemas.catalogue import sample

from .conftest import Run


def test_text(lba: Run, project: Path) -> None:
    """A message is answered on stdout; stderr says how it ended."""
    done = lba("send", "--text", "one two")

    assert (done.code, done.out) == (0, "one two\n")
    assert done.err.startswith("√ everybody completed  evt_")


def test_json(lba: Run, project: Path) -> None:
    """As JSON it is one object: what was accepted, said, decided, run and delivered."""
    done = lba("send", "--text", "one two", "-o", "json")
    answer = done.json

    assert (done.code, done.err) == (0, "")
    assert answer["schema"] == "langbot-agents/send/v1"
    assert answer["via"] == "embedded"
    assert answer["winner"] == "everybody"
    assert [item["text"] for item in answer["messages"]] == ["one two"]
    assert [run["status"] for run in answer["runs"]] == ["completed", "completed"]
    assert [(run["models"], run["warnings"]) for run in answer["runs"]] == [([], []), ([], [])]
    assert [(item["surface"], item["status"]) for item in answer["deliveries"]] == [("terminal", "sent")]


def test_actor_and_conversation(lba: Run, project: Path) -> None:
    """`--as` and `--in` say who writes and where."""
    uid = lba("send", "--text", "x", "--as", "mia", "--in", "group_7", "-o", "json").json["event_uid"]
    event = lba("events", "show", uid, "-o", "json").json["event"]

    assert event["actor"]["actor_id"] == "mia"
    assert (event["conversation_id"], event["conversation_type"]) == ("group_7", "group")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bot.muted", "~ unmatched: nobody answers it"),
        ("friend.request_received", "~ observed: nobody answers it"),
        ("message.recalled", "~ discarded by nothing: there is no answer, on purpose"),
    ],
)
def test_no_answer(lba: Run, project: Path, name: str, said: str) -> None:
    """Where nobody answers, that is said plainly, and it is no failure."""
    done = lba("send", name)

    assert (done.code, done.out) == (0, "")
    assert done.err.startswith(said)


@pytest.mark.parametrize("command", [("send",), ("route",), ("filter", "eval", "event_type == 'a.b'")])
def test_unknown_keys(lba: Run, project: Path, command: tuple[str, ...]) -> None:
    """A key that no event has is refused with what was meant."""
    (project / "event.json").write_text(json.dumps({"event_type": "a.b", "conversaton_id": "1"}))
    done = lba(*command, "event.json")

    assert "conversaton_id: unknown key 'conversaton_id'" in done.err
    assert "did you mean 'conversation_id'?" in done.err
    assert done.code > 0


def test_sample_is_new_each_time(lba: Run, project: Path) -> None:
    """A sample is a new event each time, not a repeat."""
    first = lba("send", "group.member_joined", "-o", "json").json
    second = lba("send", "group.member_joined", "-o", "json").json

    assert first["event_uid"] != second["event_uid"]
    assert not second["duplicate"]


def test_repeat(lba: Run, project: Path) -> None:
    """A file that is sent again does not run again; its reply is shown once more."""
    (project / "event.json").write_text(json.dumps(sample("group.member_joined")))
    first = lba("send", "event.json")
    second = lba("send", "event.json")
    events = lba("events", "list", "-o", "json").json["events"]

    assert first.out == second.out != ""
    assert "a repeat of evt_" in second.err
    assert len(events) == 1


def test_failed_run(lba: Run, project: Path) -> None:
    """A run that fails is exit 1, with its code; the user's hint is what was delivered."""
    (project / "bindings" / "all.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: slow\n"
        "event_types: [message.received]\nrunner_id: echo\nrunner_config: {delay: 30}\n"
        "limits: {timeout: 300ms}\ndelivery_policy: {hint_text: Sorry.}\n"
    )
    done = lba("send", "--text", "one two")

    assert done.code == 1
    assert done.out.endswith("Sorry.\n")
    assert "x slow timeout: runner.timeout" in done.err


def test_own_message(lba: Run, project: Path) -> None:
    """The loop guard is named where it stops a message of the bot itself."""
    (project / "event.json").write_text(
        json.dumps(
            {
                "event_type": "message.received",
                "bot_id": "7",
                "actor": {"actor_type": "bot", "actor_id": "7"},
                "input": {"text": "x"},
            }
        )
    )
    done = lba("send", "event.json")

    assert done.code == 0
    assert "everybody was chosen, but not run: loop_guard" in done.err


def test_stdin(process: Run, project: Path) -> None:
    """An event comes from stdin, in Chinese too."""
    event = json.dumps(sample("api.invoked") | {"event_type": "message.received"})
    done = process("send", "-", stdin=event, lang="zh_Hans")

    assert done.code == 0
    assert "已完成" in done.err


def test_malformed(lba: Run, project: Path) -> None:
    """An event that the gateway refuses is exit 1, with the field and its value."""
    (project / "event.json").write_text('{"event_type": "Nope"}')
    done = lba("send", "event.json")

    assert (done.code, done.out) == (1, "")
    assert "event_type" in done.err
    assert "'Nope'" in done.err
