"""What the pages show is loaded and run."""

import re
from pathlib import Path
from typing import Any

import click
import pytest

from langbot_agents.framework.bindings import check_bindings
from langbot_agents.framework.cli.commands import root_group
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.plugins import PluginHost
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.schemas.host import PluginSettings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[Any]:
    """Each block of a language in the pages, with its page as id."""
    return [
        pytest.param(match[2], id=f"{page.name}:{page.read_text()[: match.start()].count(chr(10)) + 1}")
        for page in PAGES
        for match in _BLOCK.finditer(page.read_text())
        if match[1] == language
    ]


def registry() -> AgentRunnerRegistry:
    """The runners that ship."""
    plugins = PluginHost(PluginSettings())
    plugins.discover()
    made = AgentRunnerRegistry()
    made.discover(plugins)
    return made


@pytest.mark.parametrize("text", [block for block in blocks("yaml") if "apiVersion" in block.values[0]])
def test_yaml_is_a_binding_that_loads(text: str, tmp_path: Path) -> None:
    """Each document in the pages loads without a finding."""
    (tmp_path / "page.yaml").write_text(text)
    checked = check_bindings(load_bindings(tmp_path, ["*.yaml"]), registry(), timezone="UTC")

    assert [finding.render() for finding in checked.findings] == []
    assert len(checked.set.live) == 1


@pytest.mark.parametrize("text", [block for block in blocks("python") if "AgentRunner" in block.values[0]])
def test_python_is_a_runner_that_registers(text: str) -> None:
    """The runner that a page shows can be registered as it stands."""
    plugins = PluginHost(PluginSettings())
    namespace: dict[str, Any] = {}
    exec(compile(text, "page", "exec"), namespace)
    plugins.add("page", type("Page", (), {"register_runners": staticmethod(namespace["register_runners"])})())
    made = AgentRunnerRegistry()
    made.discover(plugins)

    assert [item.state for item in made.descriptors()] == ["ready"]
    assert made.get("shout") is not None


@pytest.mark.parametrize("text", blocks("console"))
def test_console_lines_name_commands_that_exist(text: str) -> None:
    """Each `lba …` in the pages is a command with the options it has."""
    for line in re.findall(r"^\$ (?:LANGBOT\S+ )?lba (.+)$", text, re.MULTILINE):
        words = line.split(" #")[0].split()
        command: click.Command = root_group()
        context = click.Context(command, info_name="lba")
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words.pop(0))
            assert found is not None, line
            command = found
        known = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_both_readmes_show_the_same_commands() -> None:
    """The Chinese page has the same commands and code as the English one."""
    shown = []
    for page in PAGES[:2]:
        text = page.read_text()
        commands = re.findall(r"^\$ (\S+(?: \S+)?)", text, re.MULTILINE)
        python = [match[2] for match in _BLOCK.finditer(text) if match[1] == "python"]
        shown.append((commands, python))

    assert shown[0] == shown[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link of a page leads to a file."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target
