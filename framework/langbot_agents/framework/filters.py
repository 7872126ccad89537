"""Filters: JMESPath over an event's JSON form, giving true, false or an error with its reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, Literal

import jmespath
from jmespath import lexer
from jmespath.exceptions import JMESPathError, LexerError, ParseError
from jmespath.functions import Functions
from rapidfuzz import process

from .texts import t

FUNCTION_SET = "jmespath-1.1"
"""Version of the functions that filters may call; a decision stores it."""

FUNCTIONS = frozenset(Functions.FUNCTION_TABLE)
"""Names of the functions that filters may call."""

Truth = Literal["true", "false", "error"]

MAX_DEPTH = 200
"""Levels of an expression; far from the stack's end, wherever the router is called from."""

MAX_GROWTH = 1_000
"""How many times what it looks at an expression may make; `[@, @] | [@, @]` makes four."""

_OPENING = {"lparen", "lbracket", "lbrace", "filter", "flatten"}
_CLOSING = {"rparen", "rbracket", "rbrace"}


class FilterSyntaxError(ValueError):
    """An expression that cannot be read; `offset` is the character at fault, from 0."""

    def __init__(self, message: str, offset: int, width: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.width = width


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
    _parse(expr)
    _check_functions(expr)
    legs = tuple(Leg(text=text, offset=offset, parsed=_parse(text)) for text, offset in _conjuncts(expr))
    for leg in legs:
        if _growth(leg.parsed.parsed, leg) > MAX_GROWTH:
            raise _refused(leg, t("it makes over {count} times what it looks at", count=MAX_GROWTH))
    return CompiledFilter(expr=expr, legs=legs)


def _growth(node: Mapping[str, Any], leg: Leg, depth: int = 0) -> float:
    """A bound on how many times what it is given an expression makes: so it always ends, and soon."""
    if depth > MAX_DEPTH:
        raise _refused(leg, t("it is nested too deeply"))
    kind = node["type"]
    if kind == "literal":
        return 1 + len(json.dumps(node["value"])) / 64
    if kind == "slice":
        return 1
    children = [_growth(child, leg, depth + 1) for child in node["children"]]
    if kind.startswith("multi_select"):
        return sum(children)
    if kind == "function_expression":
        # `to_string` escapes what was escaped before; `map` and `sort_by` apply one argument to another
        return prod(children) * (2 if node["value"] in {"to_string", "join"} else 1)
    if kind in {"comparator", "or_expression", "and_expression", "not_expression"}:
        return max(children)
    return prod(children)


def _refused(leg: Leg, message: str) -> FilterSyntaxError:
    return FilterSyntaxError(message, leg.offset, len(leg.text))


def _parse(expr: str) -> Any:
    try:
        return jmespath.compile(expr)
    except LexerError as error:
        raise FilterSyntaxError(str(error.message), _inside(expr, error.lexer_position)) from None
    except ParseError as error:
        message = (
            t("unexpected {token!r}", token=error.token_value)
            if error.token_value
            else t("it ends too early")
        )
        raise FilterSyntaxError(
            message, _inside(expr, error.lex_position), len(str(error.token_value or " "))
        ) from None
    except JMESPathError as error:
        raise FilterSyntaxError(str(error), 0, len(expr)) from None
    except RecursionError:
        raise FilterSyntaxError(t("it is nested too deeply"), 0, len(expr)) from None
    except (ValueError, TypeError) as error:
        raise FilterSyntaxError(str(error), 0, len(expr)) from None


def _check_functions(expr: str) -> None:
    """Refuse a function that is not there; else each event would be an error, and nobody would hear of it."""
    for token, following in pairwise(lexer.Lexer().tokenize(expr)):
        name = token["value"]
        if token["type"] != "unquoted_identifier" or following["type"] != "lparen" or name in FUNCTIONS:
            continue
        near = process.extractOne(name, sorted(FUNCTIONS), score_cutoff=60)
        hint = t(" (did you mean {name!r}?)", name=near[0]) if near else ""
        message = t("there is no function {name!r}{hint}", name=name, hint=hint)
        raise FilterSyntaxError(message, token["start"], len(name))


def _inside(expr: str, position: int | None) -> int:
    return max(0, min(position or 0, max(len(expr) - 1, 0)))


def _conjuncts(expr: str) -> list[tuple[str, int]]:
    """Cut at each `&&` outside of brackets; an expression with an outer `||` or `|` is one leg."""
    depth = 0
    cuts: list[int] = []
    for token in lexer.Lexer().tokenize(expr):
        kind = token["type"]
        # `[]` is one token; `[?` and `[` each close with a `]`
        if kind in _OPENING and kind != "flatten":
            depth += 1
        elif kind in _CLOSING:
            depth -= 1
        elif depth == 0 and kind in {"or", "pipe"}:
            return [(expr, 0)]
        elif depth == 0 and kind == "and":
            cuts.append(token["start"])
    edges = [0, *[cut + 2 for cut in cuts]]
    pieces = [expr[start:end] for start, end in zip(edges, [*cuts, len(expr)], strict=True)]
    return [
        (piece.strip(), start + len(piece) - len(piece.lstrip()))
        for piece, start in zip(pieces, edges, strict=True)
    ]


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
