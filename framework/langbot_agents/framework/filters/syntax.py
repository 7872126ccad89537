"""Reading an expression: JMESPath's own grammar, each part with its place in the text, and bounds."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from jmespath import lexer, parser
from jmespath.exceptions import IncompleteExpressionError, JMESPathError, LexerError, ParseError

from ..texts import t

MAX_DEPTH = 200
"""Levels of an expression; far from the stack's end, wherever the router is called from."""

MAX_GROWTH = 1_000
"""How many times what it looks at an expression may make; `[@, @] | [@, @]` makes four."""


class FilterSyntaxError(ValueError):
    """An expression that cannot be read; `offset` is the character at fault, from 0."""

    def __init__(self, message: str, offset: int, width: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.width = width


class FilterFunctionError(FilterSyntaxError):
    """An expression that calls a function which is not there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A part of an expression: jmespath's node, and the characters `[start, end)` that it was read from.

    A part that the grammar adds by itself, such as the right side of a projection without one, is empty.
    """

    kind: str
    """jmespath's name of it: `field`, `subexpression`, `comparator`, `literal`, `function_expression`, …"""
    value: Any = None
    children: tuple["Node", ...] = ()
    start: int
    end: int

    def walk(self) -> Iterator["Node"]:
        """This part and all below it, from the left."""
        yield self
        for child in self.children:
            yield from child.walk()


@lru_cache(maxsize=256)
def parse(expr: str) -> Node:
    """Read an expression. Raises `FilterSyntaxError` with the place at fault."""
    try:
        node = _node(_Parser().read(expr))
        growth = _growth(node)
    except LexerError as error:
        raise FilterSyntaxError(_lexer_cause(error), _inside(expr, error.lexer_position)) from None
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
    if growth > MAX_GROWTH:
        message = t("it makes over {count} times what it looks at", count=MAX_GROWTH)
        raise FilterSyntaxError(message, 0, len(expr))
    return node


def _lexer_cause(error: LexerError) -> str:
    """What jmespath says in its own words, in ours."""
    said = str(error.message)
    if said.startswith("Unclosed"):
        return t("{text!r} is not closed", text=said.split()[1])
    if said.startswith("Unknown token"):
        return t("unexpected {token!r}", token=str(error.token_value).strip("'")[:1])
    return said


def conjuncts(node: Node) -> tuple[Node, ...]:
    """The parts that `&&` joins at the top, from the left."""
    if node.kind != "and_expression":
        return (node,)
    return tuple(leg for child in node.children for leg in conjuncts(child))


# `self: Any` in what follows, since the stubs leave out the parts of jmespath that are built on here


class _Lexer(lexer.Lexer):
    """jmespath's lexer, but for what stands in backticks: that is JSON, never a bare word by courtesy."""

    def _consume_literal(self: Any) -> dict[str, Any]:
        start = self._position
        text = self._consume_until("`").replace("\\`", "`")
        try:
            value = json.loads(text)
        except ValueError:
            raise LexerError(
                lexer_position=start, lexer_value=text, message=t("`{text}` is not JSON", text=text)
            ) from None
        return {"type": "literal", "value": value, "start": start, "end": self._position}


class _Parser(parser.Parser):
    """jmespath's parser, which also notes on each node the characters it was read from."""

    def read(self: Any, expr: str) -> dict[str, Any]:
        """The whole expression."""
        self._text = expr
        self._tokens = list(_Lexer().tokenize(expr))
        self._index = 0
        try:
            parsed: dict[str, Any] = self._expression()
            if self._current_token() != "eof":
                self._error_led_token(self._lookahead_token(0))
        except IncompleteExpressionError as error:
            error.set_expression(expr)
            raise
        return parsed

    def _expression(self: Any, binding_power: int = 0) -> dict[str, Any]:
        token = self._lookahead_token(0)
        self._advance()
        nud = getattr(self, f"_token_nud_{token['type']}", self._error_nud_token)
        left: dict[str, Any] = self._spanned(nud(token), token["start"])
        while binding_power < self.BINDING_POWER[self._current_token()]:
            led: Any = getattr(self, f"_token_led_{self._current_token()}", None)
            if led is None:
                self._error_led_token(self._lookahead_token(0))
            self._advance()
            left = self._spanned(led(left), token["start"])
        return left

    def _spanned(self: Any, node: dict[str, Any], start: int) -> dict[str, Any]:
        # by where the next token begins: the lexer's own ends are wrong for literals
        following = self._lookahead_token(0)["start"]
        node["start"], node["end"] = start, len(self._text[:following].rstrip())
        return node


def _node(raw: dict[str, Any], at: int = 0, depth: int = 0) -> Node:
    if depth > MAX_DEPTH:
        raise RecursionError
    start, end = raw.get("start", at), raw.get("end", at)
    children = raw["children"]
    return Node(
        kind=raw["type"],
        value=tuple(children) if raw["type"] == "slice" else raw.get("value"),
        children=() if raw["type"] == "slice" else tuple(_node(child, end, depth + 1) for child in children),
        start=start,
        end=end,
    )


def _growth(node: Node) -> float:
    """A bound on how many times what it is given an expression makes: so it always ends, and soon."""
    if node.kind == "literal":
        return 1 + len(json.dumps(node.value)) / 64
    children = [_growth(child) for child in node.children]
    if node.kind.startswith("multi_select"):
        return sum(children)
    if node.kind == "function_expression":
        # `to_string` escapes what was escaped before; `map` and `sort_by` apply one argument to another
        return prod(children) * (2 if node.value in {"to_string", "join"} else 1)
    if node.kind in {"comparator", "or_expression", "and_expression", "not_expression"}:
        return max(children)
    return prod(children)


def _inside(expr: str, position: int | None) -> int:
    return max(0, min(position or 0, max(len(expr) - 1, 0)))
