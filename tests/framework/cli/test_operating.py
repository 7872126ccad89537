"""Operating: runs, bindings, conversations and runners, with no host running and through one."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, Server, command

pytestmark = pytest.mark.slow

SLOW = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: slow
event_types: [message.received]
runner_id: echo
runner_config: {delay: 1}
"""


def sent(lba: Run, text: str, *words: str) -> dict[str, Any]:
    """What became of a message."""
    result: dict[str, Any] = lba("send", "--text", text, *words, "-o", "json").json
    return result


def test_runs(lba: Run, project: Path, via: str) -> None:
    """The newest run is first; the list can be narrowed, and says where it comes from."""
    sent(lba, "one")
    sent(lba, "我想退款")
    listed = lba("runs", "list", "-o", "json").json
    of_one = lba("runs", "list", "--binding", "refunds", "-o", "json").json["runs"]

    assert listed["via"] == via
    assert listed["next_cursor"] is None
    assert {run["binding_id"] for run in listed["runs"][:2]} == {"refunds", "notes"}
    assert [run["binding_id"] for run in of_one] == ["refunds"]
    assert lba("runs", "list", "--status", "failed").out == "no runs\n"


def test_pages(lba: Run, project: Path, via: str) -> None:
    """A page says where the next one begins; together they are all, once."""
    for text in ("one", "two", "three"):
        sent(lba, text)
    everything = [run["run_id"] for run in lba("runs", "list", "-o", "json").json["runs"]]
    found, cursor = [], None
    for _ in range(9):
        words = () if cursor is None else ("--cursor", cursor)
        page = lba("runs", "list", "--limit", "2", *words, "-o", "json").json
        found += [run["run_id"] for run in page["runs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert found == everything
    assert "--cursor " in lba("runs", "list", "--limit", "2").err


def test_run(lba: Run, project: Path, via: str) -> None:
    """One run is shown with how it ended and every result."""
    (run,) = [item for item in sent(lba, "one two")["runs"] if item["binding_id"] == "everybody"]
    done = lba("runs", "show", run["run_id"])
    shown = lba("runs", "show", run["run_id"], "-o", "json").json

    assert done.out.startswith(f"{run['run_id']}  completed\n")
    assert "binding  everybody" in done.out
    assert 'message.completed  "one two"' in done.out
    assert shown["via"] == via
    assert [item["type"] for item in shown["results"]] == [
        "message.delta",
        "message.completed",
        "run.completed",
    ]


def test_failed_run(lba: Run, project: Path) -> None:
    """A failed run has its code and reason in the list and alone."""
    (project / "bindings" / "all.yaml").write_text(SLOW + "limits: {timeout: 300ms}\n")
    (run,) = sent(lba, "one two")["runs"]

    assert "runner.timeout: no end within 0.3 s" in lba("runs", "list", "--status", "timeout").out
    assert "why      runner.timeout: no end within 0.3 s" in lba("runs", "show", run["run_id"]).out


def test_cancel(lba: Run, project: Path) -> None:
    """A run that is under way is cancelled through the host; one that has ended is not."""
    (project / "bindings" / "all.yaml").write_text(SLOW)
    running = Server()
    try:
        running.until("  -d ")
        with subprocess.Popen(
            command("send", "--text", "a b c d e f g h"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as sender:
            assert sender.stdout is not None
            assert sender.stdout.read(1) == "a"
            (run,) = lba("runs", "list", "--status", "running", "-o", "json").json["runs"]
            cancelled = lba("runs", "cancel", run["run_id"])
            sender.communicate()
        again = lba("runs", "cancel", run["run_id"])
    finally:
        running.stop()

    assert (cancelled.code, cancelled.out) == (0, f"√ run {run['run_id']} is being cancelled\n")
    assert (again.code, again.out) == (1, "")
    assert again.err == f"~ run {run['run_id']} had ended already: cancelled\n"


def test_cancel_without_host(lba: Run, project: Path) -> None:
    """With no host running nothing runs, and that is what is said of a run that a crash cut off."""
    (project / "bindings" / "all.yaml").write_text(SLOW)
    running = Server()
    running.until("  -d ")
    with subprocess.Popen(
        command("send", "--text", "a b c"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as sender:
        assert sender.stdout is not None
        assert sender.stdout.read(1) == "a"
        running.stop(9)
        sender.communicate()
    (run,) = lba("runs", "list", "--status", "running", "-o", "json").json["runs"]
    done = lba("runs", "cancel", run["run_id"])

    assert (done.code, done.out) == (1, "")
    assert "nothing runs: no host is up" in done.err
    assert lba("runs", "cancel", run["run_id"], "-o", "json").json["cancelling"] is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["runs", "show", "run_x"], "there is no run 'run_x'"),
        (["runs", "cancel", "run_x"], "`lba runs list` shows what is there"),
        (["runs", "show", "evt_x"], "this is the uid of an event: `lba events show evt_x`"),
        (["bindings", "show", "everybdy"], "did you mean 'everybody'?"),
        (["bindings", "pause", "everybdy"], "did you mean 'everybody'?"),
        (["bindings", "resume", "zzz"], "there is no binding 'zzz'"),
        (["bindings", "pause", "misspelt"], "binding 'misspelt' is quarantined"),
        (["conversations", "show", "person_mee"], "did you mean 'person_me'?"),
        (["conversations", "reset", '["a","b",null]'], "there is no conversation"),
        (["runners", "show", "ehco"], "did you mean"),
        (["tokens", "revoke", "nobody"], "there is no token 'nobody'"),
    ],
)
def test_unknown_ids(lba: Run, project: Path, via: str, words: list[str], said: str) -> None:
    """What is not there is exit 1, with the nearest or where to look; nothing is on stdout."""
    sent(lba, "hello")
    done = lba(*words)

    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_bindings(lba: Run, project: Path, via: str) -> None:
    """Every binding is listed with its state, a quarantined one with its reason."""
    listed = lba("bindings", "list", "-o", "json").json
    states = {item["binding_id"]: item["state"] for item in listed["bindings"]}

    assert listed["via"] == via
    assert states["everybody"] == "live"
    assert states["switched-off"] == "disabled"
    assert states["misspelt"] == "quarantined"
    assert "'ehco'" in lba("bindings", "list", "--state", "quarantined").out
    assert len(states) == 10


def test_binding(lba: Run, project: Path, via: str) -> None:
    """One binding is shown with what its document states."""
    done = lba("bindings", "show", "refunds")

    assert done.out.startswith("refunds  live\n")
    assert "  binding_id: refunds\n" in done.out
    assert "name: about money" in done.out
    assert "delivery_policy" not in done.out
    assert lba("bindings", "show", "misspelt").code == 0
    assert lba("bindings", "show", "refunds", "-o", "json").json["binding"]["document"]["priority"] == 10


def test_pause(lba: Run, project: Path, via: str) -> None:
    """A paused binding answers nothing until it is resumed, and the list says since when and why."""
    paused = lba("bindings", "pause", "everybody", "--reason", "the model is down")
    twice = lba("bindings", "pause", "everybody")
    (row,) = lba("bindings", "list", "--state", "paused", "-o", "json").json["bindings"]
    meanwhile = sent(lba, "hello")
    resumed = lba("bindings", "resume", "everybody")
    afterwards = sent(lba, "hello")

    assert (paused.code, paused.out) == (0, "√ everybody is paused\n")
    assert (twice.code, twice.out) == (0, "~ everybody was paused already\n")
    assert (row["binding_id"], row["reason"]) == ("everybody", "the model is down")
    assert meanwhile["winner"] is None
    assert (resumed.code, resumed.out) == (0, "√ everybody takes part again\n")
    assert lba("bindings", "resume", "everybody").out == "~ everybody was not paused\n"
    assert afterwards["winner"] == "everybody"


def test_conversations(lba: Run, project: Path, via: str) -> None:
    """The last that changed is first; one is shown by its key or its conversation_id."""
    sent(lba, "one")
    sent(lba, "two", "--as", "mia")
    page = lba("conversations", "list", "-o", "json").json
    first = lba("conversations", "list", "--limit", "1", "-o", "json").json
    second = lba("conversations", "list", "--limit", "1", "--cursor", first["next_cursor"], "-o", "json").json

    assert page["via"] == via
    assert [item["conversation_id"] for item in page["conversations"]] == ["person_mia", "person_me"]
    assert first["conversations"] + second["conversations"] == page["conversations"]
    by_id = lba("conversations", "show", "person_me")
    assert by_id == lba("conversations", "show", page["conversations"][1]["conversation_key"])
    assert '  me: "one"\n  assistant: "one"\n' in by_id.out


def test_reset(lba: Run, project: Path, via: str) -> None:
    """A reset conversation begins anew; what was said is still on record, behind a mark."""
    sent(lba, "one")
    done = lba("conversations", "reset", "person_me")
    sent(lba, "two")
    shown = lba("conversations", "show", "person_me").out

    assert (done.code, done.out) == (0, "√ person_me begins anew\n")
    assert shown.index('me: "one"') < shown.index("— reset") < shown.index('me: "two"')
    assert "turns        1" in shown


def test_runner(lba: Run, project: Path, via: str) -> None:
    """A runner is shown by id or alias: what it can do, takes, and who uses it."""
    done = lba("runners", "show", "echo")
    shown = lba("runners", "show", "plugin:langbot-agents/echo/default", "-o", "json").json

    assert done.out.startswith("plugin:langbot-agents/echo/default  ready\n")
    assert "Pause between two words, in seconds." in done.out
    assert "used by  at-night, broken-filter, everybody" in done.out
    assert shown["via"] == via
    assert "everybody" in shown["bindings"]


def test_same_shape(lba: Run, project: Path) -> None:
    """What a command prints has the same fields, and says the same, with a host and without."""
    sent(lba, "hello")
    run = lba("runs", "list", "-o", "json").json["runs"][0]["run_id"]
    lba("tokens", "create", "shop")
    commands = [
        ["runs", "list"],
        ["runs", "show", run],
        ["bindings", "list"],
        ["bindings", "show", "everybody"],
        ["bindings", "show", "misspelt"],
        ["bindings", "resume", "everybody"],
        ["conversations", "list"],
        ["conversations", "show", "person_me"],
        ["runners", "show", "echo"],
        ["tokens", "list"],
    ]
    without = [lba(*words, "-o", "json").json for words in commands]
    running = Server()
    try:
        running.until("  -d ")
        through = [lba(*words, "-o", "json").json for words in commands]
    finally:
        running.stop()

    assert [item.pop("via") for item in without] == ["store"] * len(commands)
    assert [item.pop("via") for item in through] == ["host"] * len(commands)
    through[7]["conversation"].pop("next_cursor")
    assert (through[2].pop("loading")["root_document"], without[2].pop("loading")) == ("live", None)
    assert through == without


def test_before_the_first_start(lba: Run, project: Path) -> None:
    """Before there is a store, lists are empty, and nothing is made by looking."""
    assert lba("runs", "list").out == "no runs\n"
    assert lba("conversations", "list").out == "no conversations\n"
    assert lba("tokens", "list").code == 0
    assert lba("bindings", "list").code == 0
    assert lba("runs", "show", "run_x").code == 1
    assert not (project / "data").exists()


def test_writes_need_the_lock(lba: Run, project: Path, server: Server) -> None:
    """A host that holds the store but cannot be reached keeps others from writing: exit 78."""
    (project / "data" / "host.json").unlink()
    done = lba("tokens", "create", "shop")

    assert (done.code, done.out) == (78, "")
    assert f"held by another host, process {server.process.pid}" in done.err
    assert lba("runs", "list").code == 0


def test_in_chinese(process: Run, project: Path) -> None:
    """The same in Chinese has no English sentence left."""
    process("send", "--text", "你好")
    done = process("runs", "list", lang="zh_Hans")
    paused = process("bindings", "pause", "everybody", lang="zh_Hans")
    unknown = process("bindings", "show", "everybdy", lang="zh_Hans")

    assert done.out.splitlines()[0].split() == ["创建时间", "状态", "绑定", "用时", "运行"]
    assert paused.out == "√ everybody 已暂停\n"
    assert "没有绑定 'everybdy'" in unknown.err
