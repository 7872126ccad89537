"""The README's session runs as it is written, in a copy of what ships."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPECTED = {"lba diff": 3}
"""Exit codes other than 0, by how a line begins."""


def session(page: str, heading: str) -> list[str]:
    """The commands of the first console block below a heading."""
    below = (ROOT / page).read_text("utf-8").split(f"## {heading}\n", 1)[1]
    block = re.search(r"```console\n(.*?)```", below, re.DOTALL)
    assert block is not None
    return [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize(
    ("page", "heading"), [("README.md", "Know before you save"), ("README.zh-CN.md", "保存之前就知道")]
)
def test_know_before_you_save(page: str, heading: str, tmp_path: Path) -> None:
    """Each line does what the README says, one after the other."""
    shutil.copytree(ROOT / "bindings", tmp_path / "bindings")
    shutil.copy(ROOT / "langbot-agents.yaml", tmp_path)
    shell = f'lba() {{ "{sys.executable}" -m langbot_agents.framework.cli "$@"; }}\n'
    said = {}
    for line in session(page, heading):
        done = subprocess.run(
            ["/bin/bash", "-c", shell + line],
            cwd=tmp_path,
            env={**os.environ, "LANGBOT_AGENTS_LANG": "en_US"},
            capture_output=True,
            text=True,
            check=False,
        )
        said[line[:8]] = done.stdout
        wanted = next((code for begin, code in EXPECTED.items() if line.startswith(begin)), 0)

        assert done.returncode == wanted, f"{line}\n{done.stdout}\n{done.stderr}"

    assert "bindings/echo.yaml:4: echo-messages answered" in said["lba why "]
    assert said["lba diff"].startswith("1 event  echo-messages → nobody\n")
