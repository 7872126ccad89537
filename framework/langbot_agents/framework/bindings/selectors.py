"""The fields of a runner's config in which a person names resources, and the names that stand there."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..documents import Path

SELECTORS: Mapping[str, tuple[str, ...]] = {
    "models": (
        "llm-model-selector",
        "model-fallback-selector",
        "rerank-model-selector",
        "embedding-model-selector",
    ),
    "tools": ("tool-multi-selector",),
    "knowledge_bases": ("knowledge-base-multi-selector",),
    "files": ("file-selector",),
}
"""What `x-selector` says where a kind of resource is named."""


def selections(schema: Mapping[str, Any], config: Any, kind: str) -> Iterator[tuple[Path, Any]]:
    """What each selector of a kind of resource holds, with its place; null where it is not set."""
    return _Walk(schema, SELECTORS[kind]).below(schema, config, (), frozenset())


def names_in(value: Any, place: Path = ()) -> Iterator[tuple[Path, str]]:
    """The names in what a selector holds: one name, a list of them, or {primary, fallbacks}."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key in ("primary", "fallbacks"):
            yield from names_in(value.get(key), (*place, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from names_in(item, (*place, index))


class _Walk:
    """Through a schema and what it is about at once."""

    def __init__(self, root: Mapping[str, Any], selectors: tuple[str, ...]) -> None:
        self._root = root
        self._selectors = selectors

    def below(
        self, schema: Any, value: Any, place: Path, seen: frozenset[tuple[str, int]]
    ) -> Iterator[tuple[Path, Any]]:
        """What the selectors in a schema hold in a value at a place; `seen` are the references so far."""
        if not isinstance(schema, Mapping):
            return
        if schema.get("x-selector") in self._selectors:
            yield place, value
            return
        reference = schema.get("$ref")
        if isinstance(reference, str) and (reference, id(value)) not in seen:
            seen |= {(reference, id(value))}
            yield from self.below(self._referred(reference), value, place, seen)
        for inner, held, where in _parts(schema, value, place):
            yield from self.below(inner, held, where, seen)

    def _referred(self, reference: str) -> Any:
        found: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found


def _parts(schema: Mapping[str, Any], value: Any, place: Path) -> Iterator[tuple[Any, Any, Path]]:
    """The schemas inside a schema, each with the part of the value that it is about; null where none is."""
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(key) or ():
            yield branch, value, place
    fields = value if isinstance(value, Mapping) else {}
    properties = schema.get("properties") or {}
    for name, field in properties.items():
        yield field, fields.get(name), (*place, name)
    others = [(name, item) for name, item in fields.items() if name not in properties]
    for name, item in others or [("*", None)]:
        yield schema.get("additionalProperties"), item, (*place, name)
    items = value if isinstance(value, list | tuple) and value else [None]
    for index, item in enumerate(items):
        yield schema.get("items"), item, (*place, index)
