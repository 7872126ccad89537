"""Packages of others in a whole host: LangBot's QA fixture, three runners in one, and the README's runner."""

import importlib.util
import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .conftest import MakeHouse

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "tests/packages"
HINT = "Something went wrong. Please try again later."
EMPTY = "There is no answer to this."


def module(package: str) -> ModuleType:
    """The one module of a package of the tests."""
    name = package.replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, PACKAGES / package / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    ("text", "status", "code", "shown"),
    [
        ("hello", "completed", None, ["QA_AGENT_RUNNER_OK:hello"]),
        ("", "completed", None, ["QA_AGENT_RUNNER_OK:empty"]),
        ("do stream it", "completed", None, ["QA_AGENT_RUNNER_OK:do stream it"]),
        ("fail the stream", "failed", "qa.controlled_failure", [HINT]),
    ],
)
async def test_qa_fixture(
    make_house: MakeHouse, text: str, status: str, code: str | None, shown: list[str]
) -> None:
    """`plugin:qa/agent-runner/default` behaves in this host as in LangBot."""
    bindings = [{"runner_id": "plugin:qa/agent-runner/default"}]
    house = make_house(bindings=bindings, plugins={"qa": module("qa-agent-runner")})
    async with house.open() as opened:
        story = await opened.say(text)

    assert (story.runs[0].status, story.runs[0].code) == (status, code)
    assert [item.content for item in story.deliveries] == shown


@pytest.mark.parametrize(
    ("case", "status", "types", "shown"),
    [
        ("ok", "completed", ["message.completed", "run.completed"], ["QA_RUNNER_OK"]),
        ("stream_ok", "completed", ["message.delta", "run.completed"], ["QA_RUNNER_STREAM_OK"]),
        ("empty_output", "completed", ["run.completed"], [EMPTY]),
        ("malformed_result", "completed", ["run.completed"], [EMPTY]),
        ("controlled_failure", "failed", ["run.failed"], [HINT]),
    ],
)
async def test_qa_matrix(
    make_house: MakeHouse, case: str, status: str, types: list[str], shown: list[str]
) -> None:
    """The five cases of LangBot's matrix: what the ledger keeps, and what people see."""
    house = make_house(bindings=[{"runner_id": "qa-matrix"}], plugins={"qa": module("qa-agent-runner")})
    async with house.open() as opened:
        story = await opened.say(case)
        results = await opened.results(story.runs[0])

    assert story.runs[0].status == status
    assert [item.type for item in results] == types
    assert [item.content for item in story.deliveries] == shown


async def test_three_runners_of_one_package(make_house: MakeHouse) -> None:
    """A package may bring several runners; the one that cannot be made leaves the others unharmed."""
    bindings = [
        {"runner_id": "first", "event_types": ["message.received"]},
        {"runner_id": "second", "event_types": ["message.edited"]},
    ]
    house = make_house(bindings=bindings, plugins={"three": module("acme-three")})
    async with house.open() as opened:
        stories = [await opened.say("a"), await opened.say("a", event_type="message.edited")]
        states = {item.id: item.state for item in opened.host.project.registry.descriptors()}

    assert [story.deliveries[0].content for story in stories] == ["first", "first"]
    assert [story.runs[0].runner_id for story in stories] == [
        "plugin:acme/three/first",
        "plugin:acme/three/second",
    ]
    assert states["plugin:acme/three/third"] == "quarantined"


def test_the_readme_is_the_package() -> None:
    """The runner that both READMEs show is the package of the next test, line by line."""
    code = (PACKAGES / "acme-shout/acme_shout.py").read_text()
    for page in ("README.md", "README.zh-CN.md"):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
        assert code in blocks


def run(*words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
    """Run a program; what it printed is shown where it failed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=110, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_the_runner_of_the_readme_installed_by_pip(tmp_path: Path) -> None:
    """In a new environment beside the project pip installs the package, and `lba send` gets its answer."""
    python = str(tmp_path / "venv/bin/python")
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    beside = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    (beside / "project.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index")
    run(*pip, "--no-deps", "--no-build-isolation", str(PACKAGES / "acme-shout"))

    (tmp_path / "bindings").mkdir()
    (tmp_path / "langbot-agents.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: Host\nplugins: {in_process: [acme-shout]}\n"
    )
    (tmp_path / "bindings/shout.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: shout\n"
        "event_types: [message.received]\nrunner_id: shout\n"
    )
    lba = (python, "-m", "langbot_agents.framework.cli", "-c", str(tmp_path))
    listed = json.loads(run(*lba, "runners", "list", "-o", "json", cwd=tmp_path).stdout)
    answer = run(*lba, "send", "--text", "seven geese", cwd=tmp_path).stdout

    assert [item["state"] for item in listed["runners"] if item["id"] == "plugin:acme/shout/default"] == [
        "ready"
    ]
    assert "SEVEN GEESE" in answer
