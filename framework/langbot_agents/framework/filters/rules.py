"""What every rule for filters has: the expression, the shape of the event, and a place for problems."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..texts import t
from .compiler import path_of
from .functions import FunctionSet, ValueType
from .shapes import LOOSE, Shape
from .syntax import Node

ProblemKind = Literal["unknown", "partly", "not_text", "never", "not_boolean", "constant", "call", "null"]
"""`partly` and `null` are warnings, the others errors."""

WARNINGS: frozenset[ProblemKind] = frozenset({"partly", "null"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Something that is wrong with an expression: where, what, and what to write instead."""

    kind: ProblemKind
    offset: int
    width: int
    message: str
    remedy: str | None = None

    @property
    def is_warning(self) -> bool:
        """Whether the filter works all the same."""
        return self.kind in WARNINGS


_NULL_SAFE = frozenset({"matches", "starts_with_any", "contains_any", "one_of", "glob"})
"""Functions that are false of null."""


def not_null_in(part: Node, *, truth: bool = True) -> set[str]:
    """Paths that are not null where a part counts as true, or else as false."""
    if part.kind == "not_expression":
        return not_null_in(part.children[0], truth=not truth)
    if part.kind in {"and_expression", "or_expression"}:
        first, second = (not_null_in(child, truth=truth) for child in part.children)
        return first | second if (part.kind == "and_expression") is truth else first & second
    if part.kind == "comparator":
        return _not_null_by(part, truth=truth)
    if not truth:
        return set()
    if part.kind == "function_expression" and part.value in _NULL_SAFE and part.children:
        part = part.children[0]
    path = path_of(part)
    return set() if path is None else {".".join(path)}


def _not_null_by(comparator: Node, *, truth: bool) -> set[str]:
    """The paths that a comparison with a literal leaves other than null."""
    found: set[str] = set()
    left, right = comparator.children
    for side, other in ((left, right), (right, left)):
        if other.kind != "literal" or comparator.value not in {"eq", "ne"}:
            continue
        by_type = side.kind == "function_expression" and side.value == "type" and side.children
        path = path_of(side.children[0] if by_type else side)
        null = "null" if by_type else None
        equals = (comparator.value == "eq") is truth
        if path is not None and equals is not (other.value == null):
            found.add(".".join(path))
    return found


class Rules:
    """Infers the shape of each part of an expression on one shape of event; notes what cannot be meant."""

    def __init__(
        self, expr: str, root: Shape, functions: FunctionSet, *, safe: frozenset[str], name: str
    ) -> None:
        self._expr = expr
        self._root = root
        self._functions = functions
        self._safe = safe
        self._name = name
        self.problems: list[Problem] = []

    def _note(
        self,
        kind: ProblemKind,
        node: Node,
        message: str,
        remedy: str | None = None,
        *,
        width: int | None = None,
    ) -> None:
        width = max(1, node.end - node.start) if width is None else width
        self.problems.append(
            Problem(kind=kind, offset=node.start, width=width, message=message, remedy=remedy)
        )

    def _text(self, node: Node) -> str:
        return self._expr[node.start : node.end]

    def _infer(self, node: Node, value: Shape) -> Shape:
        handler: Callable[[Node, Shape], Shape] | None = getattr(self, f"_{node.kind}", None)
        return LOOSE if handler is None else handler(node, value)


KINDS: Mapping[ValueType, Callable[[], str]] = {
    "string": lambda: t("text"),
    "number": lambda: t("a number"),
    "boolean": lambda: t("true or false"),
    "array": lambda: t("a list"),
    "object": lambda: t("an object"),
    "null": lambda: t("null"),
    "expression": lambda: t("an expression"),
}


def kinds_of(shape: Shape) -> str:
    """What a value is, in words; null only where it is nothing else."""
    names = [
        KINDS[kind]() for kind in KINDS if kind in shape.types and (kind != "null" or len(shape.types) == 1)
    ]
    return t(" or ").join(names)
