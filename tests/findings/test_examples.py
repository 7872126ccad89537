"""Every code has a page, an example that is right and two that are not, with the words that are said."""

import re
from pathlib import Path

import pytest

from langbot_agents.framework.documents import CODES
from langbot_agents.framework.texts import process_language

from .examples import EXAMPLES, HERE, LINKS, Example

PAGES = Path(__file__).parents[2] / "docs" / "findings"
FILES = {"good.yaml", "bad1.yaml", "bad2.yaml", "expected1.txt", "expected2.txt"}
BAD = [example for example in EXAMPLES if example.name != "good"]
GOOD = [example for example in EXAMPLES if example.name == "good"]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Words are compared in English; files are named as they are from where one stands."""
    monkeypatch.setenv("LANGBOT_AGENTS_LANG", "en_US")
    monkeypatch.chdir(tmp_path)
    process_language.cache_clear()


def test_every_code_has_its_files() -> None:
    """Each code has its five files and its page, and there is none without a code."""
    folders = {path.name: {file.name for file in path.iterdir()} for path in HERE.glob("LBA*")}

    assert folders == dict.fromkeys(CODES, FILES)
    assert {path.stem for path in PAGES.glob("LBA*.md")} == set(CODES)
    assert len(CODES) >= 60


@pytest.mark.parametrize("example", BAD, ids=lambda example: f"{example.code}-{example.name}")
def test_bad(example: Example, tmp_path: Path) -> None:
    """What is said of a mistake is its code alone, at its line and column, in these words."""
    found = example.found(tmp_path)

    assert example.expected.read_text("utf-8") == "".join(finding.render() + "\n" for finding in found)
    assert {finding.code for finding in found} == {example.code}
    places = re.findall(r"^[\w/.-]+:(\d+):(\d+): ", example.expected.read_text("utf-8"), re.MULTILINE)
    assert [(str(finding.line), str(finding.column)) for finding in found] == places


@pytest.mark.parametrize("example", GOOD, ids=lambda example: example.code)
def test_good(example: Example, tmp_path: Path) -> None:
    """Nothing is said of what is right."""
    assert example.said(tmp_path) == ""


@pytest.mark.parametrize("code", CODES)
def test_page(code: str) -> None:
    """A page has the meaning, the cause, the reason, the way to mend it, the examples and what is said."""
    page = (PAGES / f"{code}.md").read_text("utf-8")

    assert page.startswith(f"# {code}: {CODES[code]}\n")
    for heading in ("**Cause.** ", "**Why it matters.** ", "**How to mend it.** ", "## Good", "## Bad"):
        assert page.count(heading) == 1
    for example in (each for each in EXAMPLES if each.code == code):
        if code != "LBA103":  # its bad examples are not text
            assert f"```yaml\n{example.path.read_text('utf-8')}```" in page or not example.path.read_bytes()
        if example.name != "good":
            assert f"```text\n{example.expected.read_text('utf-8')}```" in page


def test_the_list_of_pages() -> None:
    """The list names every page once, with its meaning."""
    rows = re.findall(
        r"^\| \[(LBA\d+)\]\(LBA\d+\.md\) \| [\w, ]+ \| (.+) \|$", (PAGES / "README.md").read_text(), re.M
    )

    assert rows == sorted(CODES.items())


def test_links_are_links() -> None:
    """The examples about files that cannot be read name what they are a link to."""
    for code in LINKS:
        assert (HERE / code / "bad1.yaml").read_text() == "gone.yaml\n"
