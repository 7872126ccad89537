"""The filters of a document, compiled and checked; what is wrong becomes findings with their places."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from langbot_agents.schemas.bindings import AgentBinding

from ..documents import Finding, LoadedDocument, Path
from ..filters import (
    STANDARD,
    CompiledFilter,
    FilterSyntaxError,
    FunctionSet,
    Node,
    Problem,
    check_filters,
    compile_filter,
    parse,
    rewrite,
)
from ..texts import t

CODES: Mapping[str, str] = {
    "unknown": "LBA201",
    "partly": "LBA202",
    "not_text": "LBA203",
    "never": "LBA204",
    "not_boolean": "LBA205",
    "constant": "LBA206",
    "call": "LBA207",
    "null": "LBA208",
}
"""The finding of each kind of problem."""


def compile_filters(
    document: LoadedDocument, binding: AgentBinding, functions: FunctionSet = STANDARD
) -> tuple[list[CompiledFilter], list[Finding]]:
    """The filters of a binding where none has an error, and everything that is wrong with them.

    Other conditions on the event, as in `resource_policy.restrict`, are looked at like filters.
    """
    findings: list[Finding] = []
    filters = _read(document, [(_place(document, i), item.expr) for i, item in enumerate(binding.filters)])
    findings += filters.findings
    checked = check_filters([(expr, node) for _, expr, node in filters.read], binding.event_types, functions)
    for (path, expr, _), problems in zip(filters.read, checked, strict=True):
        findings += [_problem(document, path, expr, problem) for problem in problems]
    findings += _conditions(document, binding, filters, functions)
    if any(finding.severity == "error" for finding in findings):
        return [], findings
    return [compile_filter(item.expr, functions) for item in binding.filters], findings


class _Filters(NamedTuple):
    read: list[tuple[Path, str, Node]]
    findings: list[Finding]


def _read(document: LoadedDocument, written: Sequence[tuple[Path, str]]) -> _Filters:
    made = _Filters([], [])
    for path, expr in written:
        try:
            made.read.append((path, expr, parse(expr)))
        except FilterSyntaxError as error:
            made.findings.append(_unreadable(document, path, expr, error))
    return made


def _conditions(
    document: LoadedDocument, binding: AgentBinding, filters: _Filters, functions: FunctionSet
) -> list[Finding]:
    restrict = binding.resource_policy.restrict
    found = _read(
        document,
        [
            (("resource_policy", "restrict", index, "only_when"), item.only_when)
            for index, item in enumerate(restrict)
        ],
    )
    findings = found.findings
    # they are asked only where all filters hold
    before = [(expr, node) for _, expr, node in filters.read]
    for path, expr, node in found.read:
        problems = check_filters([*before, (expr, node)], binding.event_types, functions)[-1]
        findings += [_problem(document, path, expr, problem) for problem in problems]
    return findings


def _place(document: LoadedDocument, index: int) -> Path:
    written = document.source.data["filters"][index]
    return ("filters", index) if isinstance(written, str) else ("filters", index, "expr")


def _unreadable(document: LoadedDocument, path: Path, expr: str, error: FilterSyntaxError) -> Finding:
    better = rewrite(expr)
    if better is None:
        offset, width, cause = error.offset, error.width, error.message
        remedy = t("text stands in single quotes, for example `input.text == 'hello'`")
        if expr[offset : offset + 1] == "'":
            remedy = t("a text ends with a single quote; one inside it is written {text}", text="\\'")
    else:
        offset, width, cause = better.offset, better.width, better.cause
        remedy = t("write {text}", text=better.text)
    return document.source.finding(
        "LBA200",
        path,
        t("not a JMESPath expression: {cause}", cause=cause),
        remedy=remedy,
        value=expr,
        offset=offset,
        width=width,
    )


def _problem(document: LoadedDocument, path: Path, expr: str, problem: Problem) -> Finding:
    return document.source.finding(
        CODES[problem.kind],
        path,
        problem.message,
        remedy=problem.remedy,
        value=expr,
        offset=problem.offset,
        width=problem.width,
        severity="warning" if problem.is_warning else "error",
    )
