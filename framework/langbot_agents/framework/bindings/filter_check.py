"""The filters of a document, compiled and checked; what is wrong becomes findings with their places."""

from collections.abc import Mapping

from langbot_agents.schemas.bindings import AgentBinding

from ..documents import Finding, LoadedDocument, Path
from ..filters import (
    STANDARD,
    CompiledFilter,
    FilterFunctionError,
    FilterSyntaxError,
    FunctionSet,
    Node,
    Problem,
    check_filters,
    compile_filter,
    parse,
    rewritten,
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
    """The filters that can be read, and everything that is wrong with any of them."""
    compiled: list[CompiledFilter] = []
    findings: list[Finding] = []
    read: list[tuple[int, str, Node]] = []
    for index, item in enumerate(binding.filters):
        try:
            node = parse(item.expr)
            compiled.append(compile_filter(item.expr, functions))
        except FilterSyntaxError as error:
            findings.append(_unreadable(document, index, item.expr, error))
        else:
            read.append((index, item.expr, node))
    checked = check_filters([(expr, node) for _, expr, node in read], binding.event_types, functions)
    for (index, expr, _), problems in zip(read, checked, strict=True):
        findings += [_problem(document, index, expr, problem) for problem in problems]
    return compiled, findings


def _place(document: LoadedDocument, index: int) -> Path:
    written = document.source.data["filters"][index]
    return ("filters", index) if isinstance(written, str) else ("filters", index, "expr")


def _unreadable(document: LoadedDocument, index: int, expr: str, error: FilterSyntaxError) -> Finding:
    function = isinstance(error, FilterFunctionError)
    better = None if function else rewritten(expr)
    if better is not None:
        remedy = t("write {text}", text=better)
    elif function:
        remedy = t("docs/filters.md lists every function")
    else:
        remedy = t("text stands in single quotes, for example `input.text == 'hello'`")
    message = error.message if function else t("not a JMESPath expression: {cause}", cause=error.message)
    return document.source.finding(
        "LBA207" if function else "LBA200",
        _place(document, index),
        message,
        remedy=remedy,
        value=expr,
        offset=error.offset,
        width=error.width,
    )


def _problem(document: LoadedDocument, index: int, expr: str, problem: Problem) -> Finding:
    return document.source.finding(
        CODES[problem.kind],
        _place(document, index),
        problem.message,
        remedy=problem.remedy,
        value=expr,
        offset=problem.offset,
        width=problem.width,
        severity="warning" if problem.is_warning else "error",
    )
