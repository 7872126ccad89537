"""`docs/testing-bindings.md`: its files are written, its commands run, and they print what it shows."""

import re
from pathlib import Path

import pytest

from .conftest import Run

PAGE = Path(__file__).parents[3] / "docs" / "testing-bindings.md"
STEP = re.compile(
    r"`(?P<file>[\w./-]+\.yaml)`:\n\n```(?:yaml|yml)\n(?P<text>.*?)^```"
    r"|^```console\n\$ lba (?P<words>[^\n]*)\n(?P<shown>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def timeless(text: str) -> str:
    """What was printed, without how long it took."""
    return re.sub(r"  \d+\.\d s$", "", text, flags=re.MULTILINE).strip()


def test_the_page(lba: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a new project each file and each command of the page does what the page shows, in its order."""

    monkeypatch.chdir(tmp_path)
    assert lba("init").code == 0
    steps = list(STEP.finditer(PAGE.read_text()))
    shown = []
    for step in steps:
        if step["file"]:
            (tmp_path / step["file"]).write_text(step["text"])
            continue
        if "bindings/mistake" not in step["words"]:
            (tmp_path / "bindings" / "mistake.test.yaml").unlink(missing_ok=True)
        done = lba(*step["words"].split())
        assert done.code in (0, 1), done.err
        if step["shown"]:
            shown.append(step["words"])
            assert timeless(done.out) == timeless(step["shown"]), step["words"]

    assert len(shown) == 6
    assert (tmp_path / "results.xml").is_file()
