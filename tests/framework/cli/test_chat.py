"""`lba chat`: a conversation with a host in the process or a running one, on a terminal or by script."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Done, Run, Server, command
from .terminal import CTRL_C, CTRL_D, Terminal

pytestmark = pytest.mark.slow

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
SLOW = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: slow
event_types: [message.received]
runner_id: echo
runner_config: {delay: 0.25}
"""


@pytest.fixture
def slow(project: Path) -> Path:
    """A project whose only binding answers a word each quarter of a second."""
    (project / "bindings" / "all.yaml").write_text(SLOW)
    return project


def turns(done: Done) -> list[dict[str, object]]:
    """What each message gave, of `-o json`."""
    return [json.loads(line) for line in done.out.splitlines()]


def test_script(process: Run, project: Path, via: str) -> None:
    """Each line of stdin is a message, each answer is on stdout, and nothing else is."""
    done = process("chat", stdin="one two\n\nand again\n")

    assert (done.code, done.out, done.err) == (0, "one two\nand again\n", "")


def test_json(process: Run, project: Path, via: str) -> None:
    """As JSON each message gives one line: what was said, by whom it was answered, and how it ended."""
    first, second = turns(process("chat", "-o", "json", stdin="one two\nand again\n"))

    assert first["schema"] == "langbot-agents/chat/v1"
    assert (first["text"], first["status"]) == ("one two", "answered")
    assert first["via"] == ("host" if via == "host" else "embedded")
    assert [item["text"] for item in second["messages"]] == ["and again"]  # type: ignore[attr-defined]
    assert first["event_uid"] != second["event_uid"]


def test_actor_and_conversation(process: Run, lba: Run, project: Path) -> None:
    """`--as` and `--in` say who talks and where; each message is an event of its own that names them."""
    (turn,) = turns(process("chat", "--as", "mia", "--in", "group_7", "-o", "json", stdin="x\n"))
    event = lba("events", "show", str(turn["event_uid"]), "-o", "json").json["event"]

    assert event["event_type"] == "message.received"
    assert event["event_id"].startswith("chat_")
    assert event["actor"]["actor_id"] == "mia"
    assert event["actor"]["actor_type"] == "user"
    assert (event["conversation_id"], event["conversation_type"]) == ("group_7", "group")


def test_words_of_its_own(process: Run, project: Path) -> None:
    """A line that begins with / is for the chat, one with // for the bot; /quit ends it."""
    done = process("chat", stdin="/help\n/hepl\n//help\n/quit\nnever said\n")

    assert (done.code, done.out) == (0, "/help\n")
    assert "/image PATH  adds a picture to the next message" in done.err
    assert "there is no /hepl" in done.err


def test_nobody_answers(process: Run, project: Path) -> None:
    """Where no binding takes it, that is said, with the command that says why; it is no failure."""
    (project / "bindings" / "all.yaml").unlink()
    done = process("chat", stdin="x\n")

    assert (done.code, done.out) == (0, "")
    assert "~ unmatched: nobody answers it" in done.err
    assert "`lba route evt_" in done.err


def test_terminal(project: Path, via: str) -> None:
    """On a terminal it says where one is, prompts, answers, and leaves at Ctrl-D."""
    where = "a host in this process" if via == "store" else "the running host"
    with Terminal("chat") as terminal:
        said = terminal.prompt()
        terminal.type("one two\r")
        terminal.until("one two\r\none two\r\n")
        terminal.prompt()
        terminal.type(CTRL_D)

        assert terminal.end() == 0
    assert f"me in person_me, through {where}" in said


def test_cancel(slow: Path, via: str, lba: Run) -> None:
    """Ctrl-C in the middle of an answer cancels its run, and the conversation goes on; then it leaves."""
    with Terminal("chat") as terminal:
        terminal.prompt()
        terminal.type("one two three four five six seven eight nine ten\r")
        terminal.until("\r\none two ")
        terminal.type(CTRL_C)
        shown = terminal.until("~ cancelled")
        terminal.prompt()
        terminal.type("again\r")
        terminal.until("again\r\nagain\r\n")
        terminal.prompt()
        terminal.type(CTRL_C)

        assert terminal.end() == 0
    assert "ten" not in shown
    runs = lba("runs", "list", "-o", "json").json["runs"]
    assert [run["status"] for run in runs] == ["completed", "cancelled"]


def test_cancel_before_it_begins(slow: Path, via: str, lba: Run) -> None:
    """Ctrl-C before anything of an answer came cancels its run, too."""
    slow.joinpath("bindings", "all.yaml").write_text(SLOW.replace("0.25", "20"))
    with Terminal("chat") as terminal:
        terminal.prompt()
        terminal.type("one two\r")
        terminal.until("one two\r\n")
        time.sleep(0.2)  # the line is taken from the terminal; before that Ctrl-C would leave
        terminal.type(CTRL_C)
        terminal.until("~ cancelled")
        terminal.prompt()
        terminal.type(CTRL_D)

        assert terminal.end() == 0


def test_host_goes_and_comes(slow: Path) -> None:
    """A host that dies in the middle of an answer is told of; the chat goes on with the next one."""
    running = Server()
    running.until("  -d ")
    with Terminal("chat") as terminal:
        terminal.prompt()
        terminal.type("one two three four five six seven eight\r")
        terminal.until("\r\none two ")
        running.stop(signal.SIGKILL)
        terminal.until("x http://127.0.0.1:")
        terminal.prompt()
        terminal.type("still there?\r")
        terminal.until("x the host does not run any more")
        terminal.until("start it again (`lba serve`), and go on here")
        running = Server()
        running.until("  -d ")
        terminal.prompt()
        terminal.type("hello again\r")
        terminal.until("hello again\r\nhello again\r\n")
        terminal.prompt()
        terminal.type(CTRL_D)

        assert terminal.end() == 0
    running.stop()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PNG + bytes(4_000_000), "x cat.png: 3.8 MiB is too large; there is room for 2.9 MiB"),
        (b"hello", "x cat.png: this is no picture"),
        (None, "x cat.png: No such file or directory"),
    ],
    ids=["large", "text", "absent"],
)
def test_no_image(process: Run, project: Path, content: bytes | None, said: str) -> None:
    """A file that cannot be sent is told with the cause, and the chat goes on."""
    if content is not None:
        (project / "cat.png").write_bytes(content)
    done = process("chat", stdin="/image cat.png\nhello\n")

    assert (done.code, done.out) == (1, "hello\n")
    assert said in done.err


def test_no_image_at_the_start(process: Run, project: Path) -> None:
    """A wrong `--image` is told before anything is sent."""
    done = process("chat", "--image", "nowhere.png", stdin="hello\n")

    assert (done.code, done.out) == (1, "")
    assert "nowhere.png: No such file or directory" in done.err
    assert "Traceback" not in done.err


def test_largest_image(process: Run, project: Path, via: str) -> None:
    """What has room is taken: the bound of a picture and that of a request agree."""
    (project / "cat.png").write_bytes(PNG + bytes(3_047_300))
    done = process("chat", stdin="/image cat.png\nhello\n")

    assert (done.code, done.out) == (0, "hello\n")


def test_host_is_busy(process: Run, slow: Path) -> None:
    """A host that takes nothing more says so, and when to try again; the chat goes on."""
    with (slow / "langbot-agents.yaml").open("a") as file:
        file.write("limits: {max_pending: 1}\n")
    running = Server()
    try:
        running.until("  -d ")
        with subprocess.Popen(
            command("send", "--text", " ".join("abcdefghijklmnopqrstuvwx")),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as sender:
            assert sender.stdout is not None
            assert sender.stdout.read(1) == "a"
            done = process("chat", stdin="x\n\n")
            sender.communicate()
        after = process("chat", stdin="x\n")
    finally:
        running.stop()

    assert (done.code, done.out) == (1, "")
    assert "x the host takes nothing more just now: 1 events wait" in done.err
    assert "try again in " in done.err
    assert (after.code, after.out) == (0, "x\n")


def test_host_refuses_the_token(process: Run, server: Server, project: Path) -> None:
    """A host.json that is not the host's own is told in a sentence."""
    path = project / "data" / "host.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "token": "lba_local_of-somebody-else"}))
    done = process("chat", stdin="x\n")

    assert (done.code, done.out) == (1, "")
    assert "x the host does not know this command's token" in done.err


def test_second_host(lba: Run, project: Path, server: Server) -> None:
    """`--embedded` beside a running host is refused with 78."""
    done = lba("chat", "--embedded")

    assert done.code == 78
    assert f"held by another host, process {server.process.pid}" in done.err
