"""Filters: JMESPath over an event's JSON form, giving true, false or an error with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import jmespath
from jmespath.functions import Functions
from rapidfuzz import process

from ..texts import t
from .syntax import FilterSyntaxError, Node, conjuncts, parse

FUNCTION_SET = "jmespath-1.1"
"""Version of the functions that filters may call; a decision stores it."""

FUNCTIONS = frozenset(Functions.FUNCTION_TABLE)
"""Names of the functions that filters may call."""

Truth = Literal["true", "false", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Leg:
    """One top-level conjunct of a filter: its text, where it begins in the filter, and the parsed form."""

    text: str
    offset: int
    parsed: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class LegResult:
    """What a leg came out as on one event."""

    leg: Leg
    truth: Truth
    value: Any = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CompiledFilter:
    """A filter, compiled once and shared by its text."""

    expr: str
    legs: tuple[Leg, ...]


def compile_filter(expr: str) -> CompiledFilter:
    """Read an expression. Raises `FilterSyntaxError` with the place at fault."""
    return _compile(expr)


@lru_cache(maxsize=65_536)
def _compile(expr: str) -> CompiledFilter:
    whole = parse(expr)
    _check_functions(whole)
    legs = tuple(
        Leg(
            text=expr[part.start : part.end],
            offset=part.start,
            parsed=jmespath.compile(expr[part.start : part.end]),
        )
        for part in conjuncts(whole)
    )
    return CompiledFilter(expr=expr, legs=legs)


def _check_functions(node: Node) -> None:
    """Refuse a function that is not there; else each event would be an error, and nobody would hear of it."""
    for part in node.walk():
        name = part.value
        if part.kind != "function_expression" or name in FUNCTIONS:
            continue
        near = process.extractOne(name, sorted(FUNCTIONS), score_cutoff=60)
        hint = t(" (did you mean {name!r}?)", name=near[0]) if near else ""
        message = t("there is no function {name!r}{hint}", name=name, hint=hint)
        raise FilterSyntaxError(message, part.start, len(name))


def evaluate_leg(leg: Leg, document: Mapping[str, Any]) -> LegResult:
    """One leg on one event document; total."""
    try:
        value = leg.parsed.search(document)
        if value is True or value is False:
            return LegResult(leg=leg, truth="true" if value else "false", value=value)
        reason = t("gives {value}, which is neither true nor false", value=_short(repr(value), 60))
    except Exception as error:  # isolation boundary: jmespath leaks TypeError and others beside its own
        value, reason = None, _short(str(error) or type(error).__name__, 300)
    return LegResult(leg=leg, truth="error", value=value, reason=reason)


def evaluate_all(filters: Sequence[CompiledFilter], document: Mapping[str, Any]) -> LegResult | None:
    """The deciding leg over all filters of a binding, or None where there are none.

    Any false makes false, else any error makes error, whatever the order.
    """
    if not filters:
        return None
    error: LegResult | None = None
    last: LegResult | None = None
    for compiled in filters:
        for leg in compiled.legs:
            last = evaluate_leg(leg, document)
            if last.truth == "false":
                return last
            if last.truth == "error" and error is None:
                error = last
    return error or last


def _short(text: str, length: int) -> str:
    """At most so many characters, and no half ones, which a literal of a filter can make."""
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= length else text[: length - 3] + "..."
