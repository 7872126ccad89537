"""`lba doctor`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from langbot_agents.sdk.testing import FakeOpenAI

from .conftest import Done, Run, Server

MODEL = """\
models:
  - name: main
    model: fake-model
    base_url: {url}
    api_key: ${{env:DOCTOR_KEY}}
"""


def checks(done: Done, area: str) -> list[dict[str, Any]]:
    """The checks of an area."""
    return [check for check in done.json["checks"] if check["area"] == area]


@pytest.fixture
def sound(project: Path) -> Path:
    """A project with nothing wrong."""
    (project / "bindings" / "all.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: all\n"
        "event_types: [message.received]\nrunner_id: echo\n"
    )
    return project


def test_sound(lba: Run, sound: Path) -> None:
    """Nothing wrong is exit 0, one line for each thing, and nothing is made by looking."""
    done = lba("doctor")

    assert (done.code, done.err) == (0, "")
    assert all(line.startswith("√ ok ") for line in done.out.splitlines()[:-2])
    assert done.out.endswith(" ok, 0 to look at, 0 bad\n")
    assert f"Python {'.'.join(map(str, sys.version_info[:3]))}" in done.out
    assert "Asia/Shanghai: it is " in done.out
    assert "the first start of the host makes it" in done.out
    assert not (sound / "data").exists()


def test_json(lba: Run, sound: Path) -> None:
    """As JSON each check has its area, status, message and remedy."""
    answer = lba("doctor", "-o", "json").json

    assert answer["schema"] == "langbot-agents/doctor/v1"
    assert answer["ok"] is True
    assert {tuple(check) for check in answer["checks"]} == {("area", "status", "message", "remedy")}


def test_no_project(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a root document that is what is bad."""
    monkeypatch.chdir(tmp_path)
    done = lba("doctor")

    assert done.code == 1
    assert "x bad  project" in done.out
    assert "→ `lba init` makes a project" in done.out


def test_broken_root(lba: Run, project: Path) -> None:
    """A root document that cannot be used is named with its cause."""
    (project / "langbot-agents.yaml").write_text("apiVersion: langbot-agents/v1\nkind: Host\nx: 1\n")
    done = lba("doctor")

    assert done.code == 1
    assert "unknown key 'x'" in done.out


def test_bindings(lba: Run, project: Path) -> None:
    """A binding that is left out is bad, with the command that says why."""
    done = lba("doctor", "-o", "json")

    assert done.code == 1
    assert checks(done, "bindings")[0]["status"] == "bad"
    assert checks(done, "bindings")[0]["message"] == "8 live, 1 left out"


def test_no_bindings(lba: Run, sound: Path) -> None:
    """None at all is something to look at."""
    (sound / "bindings" / "all.yaml").unlink()
    done = lba("doctor", "-o", "json")

    assert checks(done, "bindings")[0]["status"] == "warn"


def test_secrets(lba: Run, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is missing is named, and so is the model that needs it; its value is never shown."""
    with (sound / "langbot-agents.yaml").open("a") as file:
        file.write(MODEL.format(url="http://127.0.0.1:9/v1"))
    monkeypatch.delenv("DOCTOR_KEY", raising=False)
    without = lba("doctor", "-o", "json")
    monkeypatch.setenv("DOCTOR_KEY", "sk-very-secret")
    there = lba("doctor", "-o", "json")

    assert [check["status"] for check in checks(without, "secrets")] == ["bad"]
    assert "${env:DOCTOR_KEY}" in checks(without, "secrets")[0]["message"]
    assert checks(without, "model")[0]["status"] == "bad"
    assert there.code == 0
    assert checks(there, "model")[0]["message"].endswith("its key is there")
    assert "sk-very-secret" not in there.out


@pytest.mark.parametrize(
    ("key", "model", "status", "said"),
    [
        ("right-key", "fake-model", "ok", "it answers and takes the key"),
        ("wrong-key", "fake-model", "bad", "it refuses the key (401)"),
        ("right-key", "other-model", "warn", "it answers, but lists no model 'other-model'"),
    ],
)
def test_connect(
    lba: Run, sound: Path, monkeypatch: pytest.MonkeyPatch, key: str, model: str, status: str, said: str
) -> None:
    """With `--connect` the model's service is asked; without, it hears nothing."""
    monkeypatch.setenv("DOCTOR_KEY", key)
    with FakeOpenAI(api_key="right-key") as server:
        with (sound / "langbot-agents.yaml").open("a") as file:
            file.write(MODEL.format(url=server.base_url).replace("fake-model", model))
        lba("doctor")
        quiet = len(server.requests)
        (check,) = checks(lba("doctor", "--connect", "-o", "json"), "model")

    assert quiet == 0
    assert check["status"] == status
    assert said in check["message"]


def test_connect_nowhere(lba: Run, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that is not there is bad."""
    monkeypatch.setenv("DOCTOR_KEY", "k")
    with (sound / "langbot-agents.yaml").open("a") as file:
        file.write(MODEL.format(url="http://127.0.0.1:9/v1"))
    (check,) = checks(lba("doctor", "--connect", "-o", "json"), "model")

    assert check["status"] == "bad"
    assert "cannot be reached" in check["message"]


def test_stale_host_file(lba: Run, sound: Path) -> None:
    """A host.json of a host that is gone is something to look at."""
    (sound / "data").mkdir()
    (sound / "data" / "host.json").write_text(
        json.dumps({"url": "http://127.0.0.1:9", "pid": 2**22 + 1, "token": "t", "version": "0"})
    )

    assert [check["status"] for check in checks(lba("doctor", "-o", "json"), "host")] == ["warn"]


def test_foreign_store(lba: Run, sound: Path) -> None:
    """A store that is none of ours is bad, with its remedy."""
    (sound / "data").mkdir()
    (sound / "data" / "langbot-agents.db").write_text("not a database" * 100)
    (check,) = checks(lba("doctor", "-o", "json"), "store")

    assert check["status"] == "bad"
    assert "langbot-agents.db" in check["message"]


@pytest.mark.slow
def test_running_host(lba: Run, sound: Path) -> None:
    """A host that runs is named with its process, and as the holder of the store."""
    running = Server()
    try:
        running.until("  -d ")
        done = lba("doctor", "-o", "json")
    finally:
        running.stop()

    assert done.code == 0
    assert f"process {running.process.pid}" in checks(done, "host")[0]["message"]
    assert f"held by process {running.process.pid}" in checks(done, "store")[0]["message"]


def test_in_chinese(process: Run, sound: Path) -> None:
    """The same in Chinese."""
    done = process("doctor", lang="zh_Hans")

    assert done.code == 0
    assert "没有主机运行；`lba serve` 启动它" in done.out
    assert done.out.endswith("0 项有问题\n")
