"""The results of `lba test` as a terminal shows them."""

from typing import Any

from ..testing import BindingCoverage, CaseResult, Coverage, LegCoverage, Mismatch, Mutant, Mutation
from ..texts import t
from . import counts
from .explanation_text import because
from .output import Output, Part, one_line
from .test_run import Tested

MOST_LINES = 60
"""Cases up to which each that held is listed."""

_MARKS: dict[str, Part] = {
    "passed": ("√ ", "green"),
    "failed": ("x ", "bold red"),
    "invalid": ("x ", "bold red"),
}


def print_tested(out: Output, tested: Tested) -> None:
    """Each case, then what did not hold, coverage, mutants, and one line that sums up."""
    suite = tested.suite
    if suite.nothing:
        _print_nothing(out, tested)
        return
    listed = len(suite.results) <= MOST_LINES
    for file in suite.files:
        results = [result for result in suite.results if result.case.file == file.file]
        if not results and not file.findings:
            continue
        out.line((file.file, "bold"))
        for result in results:
            if listed or result.verdict != "passed":
                _print_case(out, result)
        of_cases = {id(finding) for case in file.cases for finding in case.findings}
        for finding in file.findings:
            if id(finding) not in of_cases:
                _print_lines(out, finding.render())
        out.line()
    if tested.coverage is not None:
        _print_coverage(out, tested.coverage)
    if tested.mutation is not None:
        _print_mutation(out, tested.mutation)
    _print_summary(out, tested)


def _print_nothing(out: Output, tested: Tested) -> None:
    if tested.suite.deselected:
        told = t("no case holds {word!r}, of {count}", word=tested.wanted.word, count=tested.suite.deselected)
    else:
        told = t("there is no test: a file that ends in .test.yaml, beside the bindings")
    out.line(("x ", "bold red"), told)


def _print_case(out: Output, result: CaseResult) -> None:
    out.line(_MARKS[result.verdict], result.case.name, indent=2)
    for finding in result.case.findings:
        _print_lines(out, finding.render())
    for item in result.mismatches:
        _print_mismatch(out, result, item)
    if result.mismatches and result.happened is not None:
        for warning in result.happened.warnings:
            out.line(("~ ", "yellow"), warning, indent=4)


def _print_lines(out: Output, text: str) -> None:
    for line in text.split("\n"):
        out.line(line, indent=4)


def _print_mismatch(out: Output, result: CaseResult, item: Mismatch) -> None:
    place = result.case.place(*item.path)
    out.line(f"{place}:{place.column}: ", (_named(item), "bold"), indent=4)
    rows: list[tuple[Part, ...]] = [
        ((t("expected"), "dim"), (_shown(item.expected), "green")),
        ((t("actual"), "dim"), (_shown(item.actual), "red")),
    ]
    if item.note is not None:
        rows.append((("", "dim"), item.note))
    out.table(rows, indent=6)
    explained = result.explained
    if explained is None:
        return
    reasons = [
        (
            (line.reason.code, "yellow"),
            line.reason.binding_id or "-",
            (str(line.place), "dim"),
            because(explained, line),
        )
        for line in result.reasons(item)
    ]
    out.table(reasons, indent=6)


def _named(item: Mismatch) -> str:
    """`messages[1].contains`."""
    text = str(item.path[1])
    for step in item.path[2:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text


def _shown(value: Any) -> str:
    if value is None:
        return t("nothing")
    if isinstance(value, str) and "\n" not in value and value == value.strip() and value:
        return value if len(value) <= 200 else one_line(value, 200)
    return one_line(value, 400)


def _print_coverage(out: Output, coverage: Coverage) -> None:
    out.line((t("Exercised: {percent:.0f} %", percent=coverage.percent), "bold"))
    out.table([_coverage_row(item) for item in coverage.bindings], indent=2)
    out.table([_leg_row(leg) for item in coverage.bindings for leg in item.legs if leg.covered < 2], indent=2)
    out.line()


def _leg_row(leg: LegCoverage) -> tuple[Part, ...]:
    missing = t("never false") if leg.true else t("never true")
    if leg.covered == 0:
        missing = t("never true, never false")
    shown = one_line(leg.text, 80)[1:-1]
    return (("~", "yellow"), (f"{leg.place}:{leg.place.column}", "dim"), missing, shown)


def _coverage_row(item: BindingCoverage) -> tuple[Part, ...]:
    whole = item.covered == item.items
    told = t("never chosen") if not item.chosen else t("chosen by {cases}", cases=counts.cases(item.chosen))
    return (
        ("√", "green") if whole else ("~", "yellow") if item.covered else ("x", "red"),
        f"{item.binding_id}  {item.place}",
        f"{item.covered}/{item.items}  {told}",
    )


def _print_mutation(out: Output, mutation: Mutation) -> None:
    out.line(
        (
            t(
                "Changes noticed: {noticed} of {tried} ({percent:.0f} %)",
                noticed=mutation.tried - len(mutation.survivors),
                tried=mutation.tried,
                percent=mutation.percent,
            ),
            "bold",
        )
    )
    absent = {item.original.binding_id for item in mutation.survivors if item.kind == "disabled"}
    out.table([_survivor(item) for item in mutation.survivors if _worth_telling(item, absent)], indent=2)
    out.line()


def _worth_telling(item: Mutant, absent: set[str]) -> bool:
    """Where nobody notices that a binding is gone, its other changes say nothing more."""
    return item.kind == "disabled" or item.original.binding_id not in absent


def _survivor(item: Mutant) -> tuple[Part, ...]:
    return (
        ("~", "yellow"),
        (f"{item.place}:{item.place.column}", "dim"),
        item.original.binding_id,
        item.change,
    )


def _print_summary(out: Output, tested: Tested) -> None:
    suite = tested.suite
    failed = len(suite.results) - len(suite.of("passed"))
    parts = [t("{count} held", count=len(suite.of("passed")))]
    if failed:
        parts.append(t("{count} did not", count=failed))
    if suite.deselected:
        parts.append(t("{count} not asked for", count=suite.deselected))
    broken = sum(1 for file in suite.files if not file.cases and file.findings)
    if broken:
        parts.append(t("{files} cannot be read", files=counts.files(broken)))
    mark: Part = ("√ ", "green") if suite.ok else ("x ", "bold red")
    out.line(
        mark, f"{counts.cases(len(suite.results))}: {', '.join(parts)}", (f"  {tested.seconds:.1f} s", "dim")
    )
    for name, percent, bound in tested.shortfalls:
        told = (
            t("{percent:.1f} % are exercised, {bound} % are wanted", percent=percent, bound=bound)
            if name == "coverage"
            else t(
                "{percent:.1f} % of the changes are noticed, {bound} % are wanted",
                percent=percent,
                bound=bound,
            )
        )
        out.line(("x ", "bold red"), told)
    left_out = len(tested.project.bindings.quarantined)
    if left_out:
        out.line(
            ("~ ", "yellow"),
            t("{documents} left out: `lba validate` says why", documents=counts.documents(left_out)),
        )
