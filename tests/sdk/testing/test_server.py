"""Starting and ending the fake server: in a test, in a thread, as a command."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import anyio
import pytest
from openai import AsyncOpenAI, OpenAI

from langbot_agents.sdk.testing import FakeOpenAI, FakeReply
from langbot_agents.sdk.testing.openai_server import main

from .asking import Asker


async def test_async_use() -> None:
    """`async with` gives a server beside the loop, which an async client talks to, several times at once."""
    async with FakeOpenAI() as server, AsyncOpenAI(base_url=server.base_url, api_key="k") as client:
        server.reply(FakeReply(text="abcd", text_split=1, chunk_delay=0.05))
        texts: list[str] = []

        async def ask() -> None:
            stream = await client.chat.completions.create(
                model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
            )
            text = ""
            async for chunk in stream:
                text += chunk.choices[0].delta.content or ""
            texts.append(text)

        began = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(ask)

        assert texts == ["abcd"] * 5
        assert time.monotonic() - began < 1.0
        assert await server.requests[0].ended() == "answered"


def test_end_does_not_wait_for_answers() -> None:
    """What is under way when the server ends is broken off, and its threads are gone."""
    before = threading.active_count()
    with FakeOpenAI() as server, OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        server.reply(FakeReply(text="abc", chunk_delay=60))
        stream = client.chat.completions.create(
            model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
        )
        next(stream)
        began = time.monotonic()
        server.stop()
        took = time.monotonic() - began
        stream.close()

    assert took < 2
    assert server.requests[0].outcome == "dropped"
    assert threading.active_count() == before


def test_use_before_start_and_twice() -> None:
    """A server that does not run has no address; one that runs is not started again."""
    server = FakeOpenAI()
    with pytest.raises(RuntimeError, match="does not run"):
        _ = server.base_url
    with server:
        with pytest.raises(RuntimeError, match="runs already"):
            server.start()
        first = server.base_url
    with server, OpenAI(base_url=server.base_url, api_key="k") as client:
        assert Asker(client).whole().choices
        assert first.startswith("http://127.0.0.1:")


def test_request_that_is_not_answered_in_time() -> None:
    """Waiting for the end of an answer has a limit."""
    with FakeOpenAI() as server, OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        server.reply(FakeReply(text="abc", chunk_delay=60))
        with (
            client.chat.completions.create(
                model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
            ),
            pytest.raises(TimeoutError, match="still being answered"),
        ):
            server.requests[0].wait(0.05)


def test_taken_port(capsys: pytest.CaptureFixture[str]) -> None:
    """A port that is taken is an error that names it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            FakeOpenAI(port=port).start()

        assert main(["--port", str(port)]) == 1
    assert f"127.0.0.1:{port}" in capsys.readouterr().err


@pytest.fixture
def command() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server as a command, and the address that it printed."""
    arguments = [
        "-W",
        "error",
        "-m",
        "langbot_agents.sdk.testing.openai_server",
        "--port",
        "0",
        "--delay",
        "0",
    ]
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_command_answers_until_it_is_interrupted(command: tuple[subprocess.Popen[str], str]) -> None:
    """`python -m langbot_agents.sdk.testing.openai_server` holds a conversation with any model name."""
    process, url = command
    with OpenAI(base_url=url, api_key="any", max_retries=0) as client:
        text = Asker(client).stream("hello", model="whatever").text
    process.send_signal(signal.SIGINT)

    assert text == "You said: hello"
    assert process.wait(10) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_missing_extra() -> None:
    """The package imports neither starlette nor uvicorn; a server without them says what to install."""
    code = """
import sys
import langbot_agents.sdk.testing as testing
print(sorted({"starlette", "uvicorn", "openai"} & set(sys.modules)))
sys.modules["uvicorn"] = None
try:
    testing.FakeOpenAI().start()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "[]",
        "FakeOpenAI needs uvicorn; install the extra: pip install 'langbot-agents[testing]'",
    ]
