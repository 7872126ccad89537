"""`lba serve`: the host as a process, and the commands that work beside it."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import pytest

from .conftest import Run, Server, command

pytestmark = pytest.mark.slow


def test_ready(project: Path) -> None:
    """When ready it prints where it is, what is loaded, and what to try; a signal ends it with 0."""
    running = Server()
    said = running.until("  -d ")
    host = json.loads((project / "data" / "host.json").read_text())
    ended = running.stop(signal.SIGINT)

    assert f"answers at {host['url']}" in said
    assert "8 live, 1 left out" in said
    assert "discard, echo" in said
    assert str(project / "data" / "langbot-agents.db") in said
    assert 'send --text "hello"' in said
    assert "route message.received" in said
    assert f"Bearer {host['token']}" in said
    assert ended.code == 0
    assert "Traceback" not in ended.err
    assert not (project / "data" / "host.json").exists()


def test_json(project: Path) -> None:
    """As JSON it is one object, printed when it is ready."""
    running = Server("-o", "json")
    answer = json.loads("".join(_object(running.out)))
    running.stop()

    assert answer["schema"] == "langbot-agents/serve/v1"
    assert answer["bindings"] == {"live": 8, "quarantined": 1}
    assert answer["pid"] == running.process.pid


def _object(lines: IO[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if line == "}\n":
            return


def test_what_it_says_can_be_typed(server: Server, project: Path) -> None:
    """The curl line that it prints works as it stands."""
    host = json.loads((project / "data" / "host.json").read_text())
    done = subprocess.run(
        [
            "curl", "-sN", f"{host['url']}/v1/events", "-H", f"Authorization: Bearer {host['token']}",
            "-H", "Accept: text/event-stream", "-H", "Content-Type: application/json",
            "-d", '{"event_type": "message.received", "input": {"text": "hello"}}',
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "event: message.close" in done.stdout
    assert "event: done" in done.stdout


def test_send(server: Server, lba: Run) -> None:
    """`send` goes to the running host, and streams."""
    done = lba("send", "--text", "one two")
    answer = lba("send", "--text", "one two", "-o", "json").json

    assert (done.code, done.out) == (0, "one two\n")
    assert "√ everybody completed" in done.err
    assert answer["via"] == "host"
    assert answer["winner"] == "everybody"
    assert [item["text"] for item in answer["messages"]] == ["one two"]


def test_send_repeat(server: Server, lba: Run, project: Path) -> None:
    """A repeat gets the first reply again."""
    (project / "event.json").write_text(
        '{"event_type": "message.received", "event_id": "1", "input": {"text": "x"}}'
    )
    first, second = lba("send", "event.json"), lba("send", "event.json")

    assert first.out == second.out == "x\n"
    assert "a repeat of evt_" in second.err


def test_send_refused(server: Server, lba: Run, project: Path) -> None:
    """What the host refuses is told with its own words."""
    (project / "event.json").write_text('{"event_type": "Nope"}')
    done = lba("send", "event.json")

    assert done.code == 1
    assert "the host refused: event_type" in done.err
    assert "Traceback" not in done.err


def test_read_beside_it(server: Server, lba: Run) -> None:
    """The log can be read, and routes explained, while it runs."""
    uid = lba("send", "message.received", "-o", "json").json["event_uid"]

    assert [item["event_uid"] for item in lba("events", "list", "-o", "json").json["events"]] == [uid]
    assert lba("events", "show", uid).code == 0
    assert lba("route", uid).code == 0


@pytest.mark.parametrize(
    "words", [["serve", "--port", "0"], ["serve", "--once"], ["send", "--embedded", "--text", "x"]]
)
def test_second_host(server: Server, lba: Run, words: list[str]) -> None:
    """A second host on the same store is refused with 78, naming the process that holds it."""
    done = lba(*words)

    assert (done.code, done.out) == (78, "")
    assert f"held by another host, process {server.process.pid}" in done.err


def test_stale_host_file(lba: Run, project: Path) -> None:
    """A host.json of a host that is gone does not keep `send` from working."""
    (project / "data").mkdir()
    stale: dict[str, Any] = {"url": "http://127.0.0.1:9", "pid": os.getpid(), "token": "t", "version": "0"}
    (project / "data" / "host.json").write_text(json.dumps(stale))

    assert lba("send", "--text", "x", "-o", "json").json["via"] == "embedded"


def test_dev(project: Path, lba: Run) -> None:
    """With `--dev` each decision is a line."""
    running = Server("--dev")
    running.until("  -d ")
    uid = lba("send", "--text", "x", "-o", "json").json["event_uid"]
    said = running.until(uid)
    running.stop()

    assert "message.received  person_me  matched → everybody (observed by notes)" in said


def test_killed(project: Path, lba: Run) -> None:
    """After `kill -9` in the middle of a reply, the next start ends what was acknowledged."""
    (project / "bindings" / "all.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: slow\n"
        "event_types: [message.received]\nrunner_id: echo\nrunner_config: {delay: 2}\n"
    )
    running = Server()
    running.until("  -d ")
    with subprocess.Popen(
        command("send", "--text", "a b c"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as sender:
        assert sender.stdout is not None
        assert sender.stdout.read(1) == "a"
        running.stop(signal.SIGKILL)
        _, said = sender.communicate()
    assert sender.returncode == 1
    assert "`lba events list` shows whether the event is in the log" in said
    again = Server()
    taken_up = again.until("  -d ")
    again.stop()
    assert "taken up  1 ended as interrupted, 1 replies that were being sent" in taken_up
    (story,) = [
        lba("events", "show", item["event_uid"], "-o", "json").json
        for item in lba("events", "list", "--after", "0", "--limit", "1", "-o", "json").json["events"]
    ]
    assert [run["status"] for run in story["runs"]] == ["interrupted"]


def test_once(lba: Run, project: Path) -> None:
    """`--once` answers two samples, shows decision and reply of each, and ends; a second time too."""
    for _ in range(2):
        done = lba("serve", "--once")

        assert (done.code, done.err) == (0, "")
        assert "→ refunds answers with echo" in done.out
        assert "我想退款，订单号是 A20260302-118" in done.out
        assert "√ joined completed" in done.out
        assert done.out.endswith("√ both were answered\n")


def test_once_json(lba: Run, project: Path) -> None:
    """As JSON it is one object with both events."""
    answer = lba("serve", "--once", "-o", "json").json

    assert answer["answered"] is True
    assert [item["decision"]["winner"] for item in answer["events"]] == ["refunds", "joined"]


def test_once_unanswered(lba: Run, project: Path) -> None:
    """If one is not answered, it is exit 1 and said."""
    (project / "bindings" / "all.yaml").unlink()
    done = lba("serve", "--once")

    assert done.code == 1
    assert "~ unmatched: nobody answers it" in done.out
    assert "x not both were answered" in done.out


@pytest.mark.parametrize("words", [[], ["--once"]])
def test_invalid_root(lba: Run, project: Path, words: list[str]) -> None:
    """An invalid root document is 78: the host cannot start."""
    (project / "langbot-agents.yaml").write_text("apiVersion: langbot-agents/v1\nkind: Host\nx: 1\n")
    done = lba("serve", *words)

    assert (done.code, done.out) == (78, "")
    assert "unknown key 'x'" in done.err


@pytest.mark.parametrize("words", [[], ["--once"]])
def test_corrupt_store(lba: Run, project: Path, words: list[str]) -> None:
    """A store that is no database, or a broken one, is 78 with what to do; the file is left as it is."""
    store = project / "data" / "langbot-agents.db"
    store.parent.mkdir()
    store.write_bytes(b"no database at all " * 1000)
    done = lba("serve", *words)

    assert (done.code, done.out) == (78, "")
    assert f"error: {store}: " in done.err
    assert "restore it from a backup" in done.err
    assert "Traceback" not in done.err
    assert store.read_bytes() == b"no database at all " * 1000


def test_second_signal(project: Path) -> None:
    """A second Ctrl-C ends it at once, whatever runs and whoever waits, and is no fault; nothing is lost."""
    (project / "bindings" / "all.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: slow\n"
        "event_types: [message.received]\nrunner_id: echo\nrunner_config: {delay: 60}\n"
    )
    running = Server()
    running.until("  -d ")
    host = json.loads((project / "data" / "host.json").read_text())
    url = urlsplit(host["url"])
    body = b'{"event_type": "message.received", "input": {"text": "a b c"}}'
    with socket.create_connection((url.hostname, url.port), timeout=30) as caller:
        caller.sendall(
            f"POST /v1/events HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {host['token']}\r\n"
            f"Accept: text/event-stream\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        assert caller.recv(65536)  # it is on disk
        running.process.send_signal(signal.SIGINT)
        assert running.process.stderr is not None
        for line in running.process.stderr:  # the first signal is taken in; two at once could be one
            if '"stopping"' in line:
                break
        ended = running.stop(signal.SIGINT)
    again = Server()
    said = again.until("  -d ")
    again.stop(signal.SIGKILL)

    assert ended.code == 0
    assert "Traceback" not in ended.err
    assert "taken up" in said


def test_only_loopback(lba: Run, project: Path) -> None:
    """It does not listen for other machines yet, and says so."""
    done = lba("serve", "--host", "0.0.0.0")

    assert done.code == 78
    assert "'0.0.0.0' is not on this machine's loopback" in done.err


def test_port_taken(server: Server, lba: Run, project: Path) -> None:
    """A port that is taken is 78."""
    port = json.loads((project / "data" / "host.json").read_text())["url"].rpartition(":")[2]
    done = lba("serve", "--port", port)

    assert done.code == 78
    assert f"cannot listen on 127.0.0.1:{port}" in done.err
