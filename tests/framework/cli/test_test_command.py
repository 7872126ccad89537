"""`lba test`: what it prints, what it gives programs, and how it exits."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import DAY, Run
from .terminal import Terminal

HEADER = "apiVersion: langbot-agents/v1\nkind: BindingTest\ncases:\n"
GOOD = f"""\
  - name: a refund by day
    event: message.received
    set: {{input.text: 退款}}
    at: {DAY}
    expect: {{winner: refunds, messages: [退款]}}
  - name: somebody joins
    event: group.member_joined
    expect: {{winner: joined}}
"""
BAD = f"""\
  - name: not about money
    event: message.received
    set: {{input.text: hello}}
    at: {DAY}
    expect: {{winner: refunds}}
"""


@pytest.fixture
def tests(project: Path) -> Path:
    """A file of cases that hold."""
    path = project / "bindings" / "all.test.yaml"
    path.write_text(HEADER + GOOD)
    return path


def test_all_hold(lba: Run, tests: Path) -> None:
    """Each case is listed by its file, then one line sums up."""
    done = lba("test")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "bindings/all.test.yaml\n  √ a refund by day\n  √ somebody joins\n\n√ 2 cases: 2 held  "
    )
    assert " left out: `lba validate` says why\n" in done.out


def test_a_case_fails(lba: Run, tests: Path) -> None:
    """Expected and actual stand at the place of the expectation, with the leg that failed and its value."""
    tests.write_text(HEADER + GOOD + BAD)
    done = lba("test")

    assert done.code == 1
    told = done.out[done.out.index("  x not about money") :].split("\n")
    assert told[:6] == [
        "  x not about money",
        "    bindings/all.test.yaml:16:22: winner",
        "      expected  refunds",
        "      actual    everybody",
        "      filter_false  refunds    bindings/all.yaml:14  about money: contains(input.text || '', "
        "'退款') is false; input.text = \"hello\"",
        "      selected      everybody  bindings/all.yaml:1",
    ]
    assert "x 3 cases: 2 held, 1 did not" in done.out


def test_json(lba: Run, tests: Path) -> None:
    """Programs get every case with its decision, what happened, and each mismatch with place and reasons."""
    tests.write_text(HEADER + GOOD + BAD)
    done = lba("test", "-o", "json", "--coverage", "--mutate")
    data = done.json

    assert done.code == 1
    assert (data["schema"], data["ok"]) == ("langbot-agents/test/v1", False)
    assert (data["passed"], data["failed"], data["invalid"]) == (2, 1, 0)
    assert data["cases"][0]["happened"]["messages"] == ["退款"]
    assert data["cases"][0]["observers"] == ["notes"]
    (mismatch,) = data["cases"][2]["mismatches"]
    assert (mismatch["field"], mismatch["expected"], mismatch["actual"]) == ("winner", "refunds", "everybody")
    assert (mismatch["file"], mismatch["line"], mismatch["column"]) == ("bindings/all.test.yaml", 16, 22)
    assert mismatch["reasons"][0]["filter"]["values"] == {"input.text": "hello"}
    assert data["coverage"]["percent"] < 100
    assert data["mutation"]["tried"] == data["mutation"]["noticed"] + len(data["mutation"]["survivors"])


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["-k", "refund"], ["a refund by day"]),
        (["-k", "SOMEBODY"], ["somebody joins"]),
        (["-k", "all.test"], ["a refund by day", "somebody joins"]),
        (["bindings"], ["a refund by day", "somebody joins"]),
        (["bindings/all.yaml"], ["a refund by day", "somebody joins"]),
        (["bindings/all.test.yaml", "-k", "joins"], ["somebody joins"]),
    ],
)
def test_choosing(lba: Run, tests: Path, words: list[str], names: list[str]) -> None:
    """PATH names files and folders, `-k` a part of a case's name or file."""
    data = lba("test", *words, "-o", "json").json

    assert [case["name"] for case in data["cases"]] == names
    assert data["deselected"] == 2 - len(names)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no test: a file that ends in .test.yaml, beside the bindings"),
        (["-k", "zzz"], "there is no test"),
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["bindings/all.yaml"], "bindings/all.yaml: this is not a test file"),
        (["-c", "nowhere"], "nowhere: there is no such root document"),
    ],
)
def test_nothing_to_check(lba: Run, project: Path, words: list[str], message: str) -> None:
    """Where nothing is checked the exit code is 2, never green."""
    done = lba("test", *words)

    assert done.code == 2
    assert message in done.out + done.err


def test_no_case_has_that_name(lba: Run, tests: Path) -> None:
    """A word that no case holds is told with how many there are."""
    done = lba("test", "-k", "zzz")

    assert (done.code, done.out) == (2, "x no case holds 'zzz', of 2\n")


def test_findings(lba: Run, tests: Path) -> None:
    """A file that cannot be read, and a case that cannot be tried, are shown with their findings."""
    tests.write_text(HEADER + GOOD + "  - {name: odd, event: message.received, expect: {winner: refund}}\n")
    (tests.parent / "b.test.yaml").write_text(HEADER + "  - {nam: a}\n")
    done = lba("test")

    assert done.code == 1
    assert (
        "  x odd\n    bindings/all.test.yaml:12:59: cases[2].expect.winner: there is no binding" in done.out
    )
    assert "did you mean 'refunds'?  [LBA320]" in done.out
    assert "    bindings/b.test.yaml:4:6: cases[0].nam: unknown key 'nam'\n" in done.out
    assert "x 3 cases: 2 held, 1 did not, 1 file cannot be read" in done.out


def test_validate_sees_them_too(lba: Run, tests: Path) -> None:
    """`lba validate` checks the tests against the bindings of the project."""
    tests.write_text(HEADER + "  - {name: odd, event: message.received, expect: {winner: refund}}\n")
    done = lba("validate", "-o", "json")

    assert done.code == 1
    assert "LBA320" in [finding["code"] for finding in done.json["findings"]]


def test_coverage(lba: Run, tests: Path) -> None:
    """Bindings that were never chosen and legs that came out one way only, by their places."""
    done = lba("test", "--coverage")

    assert done.code == 0
    assert "\nExercised: " in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["√", "joined", "bindings/all.yaml:51", "1/1", "chosen", "by", "1", "case"] in lines
    assert ["x", "other-bot", "bindings/all.yaml:17", "0/1", "never", "chosen"] in lines
    assert ["~", "bindings/all.yaml:14:11", "never", "false"] in [line[:4] for line in lines]


@pytest.mark.parametrize(("bound", "code"), [("10", 0), ("100", 1)])
def test_fail_under(lba: Run, tests: Path, bound: str, code: int) -> None:
    """`--fail-under` makes coverage a bound, and shows it."""
    done = lba("test", "--fail-under", bound)

    assert done.code == code
    assert "\nExercised: " in done.out
    assert ("% are exercised, 100 % are wanted" in done.out) is (code == 1)


def test_mutate(lba: Run, tests: Path) -> None:
    """Changes that nobody notices are listed; of a binding that nobody misses only that."""
    done = lba("test", "--mutate")

    assert done.code == 1
    assert "  ~  bindings/all.yaml:42:1   switched-off" not in done.out
    assert "everybody      the binding is left out\n" in done.out
    assert "everybody      it observes instead of answering\n" not in done.out
    assert "refunds        contains(input.text || '', '退款') is left out\n" in done.out
    assert "% of the changes are noticed, 100 % are wanted\n" in done.out
    assert lba("test", "--mutate", "--fail-under", "5").code == 0


def test_junit(lba: Run, tests: Path, project: Path) -> None:
    """`--junit` writes the results, and tells where it cannot."""
    assert lba("test", "--junit", "out.xml").code == 0
    assert len(ElementTree.parse(project / "out.xml").getroot().findall(".//testcase")) == 2
    done = lba("test", "--junit", "no/such/folder.xml")
    assert done.code == 1
    assert "no/such/folder.xml: No such file or directory" in done.err


def test_another_project(lba: Run, tests: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH may be another project."""
    monkeypatch.chdir(project.parent)

    assert lba("test", "project").code == 0


def test_leaves_nothing(lba: Run, tests: Path, project: Path) -> None:
    """No store is made in the project."""
    before = sorted(path.name for path in project.rglob("*"))
    assert lba("test").code == 0

    assert sorted(path.name for path in project.rglob("*")) == before


def test_beside_a_running_host(process: Run, tests: Path, server: object) -> None:
    """A host that runs is not in the way."""
    assert process("test").code == 0


def test_chinese(process: Run, tests: Path) -> None:
    """It speaks Chinese."""
    tests.write_text(HEADER + GOOD + BAD)
    done = process("test", lang="zh_Hans")

    assert done.code == 1
    assert "预期" in done.out
    assert "x 3 个用例: 2 个成立, 1 个不成立" in done.out


def test_many_cases(lba: Run, tests: Path) -> None:
    """Of many cases only those that did not hold are listed."""
    many = "".join(
        f"  - {{name: number {n}, event: group.member_joined, expect: {{winner: joined}}}}\n"
        for n in range(70)
    )
    tests.write_text(HEADER + many + BAD)
    done = lba("test")

    assert "number 3" not in done.out
    assert "x not about money" in done.out
    assert "x 71 cases: 70 held, 1 did not" in done.out


def test_progress(project: Path, tests: Path) -> None:
    """On a terminal one sees the case that is under way; the result is the same, and nothing of it stays."""
    slow = "  - {name: slowly, event: message.received, expect: {winner: slow, messages: [{matches: .}]}}\n"
    tests.write_text(HEADER + slow)
    (project / "bindings" / "slow.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: slow\npriority: 99\n"
        "event_types: [message.received]\nrunner_id: echo\nrunner_config: {delay: 0.3}\n"
    )
    with Terminal("test", TERM="xterm") as terminal:
        shown = terminal.until("1/1  slowly")
        assert "√" not in shown
        terminal.until("1 case: 1 held")
        assert terminal.end() == 0
