"""The scripts that people and CI use, where they refuse; that they work is what every run of CI shows."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = ("run", "test", "check")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout without an environment, in a folder with a space in its name."""
    copy = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def call(script: Path, pythons: dict[str, str], **environment: str) -> tuple[int, str]:
    """Run a script where PATH has these interpreters (name to shell text) and no others."""
    tools = script.parent.parent.parent / "tools"
    tools.mkdir()
    for tool in ("bash", "cat", "dirname", "mkdir", "flock", "rm", "env"):
        if found := shutil.which(tool):
            (tools / tool).symlink_to(found)
    for name, text in pythons.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    environment["PATH"] = str(tools)
    done = subprocess.run([script], env=environment, cwd="/", capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_executable(script: str) -> None:
    """A script can be started by its path, and bash can read it."""
    assert os.access(ROOT / "scripts" / script, os.X_OK)
    assert subprocess.run(["bash", "-n", ROOT / "scripts" / script], check=False).returncode == 0


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_python(checkout: Path, script: str) -> None:
    """Where no Python is new enough, a script says which it needs and how to get it."""
    status, said = call(checkout / "scripts" / script, {"python3": "echo 3.9; exit 1"})

    assert status == 1
    assert "needs Python 3.11 or newer" in said
    assert "apt-get install python3 python3-venv" in said


def test_no_venv_module(checkout: Path) -> None:
    """Where Python is there without its venv module, as on Debian, a script names the package to install."""
    python = 'case "$2" in *ensurepip*) exit 1;; esac; echo 3.13'
    status, said = call(checkout / "scripts" / "test", {"python3.13": python})

    assert status == 1
    assert "apt-get install python3.13-venv" in said


def test_wrong_python_is_named(checkout: Path) -> None:
    """A PYTHON that is none is named, and no other is taken in its place."""
    status, said = call(checkout / "scripts" / "test", {"python3": "echo 3.13"}, PYTHON="/nowhere/python")

    assert status == 1
    assert "PYTHON=/nowhere/python is not a Python 3.11 or newer" in said


def test_failed_set_up_shows_its_log(checkout: Path) -> None:
    """What a failed set-up printed is shown, and the script stops."""
    python = """case "$*" in
    *sys.executable*) echo "$0";;
    "-m venv"*) echo "no space left on device"; exit 1;;
    *) echo 3.13;;
    esac"""
    status, said = call(checkout / "scripts" / "run", {"python3.13": python})

    assert status == 1
    assert "failed" in said
    assert "no space left on device" in said
