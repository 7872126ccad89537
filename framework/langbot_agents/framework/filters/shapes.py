"""What an event looks like to a filter: the shape of each type's event, from the catalogue's schemas."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Final

from langbot_agents.schemas.catalogue import contract, event_schema, sample, standard_types

from .functions import ANY, ValueType

MAX_DEPTH = 6
"""Levels of a schema that are read; quotes hold messages that hold quotes."""

UNKNOWN_TYPE: Final = "example.event"
"""Stands for every type that the catalogue does not have: a plain envelope."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a value: its types, and what is in it."""

    types: frozenset[ValueType]
    properties: Mapping[str, "Shape"] = field(default_factory=dict)
    closed: bool = False
    """Whether an object has no other fields than these."""
    items: "Shape | None" = None
    values: tuple[Any, ...] = ()
    """The only texts that it can be, if they are few."""
    loose: bool = False
    """Whether nobody can say what it is."""

    @property
    def nullable(self) -> bool:
        """Whether it may be null as far as that is known."""
        return "null" in self.types and not self.loose

    @property
    def is_null(self) -> bool:
        """Whether it always is null."""
        return self.types == {"null"}

    def with_null(self) -> "Shape":
        """The same or null."""
        return self if "null" in self.types else replace(self, types=self.types | {"null"})

    def without_null(self) -> "Shape":
        """The same where it is not null."""
        return replace(self, types=self.types - {"null"}) if len(self.types) > 1 else self


LOOSE = Shape(frozenset(ANY), loose=True)
"""A value of which nothing is known."""


def of_types(*types: ValueType) -> Shape:
    """A value of one of these types, with nothing known of what is in it."""
    return Shape(frozenset(types), items=LOOSE if "array" in types else None)


def of_list(items: Shape) -> Shape:
    """A list of such values."""
    return Shape(frozenset({"array"}), items=items)


def joined(shapes: Sequence[Shape]) -> Shape:
    """What is one of several."""
    if not shapes:
        return LOOSE
    if len(shapes) == 1:
        return shapes[0]
    if any(shape.loose for shape in shapes):
        return LOOSE
    objects = [shape for shape in shapes if "object" in shape.types]
    names = dict.fromkeys(name for shape in objects for name in shape.properties)
    properties = {
        # a field that only some of them have is null in the others
        name: joined([shape.properties.get(name, _absent(shape)) for shape in objects])
        for name in names
    }
    items = [shape.items for shape in shapes if shape.items is not None]
    enums = [shape for shape in shapes if "string" in shape.types]
    return Shape(
        frozenset().union(*(shape.types for shape in shapes)),
        properties,
        closed=bool(objects) and all(shape.closed for shape in objects),
        items=joined(items) if items else None,
        values=tuple(dict.fromkeys(value for shape in enums for value in shape.values))
        if all(shape.values for shape in enums)
        else (),
    )


def _absent(shape: Shape) -> Shape:
    return of_types("null") if shape.closed else LOOSE


def event_shape(event_type: str) -> Shape:
    """The shape of the events of a type, `now` among its fields; any other type's is a plain envelope."""
    return _event_shape(event_type if contract(event_type) is not None else UNKNOWN_TYPE)


@cache
def _event_shape(event_type: str) -> Shape:
    schema = event_schema(event_type)
    made = _read(schema, schema.get("$defs", {}), model=True)
    properties = {**made.properties, "now": of_types("number")}
    if event_type == UNKNOWN_TYPE:
        properties["event_type"] = of_types("string")
    else:
        typical = sample(event_type)
        usual = dict(_USUAL)
        if typical["source"]["kind"] in {"system", "scheduler"}:  # made by the host, always in the same way
            usual["metadata"] = dict.fromkeys(
                name for name in typical["metadata"] if name in properties["metadata"].properties
            )
        properties |= _usual(properties, typical, usual)
    return Shape(made.types, properties, closed=True)


_USUAL: Mapping[str, Any] = {
    **dict.fromkeys(("conversation_id", "conversation_type", "event_time")),
    "actor": {"actor_id": None},
    "subject": {"subject_id": None},
}
"""Fields that the events of a type have if its sample does; any other may be missing in some of them."""


def _usual(
    properties: Mapping[str, Shape], found: Mapping[str, Any], names: Mapping[str, Any]
) -> dict[str, Shape]:
    """These properties where the sample has them: they are not null."""
    made: dict[str, Shape] = {}
    for name, inner in names.items():
        shape = properties[name]
        if found.get(name) is None:
            continue
        if inner is not None:
            shape = replace(
                shape, properties={**shape.properties, **_usual(shape.properties, found[name], inner)}
            )
        made[name] = shape.without_null()
    return made


_NUMBERS: Mapping[str, ValueType] = {"integer": "number"}


def _read(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], *, model: bool = False, depth: int = 0
) -> Shape:
    if depth > MAX_DEPTH:
        return LOOSE
    reference = schema.get("$ref")
    if reference is not None:
        return _read(definitions[reference.rpartition("/")[2]], definitions, model=True, depth=depth + 1)
    several = schema.get("anyOf") or schema.get("oneOf")
    if several is not None:
        return joined([_read(item, definitions, depth=depth) for item in several])
    stated = schema.get("type")
    if stated is None:
        values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
        if values and all(isinstance(value, str) for value in values):
            return Shape(frozenset({"string"}), values=tuple(values))
        return LOOSE
    names: Sequence[Any] = (stated,) if isinstance(stated, str) else stated
    kinds: frozenset[ValueType] = frozenset(_NUMBERS.get(kind, kind) for kind in names)
    properties = {
        name: _read(item, definitions, depth=depth + 1) for name, item in schema.get("properties", {}).items()
    }
    items = schema.get("items")
    return Shape(
        kinds,
        # what a free object has may be missing, also where its type is known
        properties if model else {name: item.with_null() for name, item in properties.items()},
        closed=model and "object" in kinds,
        items=_read(items, definitions, depth=depth + 1) if isinstance(items, Mapping) else LOOSE,
        values=tuple(schema.get("enum") or ([schema["const"]] if "const" in schema else ())),
    )


@lru_cache(maxsize=1024)
def types_of(patterns: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The catalogue's types that patterns take, and whether they may take others too."""
    found: dict[str, None] = {}
    others = False
    for pattern in patterns:
        if "*" not in pattern:
            known = contract(pattern)
            if known is None:
                others = True
            found[pattern] = None
            continue
        others = True
        found |= {item.name: None for item in standard_types() if item.name.startswith(pattern[:-1])}
    return tuple(found), others


def paths_of(shape: Shape, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Every known path, such as `actor.actor_id`; not into lists."""
    for name, inner in shape.properties.items():
        path = f"{prefix}{name}"
        yield path
        if inner.properties and depth < 2:
            yield from paths_of(inner, f"{path}.", depth + 1)
