"""Results as JUnit XML."""

from pathlib import Path
from xml.etree import ElementTree

from langbot_agents.framework.testing import write_junit

from .conftest import Try


def test_junit(attempt: Try, tmp_path: Path) -> None:
    """One suite a file; what failed and what could not be tried have their place and their words."""
    suite = attempt(
        """\
        - {name: "good \\u0007 & <well>", event: message.recalled, expect: {winner: recalls}}
        - {name: bad, event: message.recalled, expect: {winner: none, observers: [notes]}}
        - {name: invalid, event: message.recalled, expect: {winner: recals}}
        """
    )
    path = tmp_path / "results.xml"
    write_junit(path, suite)
    whole = ElementTree.parse(path).getroot()
    (file,) = whole.findall("testsuite")
    good, bad, invalid = file.findall("testcase")

    assert (file.get("name"), file.get("tests"), file.get("failures"), file.get("errors")) == (
        "bindings/all.test.yaml",
        "3",
        "1",
        "1",
    )
    assert (good.get("name"), good.get("line"), list(good)) == ("good \ufffd & <well>", "4", [])
    assert [item.get("message") for item in bad.findall("failure")] == [
        "winner: 'none' != 'recalls'",
        "observers: ['notes'] != []",
    ]
    assert "bindings/all.test.yaml:5" in (bad.findall("failure")[0].text or "")
    assert "LBA320" in (invalid.findall("error")[0].text or "")


def test_broken_file(attempt: Try, tmp_path: Path) -> None:
    """A file that cannot be read is an error of its own."""
    suite = attempt("- {name: a, event: message.recalled, expct: {}}")
    path = tmp_path / "results.xml"
    write_junit(path, suite)
    errors = ElementTree.parse(path).getroot().findall(".//error")

    assert [error.get("message") for error in errors] == ["unknown key 'expct'"]
