"""Filters compiled and evaluated: true, false, or an error with its reason; nothing else leaves here."""

import reprlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from ..texts import t
from .compiler import Evaluator, compile_node
from .frame import Frame, reason_of
from .functions import FunctionSet
from .own_functions import STANDARD
from .suggest import near_function
from .syntax import FilterFunctionError, Node, conjuncts, parse

FUNCTION_SET = STANDARD.version
"""Version of the functions that every host has; a decision stores that of its host."""

Truth = Literal["true", "false", "error"]


class Leg:
    """One top-level conjunct of a filter: where it stands in its text, and its function."""

    __slots__ = ("_end", "evaluate", "expr", "offset")

    def __init__(self, expr: str, part: Node, evaluate: Evaluator) -> None:
        self.expr = expr
        self.offset = part.start
        self._end = part.end
        self.evaluate = evaluate

    @property
    def text(self) -> str:
        """The conjunct as it is written."""
        return self.expr[self.offset : self._end]

    def __repr__(self) -> str:
        return f"Leg({self.text!r})"


class LegResult(NamedTuple):
    """What a leg came out as on one event."""

    leg: Leg
    truth: Truth
    value: Any = None
    reason: str | None = None


class CompiledFilter:
    """A filter, compiled once and shared by its text."""

    __slots__ = ("__weakref__", "expr", "legs")

    def __init__(self, expr: str, legs: tuple[Leg, ...]) -> None:
        self.expr = expr
        self.legs = legs

    def __repr__(self) -> str:
        return f"CompiledFilter({self.expr!r})"


_COMPILED: WeakKeyDictionary[FunctionSet, WeakValueDictionary[str, CompiledFilter]] = WeakKeyDictionary()
"""Every filter that somebody holds, by its functions and its text."""


def compile_filter(
    expr: str, functions: FunctionSet = STANDARD, *, node: Node | None = None
) -> CompiledFilter:
    """Read an expression, unless its tree is there. Raises `FilterSyntaxError` with the place at fault."""
    shared = _COMPILED.get(functions)
    if shared is None:
        shared = _COMPILED[functions] = WeakValueDictionary()
    found = shared.get(expr)
    if found is None:
        node = node or parse(expr)
        check_functions(node, functions)
        legs = tuple(Leg(expr, part, compile_node(part, functions)) for part in conjuncts(node))
        found = shared[expr] = CompiledFilter(expr, legs)
    return found


def check_functions(node: Node, functions: FunctionSet) -> None:
    """Refuse a function that is not there; else each event would be an error, and nobody would hear of it."""
    for part in node.walk():
        if part.kind != "function_expression" or functions.get(part.value) is not None:
            continue
        near = near_function(part.value, functions)
        hint = t(" (did you mean {name!r}?)", name=near) if near else ""
        message = t("there is no function {name!r}{hint}", name=part.value, hint=hint)
        raise FilterFunctionError(message, part.start, len(part.value))


def evaluate_leg(leg: Leg, document: Mapping[str, Any], frame: Frame | None = None) -> LegResult:
    """One leg on one event document; total."""
    try:
        value = leg.evaluate(document, Frame(document) if frame is None else frame)
    except Exception as error:  # isolation boundary: jmespath leaks TypeError and others
        return _failed(leg, error)
    return _judged(leg, value)


def _failed(leg: Leg, error: Exception) -> LegResult:
    return LegResult(leg, "error", None, _short(reason_of(error), 300))


def _judged(leg: Leg, value: Any) -> LegResult:
    if value is True:
        return LegResult(leg, "true", value)
    if value is False:
        return LegResult(leg, "false", value)
    reason = t("gives {value}, which is neither true nor false", value=_short(_shown(value), 60))
    return LegResult(leg, "error", value, reason)


def evaluate_all(
    filters: Sequence[CompiledFilter], document: Mapping[str, Any], frame: Frame | None = None
) -> LegResult | None:
    """The deciding leg over all filters of a binding, or None where there are none.

    Any false makes false, else any error makes error, whatever the order.
    """
    if not filters:
        return None
    frame = Frame(document) if frame is None else frame
    error: LegResult | None = None
    for compiled in filters:
        for leg in compiled.legs:
            try:
                value = leg.evaluate(document, frame)
            except Exception as caught:  # isolation boundary: as in `evaluate_leg`
                error = error or _failed(leg, caught)
                continue
            if value is True:
                continue
            if value is False:
                return LegResult(leg, "false", value)
            error = error or _judged(leg, value)
    return error or LegResult(filters[-1].legs[-1], "true", True)


_BEGINNING = reprlib.Repr()
_BEGINNING.maxlist = _BEGINNING.maxdict = 20
_BEGINNING.maxstring = _BEGINNING.maxlong = _BEGINNING.maxother = 160


def _shown(value: Any) -> str:
    """The beginning of a value, however long and deep it is."""
    try:
        return _BEGINNING.repr(value)
    except ValueError:  # a number of thousands of digits
        return f"{type(value).__name__}(...)"


def _short(text: str, length: int) -> str:
    """At most so many characters, and no half ones, which a literal of a filter can make."""
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= length else text[: length - 3] + "..."
