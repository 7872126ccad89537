"""Wrong words, wrong files, faults, Ctrl-C and readers that go away."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from langbot_agents.framework.cli import loading

from .conftest import Run, command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rote"], "there is no command 'rote' (did you mean 'route'?)"),
        (["events", "lst"], "there is no command 'lst' (did you mean 'list'?)"),
        (["zzz"], "there is no command 'zzz'\n"),
        (["route", "--ouput", "json"], "there is no option '--ouput' (did you mean '--output'?)"),
        (["--verison"], "there is no option '--verison' (did you mean '--version'?)"),
        (["route"], "EVENT is missing"),
        (["route", "a", "b"], "there is no place for 'b'"),
        (["events", "list", "--limit"], "option '--limit' needs a value"),
        (["events", "list", "--limit", "0"], "--limit: '0' is not a whole number from 1 to 1000"),
        (["events", "list", "--limit", "x"], "--limit: 'x' is not a whole number"),
        (["events", "list", "-o", "jsno"], "--output: 'jsno' is unknown; did you mean 'json'?"),
        (["events", "list", "--outcome", "q"], "allowed: matched, observed, unmatched"),
        (["events", "list", "--before", "1", "--after", "1"], "give --before or --after, not both"),
        (["route", "message.received", "--at", "noon"], "--at 'noon' is not a time with a zone"),
        (["route", "message.received", "--at", "2026-03-02T09:00:00"], "is not a time with a zone"),
        (["route", "mesage.received"], "did you mean 'message.received'?"),
        (["route", "nowhere/event.json"], "nowhere/event.json: there is no such file"),
        (["route", "message.received", "--set", "actr.actor_id=1"], "did you mean 'actor'?"),
        (["route", "message.received", "--set", "actor"], "has no `=`"),
        (["route", "message.received", "--set", "input.contents[9].text=x"], "has 3 entries"),
        (["send"], "give either EVENT or --text"),
        (["send", "message.received", "--text", "x"], "give either EVENT or --text"),
        (["send", "message.received", "--as", "x"], "--as and --in go with --text"),
        (["events", "sample", "message.recieved"], "did you mean 'message.received'?"),
        (["validate", "nowhere"], "nowhere: there is no such file or folder"),
    ],
)
def test_wrong_usage(lba: Run, project: Path, words: list[str], said: str) -> None:
    """Wrong words are exit 2, with the cause and the nearest right word; nothing is on stdout."""
    done = lba(*words)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_wrong_usage_in_chinese(process: Run) -> None:
    """The same in Chinese."""
    done = process("route", "--ouput", lang="zh_Hans")

    assert done.code == 2
    assert done.err.startswith("错误：没有选项 '--ouput'")


def test_no_project(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no root document, a command says how to make one."""
    monkeypatch.chdir(tmp_path)
    done = lba("runners", "list")

    assert done.code == 1
    assert "langbot-agents.yaml: there is no such root document" in done.err
    assert "`lba init` makes a project" in done.err


@pytest.mark.parametrize("way", ["-c before", "-c after", "file", "environment"])
def test_config(lba: Run, project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: str) -> None:
    """`-c` stands before or after the command, and names the document or its folder; or a variable does."""
    monkeypatch.chdir(tmp_path)
    match way:
        case "-c before":
            done = lba("-c", str(project), "runners", "list")
        case "-c after":
            done = lba("runners", "list", "-c", str(project))
        case "file":
            done = lba("runners", "list", "-c", str(project / "langbot-agents.yaml"))
        case _:
            monkeypatch.setenv("LANGBOT_AGENTS_CONFIG", str(project))
            done = lba("runners", "list")

    assert done.code == 0
    assert "plugin:langbot-agents/echo/default" in done.out


@pytest.mark.parametrize(
    "words", [["send", "--text", "x"], ["route", "message.received"], ["runners", "list"]]
)
def test_invalid_root_document(lba: Run, project: Path, words: list[str]) -> None:
    """A root document that is invalid is shown with its place and a caret; exit 1."""
    (project / "langbot-agents.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: Host\nserver: {prot: 1}\n"
    )
    done = lba(*words)

    assert (done.code, done.out) == (1, "")
    assert "langbot-agents.yaml:3:10: server.prot: unknown key 'prot'" in done.err
    assert "^^^^" in done.err
    assert "did you mean 'port'?" in done.err


def test_fault(lba: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours is one line that names a file with the details; `--debug` shows them."""

    def broken(_path: object) -> None:
        raise RuntimeError("out of\ncheese")

    monkeypatch.setattr(loading, "load_project", broken)
    done = lba("runners", "list")
    place = Path(done.err.split("its details are in ")[1].split(";")[0])
    details = place.read_text()
    place.unlink()

    assert done.code == 1
    assert "a fault of langbot-agents: RuntimeError: out of cheese" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in details
    assert "Traceback" in lba("runners", "list", "--debug").err


def test_reader_goes_away(project: Path) -> None:
    """A reader that stops reading, such as `head`, is no error, and nothing is said about it."""
    with subprocess.Popen(
        command("events", "sample", "-o", "json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()

    assert running.returncode == 141
    assert said == b""


def test_interrupted(project: Path) -> None:
    """Ctrl-C ends a command soon and quietly with 130, and what it was about is not lost."""
    (project / "bindings" / "all.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: slow\n"
        "event_types: [message.received]\nrunner_id: echo\nrunner_config: {delay: 30}\n"
    )
    with subprocess.Popen(
        command("send", "--text", "a b c"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.read(1) == "a"
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()

    assert running.returncode == 130
    assert time.monotonic() - begun < 6
    assert "the event is on record" in said
    assert "Traceback" not in said


def test_output_is_plain_where_nobody_looks(process: Run, project: Path) -> None:
    """Through a pipe there are no colours and no lines that are cut."""
    done = process("route", "message.received", COLUMNS="40")

    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) > 100


def test_controls_are_shown(lba: Run, project: Path) -> None:
    """What an event says cannot command the terminal."""
    done = lba("route", "message.received", "--set", "input.text=\x1b[2J\u202eabc")

    assert "\x1b" not in done.out
    assert "\u202e" not in done.out


def test_other_encoding(process: Run, project: Path) -> None:
    """A terminal that cannot show a character is no fault."""
    done = process("route", "message.received", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert done.code == 0
    assert "\\u9000\\u6b3e" in done.out
