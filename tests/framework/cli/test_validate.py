"""`lba validate`: the loader of `serve`, with marks and findings."""

from pathlib import Path

import pytest

from .conftest import ROOT_DOCUMENT, Run

GOOD = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: good
event_types: [message.received]
runner_id: echo
"""


@pytest.fixture
def good(project: Path) -> Path:
    """A project without findings; gives its folder of bindings."""
    (project / "bindings" / "all.yaml").write_text(GOOD)
    return project / "bindings"


def test_fine(lba: Run, good: Path) -> None:
    """A project in order gets a mark for each stage and exit 0."""
    done = lba("validate")

    assert (done.code, done.err) == (0, "")
    assert done.out == "√ root document  langbot-agents.yaml\n√ 1 document in 1 file\n√ 3 runners\n"


def test_errors(lba: Run, project: Path) -> None:
    """An error has its place, a caret, the remedy and its code; exit 1."""
    done = lba("validate")

    assert done.code == 1
    assert "x 10 documents in 1 file  1 left out\n" in done.out
    assert "x 1 error\n" in done.out
    assert "error bindings/all.yaml:75:12: runner_id: no runner 'ehco' is installed\n" in done.out
    assert "  runner_id: ehco\n             ^^^^\n    did you mean 'echo'?  [LBA301]" in done.out


def test_json(lba: Run, project: Path) -> None:
    """As JSON it is one object with every finding."""
    answer = lba("validate", "-o", "json").json

    assert answer["schema"] == "langbot-agents/validate/v1"
    assert (answer["ok"], answer["errors"], answer["documents"], answer["files"]) == (False, 1, 10, 1)
    assert [item["binding_id"] for item in answer["quarantined"]] == ["misspelt"]
    (finding,) = answer["findings"]
    assert (finding["code"], finding["line"], finding["path"]) == ("LBA301", 75, "runner_id")


def test_warnings(lba: Run, good: Path) -> None:
    """Warnings are fine, unless they are denied."""
    (good / "all.yaml").write_text(GOOD + "runner_config: {prefix: '${env:NOT_SET_ANYWHERE}'}\n")

    assert lba("validate").code == 0
    assert "~ 1 warning\n" in lba("validate").out
    assert lba("validate", "--deny-warnings").code == 1
    assert lba("validate", "--deny-warnings", "-o", "json").json["ok"] is False


def test_nothing(lba: Run, good: Path) -> None:
    """Nothing to check is exit 2, never a silent success."""
    (good / "all.yaml").unlink()
    (good.parent / "langbot-agents.yaml").write_text(ROOT_DOCUMENT + "bindings: []\n")
    done = lba("validate")

    assert done.code == 2
    assert "x nothing to check" in done.out


def test_no_root(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PATH and without a root document there is nothing to check."""
    monkeypatch.chdir(tmp_path)

    assert lba("validate").code == 2


def test_broken_root(lba: Run, good: Path) -> None:
    """A root document that is invalid is a finding, also as JSON."""
    (good.parent / "langbot-agents.yaml").write_text("kind: Host\n")
    done = lba("validate")

    assert done.code == 1
    assert done.out.startswith("x root document")
    assert "apiVersion" in done.out
    assert lba("validate", "-o", "json").json["root_error"] is not None


def test_environment(lba: Run, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting from the environment is checked, too."""
    monkeypatch.setenv("LANGBOT_AGENTS__SERVER__PORT", "many")
    done = lba("validate")

    assert done.code == 1
    assert "LANGBOT_AGENTS__SERVER__PORT" in done.out


def test_files(lba: Run, project: Path) -> None:
    """Single files are checked by themselves, with the settings of the root document."""
    (project / "one.yaml").write_text(GOOD)
    done = lba("validate", "one.yaml")

    assert done.code == 0
    assert "√ 1 document in 1 file" in done.out
    assert lba("validate", "bindings").code == 1


def test_files_without_root(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no root document its defaults are used, and that is said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(GOOD.replace("event_types", "event_type"))

    assert lba("validate", "one.yaml").code == 0
    assert "~ root document  none; its defaults are used" in lba("validate", "one.yaml").out
    assert "did you mean 'event_types'?" in lba("validate", "bad.yaml").out


@pytest.mark.parametrize("name", ["[draft].yaml", "a *.yaml", "ünïcode.yaml"])
def test_odd_names(lba: Run, project: Path, name: str) -> None:
    """A path is a path, not a pattern."""
    (project / name).write_text(GOOD)

    assert lba("validate", name).code == 0


def test_another_project(lba: Run, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH may be the folder or the root document of a project."""
    monkeypatch.chdir(tmp_path)

    assert "√ 1 document in 1 file" in lba("validate", "project").out
    assert "√ 1 document in 1 file" in lba("validate", "project/langbot-agents.yaml").out


def test_test_files(lba: Run, good: Path) -> None:
    """Test files beside the bindings are checked for their form."""
    (good / "a.test.yaml").write_text("apiVersion: langbot-agents/v1\nkind: BindingTest\ncases: []\n")
    done = lba("validate")

    assert done.code == 1
    assert "bindings/a.test.yaml:3" in done.out
    assert "√ 1 test file" in done.out
    assert lba("validate", "bindings/a.test.yaml").code == 1


def test_unreadable(lba: Run, good: Path) -> None:
    """A file that is no text is a finding; the others are checked."""
    (good / "image.yaml").write_bytes(b"\xff\xfe\x00")
    (good / "broken.yaml").write_text("a: [1\n")
    done = lba("validate")

    assert done.code == 1
    assert "bindings/image.yaml:1:1" in done.out
    assert "bindings/broken.yaml" in done.out


def test_chinese(process: Run, project: Path) -> None:
    """In Chinese the marks and the findings are Chinese."""
    done = process("validate", lang="zh_Hans")

    assert done.code == 1
    assert "√ 根文档  langbot-agents.yaml" in done.out
    assert "x 1 个错误" in done.out
    assert "错误 bindings/all.yaml:75:12: runner_id: " in done.out
