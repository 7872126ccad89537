"""What a filter demands to be equal to a value: by this an index finds who can take an event."""

import re
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .compiler import path_of
from .evaluation import CompiledFilter
from .syntax import Node, parse

Path = tuple[str, ...]
"""The names of a plain path, such as `("actor", "actor_id")`."""

_OF_TEXT = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*==\s*'([^'\\]*)'", re.ASCII)
"""The most common leg by far, which need not be parsed again."""


class Equality(NamedTuple):
    """`path == literal`; it holds exactly where the path's value has the same key, and never fails."""

    path: Path
    key: Hashable


def key_of(value: Any) -> Hashable:
    """The key of a value, the same for two exactly where JMESPath has them equal; None for what has none.

    Texts and numbers are their own keys, so that 1 and 1.0 are equal; true is not 1. Null, lists and objects
    have no key.
    """
    if value is True or value is False:
        return ("bool", value)
    # NaN, which JSON does not have but its reader takes, equals nothing
    return value if isinstance(value, str | int | float) and value == value else None  # noqa: PLR0124


def equalities(filters: Sequence[CompiledFilter]) -> Iterator[Equality]:
    """The top-level conjuncts of these filters that are equalities, from the left."""
    for compiled in filters:
        for leg in compiled.legs:
            found = _of_leg(leg.text)
            if found is not None:
                yield found


def equality_of(node: Node) -> Equality | None:
    """A part as an equality of a plain path and a literal that has a key, whichever stands first."""
    if node.kind != "comparator" or node.value != "eq":
        return None
    path, literal = node.children
    if path.kind == "literal":
        path, literal = literal, path
    names = path_of(path)
    key = key_of(literal.value) if literal.kind == "literal" else None
    return None if names is None or key is None else Equality(names, key)


def _of_leg(text: str) -> Equality | None:
    plain = _OF_TEXT.fullmatch(text)
    if plain is not None:
        return Equality(tuple(plain[1].split(".")), plain[2])
    return _parsed(text) if "==" in text else None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Equality | None:
    return equality_of(parse(text))
