"""Which bindings of a set can take an event at all, found by type, scope and the equalities of filters.

Bindings that demand values of the same fields lie together, under the tuple of the values that they demand;
so an event is looked up once for each combination of fields that it has. What has no such demand, such as a
scope pattern or `contains(...)`, is left to the router, which tests each candidate as if there were no index.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..filters.equality import Path, equalities, key_of
from .entry import BindingEntry

SCOPE_PATHS: tuple[Path, ...] = (
    ("actor", "actor_id"),
    ("thread_id",),
    ("conversation_id",),
    ("conversation_type",),
    ("subject", "subject_type"),
    ("bot_id",),
    ("source", "name"),
    ("source", "kind"),
    ("workspace_id",),
)
"""Where an event's JSON form has the values of `SCOPE_FIELDS`."""

CROWDED = 500
"""More bindings with filters than this that no event tells apart are worth a word."""

MAX_PLACES = 64
"""Places of one binding for one event type, unless a single list alone makes more."""

_MANY_FIELDS = 32
"""From so many fields on it is quicker to go through those that the event has."""

_ORDER: Mapping[Path, int] = {path: index for index, path in enumerate(SCOPE_PATHS)}

Key = tuple[Hashable, ...]
Bucket = BindingEntry | dict[str, BindingEntry]
"""One binding, which is the usual case, or several by id."""


class EventKeys:
    """An event's values as an index looks them up; what lies outside of the scope is read on demand."""

    __slots__ = ("_document", "_known")

    def __init__(self, scope: tuple[str | None, ...], document: Callable[[], Mapping[str, Any]]) -> None:
        self._known: dict[Path, Hashable] = dict(zip(SCOPE_PATHS, scope, strict=True))
        self._document = document

    def get(self, path: Path) -> Hashable:
        """The key of the value at a path, None for what has none."""
        if path in self._known:
            return self._known[path]
        value: Any = self._document()
        for name in path:
            value = value.get(name) if type(value) is dict else None
        found = self._known[path] = key_of(value)
        return found

    def every(self) -> Iterator[tuple[Path, Hashable]]:
        """Each path to a value that has a key, not through lists."""
        waiting: list[tuple[Path, Any]] = [((), self._document())]
        while waiting:
            path, value = waiting.pop()
            if type(value) is dict:
                waiting += [((*path, name), item) for name, item in value.items()]
            elif (key := key_of(value)) is not None:
                yield path, key


class _Node:
    """The bindings that demand values of the same fields, and nodes of one field more."""

    __slots__ = ("below", "here")

    def __init__(self, below: dict[Path, "_Node"], here: dict[Key, Bucket]) -> None:
        self.below = below
        self.here = here

    def collect(self, keys: EventKeys, key: Key, found: dict[str, BindingEntry]) -> None:
        """Add what lies under the values of an event; `key` has those of the fields above."""
        bucket = self.here.get(key)
        if bucket is not None:
            found.update(_in(bucket))
        if len(self.below) <= _MANY_FIELDS:
            for path, node in self.below.items():
                value = keys.get(path)
                if value is not None:
                    node.collect(keys, (*key, value), found)
            return
        for path, value in keys.every():
            below = self.below.get(path)
            if below is not None:
                below.collect(keys, (*key, value), found)


@dataclass(frozen=True, kw_only=True, slots=True)
class Crowd:
    """Bindings with filters that the index cannot tell apart: each event of theirs evaluates them all."""

    event_type: str
    """The type or pattern that they take."""
    demands: tuple[tuple[Path, Hashable], ...]
    """What they all demand."""
    entries: tuple[BindingEntry, ...]

    @property
    def first(self) -> BindingEntry:
        """The one that stands first, by file and line."""
        return min(self.entries, key=lambda entry: (entry.file, entry.line))


class BindingIndex:
    """The live bindings of a set; immutable, and a changed one shares all parts that did not change."""

    __slots__ = ("_types",)

    def __init__(self, entries: Iterable[BindingEntry] = ()) -> None:
        self._types: Mapping[str, _Node] = _Change({}).applied((), entries)

    def changed(self, removed: Iterable[BindingEntry], added: Iterable[BindingEntry]) -> "BindingIndex":
        """The index without some of its bindings and with others."""
        made = BindingIndex()
        made._types = _Change(self._types).applied(removed, added)
        return made

    def candidates(self, event_type: str, keys: EventKeys) -> Iterable[BindingEntry]:
        """Each binding that could take the event, once; any that is left out cannot."""
        found: dict[str, BindingEntry] = {}
        for name in _names(event_type):
            node = self._types.get(name)
            if node is not None:
                node.collect(keys, (), found)
        return found.values()

    def crowds(self, more_than: int = CROWDED) -> Iterator[Crowd]:
        """Where so many bindings with filters lie together that every event of theirs is slow."""
        for event_type, node in sorted(self._types.items()):
            waiting: list[tuple[tuple[Path, ...], _Node]] = [((), node)]
            while waiting:
                fields, current = waiting.pop()
                waiting += [((*fields, path), below) for path, below in current.below.items()]
                for key, bucket in current.here.items():
                    entries = tuple(entry for entry in _in(bucket).values() if entry.filters)
                    if len(entries) > more_than:
                        demands = tuple(zip(fields, key, strict=True))
                        yield Crowd(event_type=event_type, demands=demands, entries=entries)


class _Change:
    """One change on its way: what it touches is copied once, all else is shared with the index of before."""

    def __init__(self, types: Mapping[str, _Node]) -> None:
        self._types = dict(types)
        self._own: set[int] = set()

    def applied(self, removed: Iterable[BindingEntry], added: Iterable[BindingEntry]) -> Mapping[str, _Node]:
        """The nodes after it."""
        for entry in removed:
            for event_type, fields, keys in _places(entry):
                self._remove(entry, event_type, fields, keys)
        for entry in added:
            for event_type, fields, keys in _places(entry):
                here = self._nodes(event_type, fields)[-1].here
                for key in keys:
                    self._put(entry, here, key)
        return self._types

    def _nodes(self, event_type: str, fields: tuple[Path, ...]) -> list[_Node]:
        """The way to the node of these fields, to be changed."""
        nodes = [self._node(self._types, event_type)]
        for path in fields:
            nodes.append(self._node(nodes[-1].below, path))
        return nodes

    def _node(self, nodes: dict[Any, _Node], name: Any) -> _Node:
        found: _Node | None = nodes.get(name)
        if found is None or id(found) not in self._own:
            found = _Node({}, {}) if found is None else _Node(dict(found.below), dict(found.here))
            self._own.add(id(found))
            nodes[name] = found
        return found

    def _put(self, entry: BindingEntry, here: dict[Key, Bucket], key: Key) -> None:
        bucket = here.get(key)
        if bucket is None:
            here[key] = entry
            return
        several = self._several(here, key, bucket)
        several[entry.binding_id] = entry

    def _remove(
        self, entry: BindingEntry, event_type: str, fields: tuple[Path, ...], keys: Iterable[Key]
    ) -> None:
        nodes = self._nodes(event_type, fields)
        here = nodes[-1].here
        for key in keys:
            bucket = here[key]
            if not isinstance(bucket, dict):
                del here[key]
                continue
            several = self._several(here, key, bucket)
            del several[entry.binding_id]
            if len(several) == 1:
                (here[key],) = several.values()
        names: list[tuple[dict[Any, _Node], Any]] = [(self._types, event_type)]
        names += [(node.below, path) for node, path in zip(nodes, fields, strict=False)]
        for node, (above, name) in zip(reversed(nodes), reversed(names), strict=True):
            if not node.here and not node.below:
                del above[name]

    def _several(self, here: dict[Key, Bucket], key: Key, bucket: Bucket) -> dict[str, BindingEntry]:
        """The bindings of a bucket, to be changed."""
        if isinstance(bucket, dict) and id(bucket) in self._own:
            return bucket
        several = here[key] = dict(_in(bucket))
        self._own.add(id(several))
        return several


def _in(bucket: Bucket) -> Mapping[str, BindingEntry]:
    return bucket if isinstance(bucket, dict) else {bucket.binding_id: bucket}


def _names(event_type: str) -> Iterator[str]:
    """The type, and every pattern that takes it."""
    yield event_type
    yield "*"
    at = event_type.find(".")
    while at >= 0:
        yield event_type[: at + 1] + "*"
        at = event_type.find(".", at + 1)


def _places(entry: BindingEntry) -> Iterator[tuple[str, tuple[Path, ...], list[Key]]]:
    """Under which types, fields and values of them a binding lies."""
    demands = _demands(entry)
    fields: list[Path] = []
    count = 1
    for path in sorted(demands, key=lambda path: (_ORDER.get(path, len(_ORDER)), path)):
        if count == 1 or count * len(demands[path]) <= MAX_PLACES:
            fields.append(path)
            count *= len(demands[path])
    keys: list[Key] = list(product(*(demands[path] for path in fields)))
    for name in (*entry.exact, *(prefix + "*" for prefix in entry.prefixes)):
        yield name, tuple(fields), keys


def _demands(entry: BindingEntry) -> Mapping[Path, tuple[Hashable, ...]]:
    """By field, the values of which an event must have one."""
    demands: dict[Path, tuple[Hashable, ...]] = {
        path: tuple(dict.fromkeys(term.values))
        for path, term in zip(SCOPE_PATHS, entry.scope, strict=True)
        if term.values and not term.patterns
    }
    for path, key in equalities(entry.filters):
        if len(demands.get(path, ())) != 1:
            demands[path] = (key,)
    return demands
