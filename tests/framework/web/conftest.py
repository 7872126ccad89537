"""A real server on loopback, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest

HOST_DOCUMENT = "apiVersion: langbot-agents/v1\nkind: Host\nserver: {port: 0}\n"

BINDINGS = """
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: chat
event_types: [message.received]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: slow
event_types: [message.received]
filters: ["contains(not_null(input.text, ''), 'slow')"]
priority: 1
runner_id: echo
runner_config: {delay: 0.3}
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: calls
event_types: [api.invoked]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: quiet
event_types: [bot.muted]
runner_id: discard
"""


@dataclass
class Served:
    """A project and the server that runs it."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None
    keep_output: bool = False
    output: list[str] = field(default_factory=list)
    """What it printed, if that is kept."""

    def start(self) -> "Served":
        """Start the server and wait until it answers."""
        self.process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self._environ,
        )
        return self._wait()

    def refused(self) -> str:
        """What it says where it cannot start."""
        done = subprocess.run(
            self._command, capture_output=True, text=True, env=self._environ, timeout=20, check=False
        )
        assert done.returncode == 78
        return done.stderr

    @property
    def _command(self) -> list[str]:
        return [sys.executable, "-m", "langbot_agents.framework.cli", "-c", str(self.root), "serve"]

    @property
    def _environ(self) -> dict[str, str]:
        return {**os.environ, "LANGBOT_AGENTS_LANG": "en_US", "COLUMNS": "200", **self.environ}

    def _wait(self) -> "Served":
        assert self.process is not None
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if (self.root / "data/host.json").exists() and self.file["pid"] == self.process.pid:
                return self
        raise AssertionError("the server did not start:\n" + "".join(lines))

    @property
    def file(self) -> dict[str, Any]:
        """The running host's `host.json`."""
        data: dict[str, Any] = json.loads((self.root / "data/host.json").read_text())
        return data

    @property
    def headers(self) -> dict[str, str]:
        """The local token as a header."""
        return {"Authorization": f"Bearer {self.file['token']}"}

    def client(self, *, authorised: bool = True, **options: Any) -> httpx.Client:
        """A client of the server."""
        headers = self.headers if authorised else {}
        return httpx.Client(base_url=self.file["url"], headers=headers, timeout=20, **options)

    def token(self, name: str, *scopes: str, **wanted: Any) -> str:
        """A new token, made with the local one."""
        with self.client() as client:
            answer = client.post("/v1/tokens", json={"name": name, "scopes": scopes, **wanted})
        assert answer.status_code == 201, answer.text
        token: str = answer.json()["token"]
        return token

    def outsider(self, token: str, **options: Any) -> httpx.Client:
        """A client with a token of the book."""
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.file["url"], headers=headers, timeout=20, **options)

    def kill(self) -> None:
        """End the process as a power cut would."""
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        """End the process in order; gives its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None
        code = self.process.wait(20)
        if self.process.stdout is not None:
            if self.keep_output:
                self.output.append(self.process.stdout.read())
            self.process.stdout.close()
        self.process = None
        return code


def make_project(root: Path, bindings: str = BINDINGS, host: str = HOST_DOCUMENT) -> Served:
    """Write a project; nothing runs yet."""
    (root / "bindings").mkdir(parents=True)
    (root / "langbot-agents.yaml").write_text(textwrap.dedent(host))
    (root / "bindings/all.yaml").write_text(bindings.lstrip())
    return Served(root)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a module."""
    server = make_project(tmp_path_factory.mktemp("served")).start()
    yield server
    server.stop()


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    """A client with the local token."""
    with served.client() as made:
        yield made


def sse(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The events of a finished event stream."""
    events = []
    for block in response.text.split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith(":")]
        if lines:
            name = lines[0].removeprefix("event: ")
            events.append((name, json.loads(lines[1].removeprefix("data: "))))
    return events


STREAM = {"Accept": "text/event-stream"}
MESSAGE = {"event_type": "message.received", "conversation_id": "person_1", "input": {"text": "one two"}}


def say(client: httpx.Client, text: str = "one two", **more: Any) -> dict[str, Any]:
    """Send a message and wait for its reply."""
    answer = client.post("/v1/events?wait=20", json={**MESSAGE, "input": {"text": text}, **more})
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    return done


def events_of(lines: Iterator[str]) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    """The events of a stream as they come: id, name, data."""
    number, name = None, ""
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "id":
            number = value
        elif key == "event":
            name = value
        elif key == "data":
            yield number, name, json.loads(value)
            number = None


def pages(client: httpx.Client, address: str, name: str, **params: str) -> list[dict[str, Any]]:
    """All records of a list, page by page."""
    found: list[dict[str, Any]] = []
    place: dict[str, str] = {}
    while True:
        page = client.get(address, params={"limit": "2", **params, **place}).json()
        assert 0 < len(page[name]) <= 2
        found += page[name]
        if page["next_cursor"] is None:
            return found
        place = {"cursor": page["next_cursor"]}


def key_of(name: str) -> str:
    """The address of a conversation of the local source."""
    return quote(json.dumps(["local", name, None], separators=(",", ":")), safe="")
