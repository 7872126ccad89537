"""What a filter looked at: the paths in an expression, and the values that an event has there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..filters import Frame, Leg, Node, compile_filter, parse

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def values_of(leg: Leg, document: Mapping[str, Any]) -> dict[str, Any]:
    """Path to value, in the order of the expression; null where the event has nothing there."""
    return {path: _look_up(path, document) for path in dict.fromkeys(_paths(parse(leg.text)))}


def _look_up(path: str, document: Mapping[str, Any]) -> Any:
    return compile_filter(path).legs[0].evaluate(document, Frame(document))


def _paths(node: Node) -> Iterator[str]:
    """The longest paths from the top of the event; what is inside of a projection is about its elements."""
    path = _path(node)
    if path is not None:
        yield path
        return
    children = node.children
    match node.kind:
        case "subexpression":
            joined = _joined(children)
            if joined is not None:
                yield joined
                return
            children = children[:1]
        case (
            "projection" | "filter_projection" | "value_projection" | "pipe" | "index_expression" | "flatten"
        ):
            children = children[:1]
        case "expref":
            return
    for child in children:
        yield from _paths(child)


def _path(node: Node) -> str | None:
    if node.kind == "field":
        name = str(node.value)
        return name if _PLAIN.fullmatch(name) else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if node.kind == "subexpression":
        parts = [_path(child) for child in node.children]
        return None if None in parts else ".".join(str(part) for part in parts)
    if node.kind == "index_expression":
        first, *rest = node.children
        path = _path(first)
        if path is None or any(child.kind != "index" for child in rest):
            return None
        return path + "".join(f"[{child.value}]" for child in rest)
    return None


def _joined(children: Sequence[Node]) -> str | None:
    """`a.b` of `a.b[*].c`, which is read as `a` and a projection of `b`."""
    left, right = _path(children[0]), children[1]
    while right.kind in {"projection", "filter_projection", "value_projection"} and _path(right) is None:
        right = right.children[0]
    inner = _path(right)
    return None if left is None or inner is None else f"{left}.{inner}"
