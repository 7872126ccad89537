"""`--help`, in two languages, and how quickly it comes."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from rich.cells import cell_len

from langbot_agents.framework.cli.commands import COMMANDS, Entry, root_group
from langbot_agents.framework.cli.help_page import Command, wrapped

from .conftest import Run

HEAVY = {"openai", "sqlalchemy", "starlette", "mcp", "alembic", "uvicorn", "pydantic", "yaml", "httpx2"}


def paths(entries: "dict[str, Entry]", *above: str) -> Iterator[tuple[str, ...]]:
    """The words that name each command."""
    for name, entry in entries.items():
        if entry.children:
            yield from paths(dict(entry.children), *above, name)
        else:
            yield (*above, name)


ALL = list(paths(dict(COMMANDS)))


def find(words: tuple[str, ...]) -> click.Command:
    """The command that the words name."""
    found: click.Command = root_group()
    for word in words:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), word)
        assert inner is not None
        found = inner
    return found


def test_help_is_light() -> None:
    """`lba --help` imports nothing that is only needed to do something."""
    code = (
        "import sys\n"
        "from langbot_agents.framework.cli.entry import run\n"
        "assert run(['--help']) == 0\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(done.stderr.split()) & HEAVY == set()


def test_command_help_is_light() -> None:
    """The help of a command does not import what the command needs, either."""
    code = (
        "import sys\n"
        "from langbot_agents.framework.cli.entry import run\n"
        f"assert not any(run([*words, '--help']) for words in {ALL!r})\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(done.stderr.split()) & HEAVY == set()


def test_root_help(process: Run) -> None:
    """The first page lists every command, the options of all, and what to type first."""
    done = process("--help")

    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("Usage: lba [OPTIONS] COMMAND …\n")
    for name, entry in COMMANDS.items():
        assert f"  {name} " in done.out
        assert entry.summary_text.split()[0] in done.out
    assert "--config PATH" in done.out
    assert "lba serve --once" in done.out


def test_root_help_in_chinese(process: Run) -> None:
    """The same page in Chinese has no English sentence left."""
    done = process("--help", lang="zh_CN.UTF-8")

    assert done.out.startswith("用法：lba [选项] 命令 …\n")
    assert "显示本帮助。" in done.out
    assert "Show" not in done.out
    assert "Options" not in done.out


def test_locale_chooses_the_language(process: Run) -> None:
    """Without LANGBOT_AGENTS_LANG the locale decides."""
    done = process("--help", lang="", LC_ALL="zh_CN.UTF-8")

    assert done.out.startswith("用法：")


def test_nothing_is_help(lba: Run) -> None:
    """`lba` alone shows the help; it is wrong usage all the same."""
    done = lba()

    assert done.out == lba("--help").out
    assert lba().code == 2


@pytest.mark.parametrize("words", ALL, ids=" ".join)
@pytest.mark.parametrize("lang", ["en_US", "zh_Hans"])
def test_command_help(process: Run, words: tuple[str, ...], lang: str) -> None:
    """Each command's page fits 80 columns, explains every option, and ends with an example."""
    done = process(*words, "--help", lang=lang, COLUMNS="80")
    found = find(words)
    assert isinstance(found, Command)

    assert done.code == 0
    assert max(map(cell_len, done.out.splitlines())) <= 80
    assert found.examples
    assert done.out.splitlines()[-2].strip() == found.examples[-1][0] or found.examples[-1][0] in done.out
    options = [param for param in found.params if isinstance(param, click.Option)]
    assert [param.name for param in options if not param.help] == []
    if lang == "zh_Hans":
        assert "Usage" not in done.out
        assert "Options" not in done.out
        assert "Show" not in done.out


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_prints_json(words: tuple[str, ...]) -> None:
    """Every command has `-o json`."""
    options = {name for param in find(words).params for name in param.opts}

    assert {"-o", "--output", "--debug"} <= options


def test_version(lba: Run) -> None:
    """`--version` names the program and its version."""
    from langbot_agents.schemas import __version__

    assert lba("--version") == lba("-V")
    assert lba("--version").out == f"langbot-agents {__version__}\n"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("一二三四五", 4, ["一二", "三四", "五"]),
        ("一二，三", 4, ["一二，", "三"]),
        ("a  b\n c", 80, ["a b c"]),
        ("", 10, []),
    ],
)
def test_wrapping(text: str, width: int, expected: list[str]) -> None:
    """Text breaks at spaces and between Chinese characters, but not before a comma."""
    assert list(wrapped(text, width)) == expected
