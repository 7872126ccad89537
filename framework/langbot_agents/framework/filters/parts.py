"""The parts of a filter with their values on one event, for people who ask why it came out as it did."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .compiler import compile_node, is_false
from .evaluation import Leg, Truth, evaluate_leg
from .frame import Frame, reason_of
from .functions import FunctionSet
from .own_functions import STANDARD
from .syntax import Node, parse

_INSIDE = frozenset(
    {"comparator", "or_expression", "and_expression", "not_expression", "function_expression"}
)
"""Kinds whose parts are about the event itself; those of a projection are about its elements."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A part of an expression: where it stands, what it is on the event, and the parts that it is made of."""

    text: str
    offset: int
    value: Any = None
    reason: str | None = None
    """Why it has no value."""
    truth: Truth
    """How it counts in a condition; of a leg, whether it holds."""
    parts: tuple["Part", ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "text": self.text,
            "offset": self.offset,
            "truth": self.truth,
            "value": self.value,
            "reason": self.reason,
            "parts": [part.as_dict() for part in self.parts],
        }


def parts_of(leg: Leg, document: Mapping[str, Any], frame: Frame, functions: FunctionSet = STANDARD) -> Part:
    """A leg and its parts; total, as a filter is. All of them together have the frame's budget."""
    result = evaluate_leg(leg, document, frame)
    node = parse(leg.text)
    return Part(
        text=leg.text,
        offset=leg.offset,
        value=result.value,
        reason=result.reason,
        truth=result.truth,
        parts=_inside(node, leg, document, frame, functions=functions),
    )


def _inside(
    node: Node, leg: Leg, document: Mapping[str, Any], frame: Frame, *, functions: FunctionSet
) -> tuple[Part, ...]:
    if node.kind not in _INSIDE:
        return ()
    shown = (child for child in node.children if child.kind != "expref" and _looks_at_something(child))
    return tuple(_part(child, leg, document, frame, functions=functions) for child in shown)


def _looks_at_something(node: Node) -> bool:
    return any(part.kind in {"field", "current", "function_expression"} for part in node.walk())


def _part(node: Node, leg: Leg, document: Mapping[str, Any], frame: Frame, *, functions: FunctionSet) -> Part:
    truth: Truth
    try:
        value = compile_node(node, functions)(document, frame)
        truth, reason = ("false" if is_false(value) else "true"), None
    except Exception as error:  # isolation boundary: as in `evaluate_leg`
        value, truth, reason = None, "error", reason_of(error)
    return Part(
        text=leg.text[node.start : node.end],
        offset=leg.offset + node.start,
        value=value,
        reason=reason,
        truth=truth,
        parts=_inside(node, leg, document, frame, functions=functions),
    )
