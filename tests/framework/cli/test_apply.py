"""`lba apply`: proof that what is on disk is live; and hot reload of a host as a process."""

import json
import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run, Server, command

pytestmark = pytest.mark.slow

GOOD = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: {name}
event_types: [message.received]
priority: {priority}
runner_id: echo
"""


@pytest.fixture
def good(project: Path) -> Path:
    """A project whose every document is in order; gives its file of bindings."""
    file = project / "bindings" / "all.yaml"
    file.write_text(GOOD.format(name="first", priority=1))
    return file


@pytest.fixture
def running(good: Path, server: Server) -> Server:
    """Its host."""
    return server


def until(condition: Callable[[], bool]) -> None:
    """Wait until it is so."""
    for _ in range(200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


def test_no_host(good: Path, lba: Run) -> None:
    """Without a host nothing is live, and it says how to start one."""
    done = lba("apply", "--wait")

    assert (done.code, done.out) == (1, "")
    assert "no host runs for this project" in done.err
    assert "`lba serve` starts one" in done.err


def test_wait(good: Path, running: Server, lba: Run) -> None:
    """It waits until the host answers with what is on disk, and says what is new."""
    before = lba("apply", "--wait", "-o", "json").json
    good.write_text(GOOD.format(name="first", priority=2) + "---\n" + GOOD.format(name="second", priority=3))
    done = lba("apply", "--wait")
    after = lba("apply", "-o", "json").json
    listed = lba("bindings", "list", "-o", "json").json
    said = lba("send", "--text", "x", "-o", "json").json

    assert (before["live"], before["bindings"]) == (True, 1)
    assert done.code == 0
    assert done.out.startswith("√ live: 2 bindings  sha256:")
    assert "1 new: second" in done.out
    assert "1 changed: first" in done.out
    assert after["schema"] == "langbot-agents/apply/v1"
    assert after["live"]
    assert after["digest"] == after["wanted"] == listed["digest"] != before["digest"]
    assert said["winner"] == "second"


def test_errors(good: Path, running: Server, lba: Run) -> None:
    """Errors are shown with their place; the host goes on with the last good revision, and says so."""
    good.write_text(GOOD.format(name="first", priority="high"))
    done = lba("apply", "--wait")
    until(lambda: lba("bindings", "list", "-o", "json").json["bindings"][0]["stale"])
    listed = lba("bindings", "list")
    (row,) = lba("bindings", "list", "-o", "json").json["bindings"]
    shown = lba("bindings", "show", "first")
    said = lba("send", "--text", "x")

    assert (done.code, done.out) == (1, "")
    assert "bindings/all.yaml:5:11: priority: expected a whole number, got 'high'" in done.err
    assert "the host goes on with the last good revision" in done.err
    assert "live (last good; the file has an error)" in listed.out
    assert "live (last good; the file has an error)" in shown.out
    assert (row["state"], row["stale"], row["origin"]) == ("live", True, "bindings/all.yaml:1")
    assert row["reason"].startswith("bindings/all.yaml:5:11: priority:")
    assert row["revision"].startswith("sha256:")
    assert (said.code, said.out) == (0, "x\n")


def test_paused(good: Path, running: Server, lba: Run) -> None:
    """A pause is an operator's and not the files': what is on disk is live beside it."""
    lba("bindings", "pause", "first")
    done = lba("apply", "--wait", "--timeout", "5s")

    assert (done.code, "√ live: 0 bindings" in done.out) == (0, True)


def test_restart_needed(good: Path, running: Server, lba: Run, project: Path) -> None:
    """A root document that takes a restart is never live before it; the reason names the key."""
    root = project / "langbot-agents.yaml"
    root.write_text(root.read_text() + "limits: {concurrency: 3}\n")
    done = lba("apply", "--wait", "--timeout", "20")
    listed = lba("bindings", "list")

    assert done.code == 1
    assert "langbot-agents.yaml: limits changed, which takes a restart of the host" in done.err
    assert "limits changed, which takes a restart" in listed.err


def test_root_document(good: Path, running: Server, lba: Run, project: Path) -> None:
    """What of the root document takes effect at once is waited for like a binding."""
    root = project / "langbot-agents.yaml"
    root.write_text(root.read_text().replace("Asia/Shanghai", "Europe/Berlin"))
    done = lba("apply", "--wait")
    unknown = root.write_text(root.read_text().replace("Berlin", "Berlinn"))
    refused = lba("apply", "--wait")

    assert done.code == 0
    assert unknown
    assert refused.code == 1
    assert "'Europe/Berlinn'" in refused.err


def test_no_reload(good: Path, lba: Run) -> None:
    """A host that does not watch loads at SIGHUP alone; `apply` says so, and gives up in time."""
    server = Server("--no-reload")
    try:
        server.until("  -d ")
        good.write_text(GOOD.format(name="first", priority=2))
        late = lba("apply", "--wait", "--timeout", "1")
        as_json = lba("apply", "-o", "json").json
        server.process.send_signal(signal.SIGHUP)
        done = lba("apply", "--wait")
    finally:
        ended = server.stop()

    assert late.code == 1
    assert "not live: the host has another set of bindings" in late.err
    assert "1 that it has in another form: first" in late.err
    assert "send SIGHUP to its process" in late.err
    assert (as_json["live"], as_json["changes"]["changed"]) == (False, ["first"])
    assert done.code == 0
    assert ended.code == 0


def test_dev(good: Path, lba: Run) -> None:
    """With `--dev` each reload is a line, and each error another."""
    server = Server("--dev")
    try:
        server.until("  -d ")
        good.write_text(GOOD.format(name="second", priority=1))
        first = server.until("reloaded: ")
        good.write_text(GOOD.format(name="second", priority="high"))
        second = server.until("x bindings/all.yaml:5:11: priority:")
    finally:
        server.stop()

    assert "reloaded: 1 added (second), 1 removed (first)" in first
    assert "reloaded" not in second


@pytest.mark.skipif(shutil.which("setsid") is None, reason="needs setsid of util-linux")
def test_terminal_gone(good: Path, project: Path) -> None:
    """A host whose terminal is closed ends in order; SIGHUP with the terminal there only reloads."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", *command("serve", "--port", "0")], stdin=other, stdout=other, stderr=other
    )
    os.close(other)
    try:
        until((project / "data" / "host.json").exists)
        host = json.loads((project / "data" / "host.json").read_text())
        os.kill(host["pid"], signal.SIGHUP)
        time.sleep(0.5)
        alive = process.poll() is None
        os.close(main)
        code = process.wait(timeout=20)
    finally:
        process.kill()
        process.wait()

    assert alive
    assert code == 0
    assert not (project / "data" / "host.json").exists()
