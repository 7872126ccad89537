"""Projects to run commands in, and the commands: in this process, or as a process of their own."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from langbot_agents.framework.cli.entry import run

ROOT_DOCUMENT = """\
apiVersion: langbot-agents/v1
kind: Host
timezone: Asia/Shanghai
"""

BINDINGS = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: everybody
event_types: [message.*]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: refunds
event_types: [message.received]
priority: 10
filters:
  - name: about money
    expr: contains(input.text || '', '退款') && actor.actor_type == 'user'
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: other-bot
event_types: [message.received]
scope:
  bot_id: "1"
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: broken-filter
event_types: [message.received]
priority: 20
filters:
  - length(metadata.nothing) > `3`
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: at-night
event_types: [message.received]
priority: 30
active:
  hours: [{hours: "22:00-06:00", days: [mon, tue]}]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: switched-off
enabled: false
event_types: [message.received]
priority: 40
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: joined
event_types: [group.member_joined]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: notes
event_types: [message.received, friend.request_received]
mode: observe
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: nothing
event_types: [message.recalled]
priority: 5
runner_id: discard
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: misspelt
event_types: [message.received]
runner_id: ehco
"""
DAY = "2026-03-02T10:00:00+08:00"
"""A Monday morning, at which `at-night` is not active."""


@dataclass(frozen=True)
class Done:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The result, where it is JSON."""
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project with a binding for every reason; the current folder of the test."""
    folder = tmp_path / "project"
    (folder / "bindings").mkdir(parents=True)
    (folder / "langbot-agents.yaml").write_text(ROOT_DOCUMENT)
    (folder / "bindings" / "all.yaml").write_text(BINDINGS)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def lba(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """A command in this process, in English."""
    logger = logging.getLogger()
    handlers, level = list(logger.handlers), logger.level

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = run(words)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    yield call
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.fixture
def process() -> Run:
    """A command in a process of its own."""

    def call(*words: str, lang: str = "en_US", stdin: str | None = None, **environment: str) -> Done:
        done = subprocess.run(
            command(*words),
            env={**os.environ, "LANGBOT_AGENTS_LANG": lang, **environment},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return call


def command(*words: str) -> list[str]:
    """The words that start the program."""
    return [sys.executable, "-W", "error", "-m", "langbot_agents.framework.cli", *words]


class Server:
    """A running `lba serve`."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            command("serve", "--port", "0", *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LANGBOT_AGENTS_LANG": "en_US"},
        )

    @property
    def out(self) -> IO[str]:
        """What it prints."""
        assert self.process.stdout is not None
        return self.process.stdout

    def until(self, word: str) -> str:
        """What it prints, up to the line that holds the word."""
        text = ""
        for line in self.out:
            text += line
            if word in line:
                return text
        assert self.process.stderr is not None
        raise AssertionError(f"{word!r} never came:\n{text}\n{self.process.stderr.read()}")

    def stop(self, number: int = signal.SIGTERM) -> Done:
        """End it."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return Done(self.process.returncode, out, err)


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    """The host of the project, ready."""
    running = Server()
    try:
        running.until("  -d ")
        yield running
    finally:
        running.stop(signal.SIGKILL)


@pytest.fixture(params=["store", "host"])
def via(request: pytest.FixtureRequest, project: Path) -> Iterator[str]:
    """With no host running, and with one; a test asks for it behind what writes the project."""
    if request.param == "store":
        yield "store"
        return
    running = Server()
    try:
        running.until("  -d ")
        yield "host"
    finally:
        running.stop(signal.SIGKILL)


@pytest.fixture
def day() -> str:
    """A time at which the decision does not depend on when the test runs."""
    return DAY
