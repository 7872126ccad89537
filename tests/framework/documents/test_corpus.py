"""Files that people get wrong, with the exact words they read; and files in which nothing is found."""

import ast
from pathlib import Path

import pytest

from langbot_agents.framework.documents import CODES, code_meaning, load_file

HERE = Path(__file__).parent
SOURCE = HERE.parents[2] / "framework" / "langbot_agents" / "framework" / "documents"
EVENT_TYPES = ("message.received", "message.edited")
BAD = sorted((HERE / "bad").glob("*.yaml"))
GOOD = sorted((HERE / "good").glob("*.y*ml"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_file(path: Path) -> None:
    """Every message reads `file:line:col: path: problem`, the line, a caret, then the remedy."""
    loaded = load_file(path, shown=path.name, event_types=EVENT_TYPES)

    expected = path.with_suffix(".txt").read_text("utf-8")
    assert expected == "".join(finding.render() + "\n" for finding in loaded.findings)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_what_is_found_stays_out(path: Path) -> None:
    """A document that fails has no model and no digest; one without findings has both."""
    for document in load_file(path).documents:
        assert (document.model is None) == (document.digest is None) == bool(document.findings)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_good_file(path: Path) -> None:
    """Nothing is found in a file that is right."""
    loaded = load_file(path)

    assert loaded.findings == ()
    assert loaded.documents
    assert all(document.digest for document in loaded.documents)


def test_codes_are_used_and_explained() -> None:
    """Each code that the documents report is in the table, with a meaning in both languages."""
    used = {
        node.value
        for path in SOURCE.glob("*.py")
        if path.name != "findings.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("LBA")
    }

    assert used
    assert used <= set(CODES)
    assert all(code_meaning(code, "zh_Hans") != code_meaning(code, "en_US") for code in CODES)
