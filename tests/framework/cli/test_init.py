"""`lba init`: a project that runs."""

from pathlib import Path

import pytest

from langbot_agents.framework.cli.templates import project_files

from .conftest import Run

FILES = [
    ".env.example",
    ".gitignore",
    ".langbot-agents/schema/AgentBinding.json",
    ".langbot-agents/schema/BindingTest.json",
    ".langbot-agents/schema/Host.json",
    "bindings/background.yaml",
    "bindings/hello.test.yaml",
    "bindings/hello.yaml",
    "bindings/welcome.yaml",
    "langbot-agents.yaml",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("lang", ["en_US", "zh_Hans"])
def test_it_runs(process: Run, folder: Path, lang: str) -> None:
    """What it makes is valid without warnings, routes, and answers."""
    made = process("init", "bot", lang=lang)
    project = str(folder / "bot")

    assert made.code == 0
    assert process("validate", project, "--deny-warnings").code == 0
    assert process("-c", project, "route", "message.received", "-o", "json").json["winner"] == "hello"
    assert process("-c", project, "route", "message.recalled", "-o", "json").json["winner"] == "noise"
    observed = process("-c", project, "route", "friend.request_received", "-o", "json").json
    assert observed["observers"] == ["note-requests"]
    assert "Welcome" in process("-c", project, "send", "group.member_joined").out or lang == "zh_Hans"
    assert process("-c", project, "send", "--text", "hi").out == "hi\n"


def test_says_what_next(lba: Run, folder: Path) -> None:
    """It lists what it made and what to do next."""
    done = lba("init", "bot")

    assert done.code == 0
    assert all(f"+ bot/{name}\n" in done.out for name in FILES)
    assert "cd bot\n" in done.out
    assert "serve" in done.out


def test_here(lba: Run, folder: Path) -> None:
    """Without DIR it is the current folder, and files of others stay."""
    (folder / "README.md").write_text("mine")
    done = lba("init", "-o", "json")

    assert done.json["schema"] == "langbot-agents/init/v1"
    assert done.json["files"] == FILES
    assert all((folder / name).is_file() for name in FILES)
    assert (folder / "README.md").read_text() == "mine"


@pytest.mark.parametrize("name", FILES)
def test_never_overwrites(lba: Run, folder: Path, name: str) -> None:
    """Where one file is there already, it is named and nothing is written."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("mine")
    done = lba("init")

    assert (done.code, done.out) == (1, "")
    assert f"these files are there already: {name}\n" in done.err
    assert [path for path in folder.rglob("*") if path.is_file()] == [folder / name]
    assert (folder / name).read_text() == "mine"


def test_a_file_in_the_way(lba: Run, folder: Path) -> None:
    """A file where the folder should be is one clear error."""
    (folder / "bot").write_text("mine")
    done = lba("init", "bot")

    assert (done.code, done.out) == (1, "")
    assert "Not a directory" in done.err or "File exists" in done.err


def test_both_languages_say_the_same() -> None:
    """The two projects differ in nothing but comments, texts, and what fits the reader's place."""
    english, chinese = project_files("en_US"), project_files("zh_Hans")

    def keys(text: str) -> list[str]:
        return [line.split(":")[0] for line in text.splitlines() if line and "#" not in line]

    assert list(english) == list(chinese) == FILES
    assert {name: keys(text) for name, text in english.items() if name.endswith(".yaml")} == {
        name: keys(text) for name, text in chinese.items() if name.endswith(".yaml")
    }
