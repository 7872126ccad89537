"""Pairs of bindings that could answer the same event with nothing but their names to choose by."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.base import EVENT_TYPE_PATTERN
from langbot_agents.schemas.catalogue import standard_types

from ..filters.equality import equalities
from .entry import SCOPE_FIELDS, BindingEntry, ScopeTerm
from .possible import CLOSED, is_possible
from .wildcard import shared_texts

MAX_LOOKS = 200
"""Bindings before one that are looked at for one that it may tie with; all of them would take too long."""


@dataclass(frozen=True, kw_only=True)
class Tie:
    """Two respond bindings that would answer the same event with nothing but their names to choose by."""

    first: BindingEntry
    second: BindingEntry
    decidable: bool
    witness: Mapping[str, Any]


def find_ties(entries: Sequence[BindingEntry]) -> list[Tie]:
    """Pairs of live respond bindings that can tie before `binding_id`, each with an event that shows it.

    Every decidable pair is there, and of the others one for each binding, with one that it may tie with. The
    decidable ones come first, and each kind by the names of its pair, whatever the order of `entries`.
    """
    groups: dict[tuple[Any, ...], list[BindingEntry]] = {}
    for entry in entries:
        document = entry.document
        if document.mode == "respond" and entry.state == "live":
            # what names one value in a field meets only what names the same
            rank = document.priority, entry.scope_rank, entry.scope_names
            groups.setdefault(rank, []).append(entry)
    ties = [
        tie
        for group in groups.values()
        if len(group) > 1
        for part in _apart([_Candidate(entry) for entry in sorted(group, key=_id)])
        for tie in _ties(part)
    ]
    found = {(tie.first.binding_id, tie.second.binding_id): tie for tie in ties}
    return sorted(
        found.values(), key=lambda tie: (not tie.decidable, tie.first.binding_id, tie.second.binding_id)
    )


def _id(entry: BindingEntry) -> str:
    return entry.binding_id


class _Candidate:
    """A binding, with what its filters say apart from their order."""

    __slots__ = ("demands", "entry", "says")

    def __init__(self, entry: BindingEntry) -> None:
        self.entry = entry
        self.demands = {item.path: item.key for item in equalities(entry.filters)}
        self.says = (
            frozenset(leg.text for item in entry.filters for leg in item.legs),
            entry.document.active,
        )


def _apart(group: list[_Candidate]) -> Iterable[list[_Candidate]]:
    """The group in parts, any two that can meet together in one: told apart by what they all name."""
    columns = [*_scope_columns(group), *_demand_columns(group)]
    if not columns:
        return [group]
    best = max(columns, key=lambda column: len({label for labels in column for label in labels}))
    parts: dict[Any, list[_Candidate]] = {}
    for each, labels in zip(group, best, strict=True):
        for label in labels:
            parts.setdefault(label, []).append(each)
    return parts.values()


def _scope_columns(group: list[_Candidate]) -> Iterator[list[set[str]]]:
    """For each field that all of them name: of each its values, cut to what every pattern begins with."""
    for place in range(len(SCOPE_FIELDS)):
        terms = [each.entry.scope[place] for each in group]
        if any(term.specificity == 0 for term in terms):
            continue
        prefixes = [[pattern.text.partition("*")[0] for pattern in term.patterns] for term in terms]
        length = min((len(prefix) for each in prefixes for prefix in each), default=None)
        yield [
            {text[:length] for text in (*term.values, *begun)}
            for term, begun in zip(terms, prefixes, strict=True)
        ]


def _demand_columns(group: list[_Candidate]) -> Iterator[list[set[Any]]]:
    for path in group[0].demands:
        if all(path in each.demands for each in group):
            yield [{each.demands[path]} for each in group]


def _ties(group: list[_Candidate]) -> Iterator[Tie]:
    alike: dict[Any, list[_Candidate]] = {}
    for place, second in enumerate(group):
        same = alike.setdefault(second.says, [])
        for first in same:
            if (tie := _tie(first, second, decidable=True)) is not None:
                yield tie
        same.append(second)
        for first in group[max(0, place - MAX_LOOKS) : place]:
            if first.says != second.says and (tie := _tie(first, second, decidable=False)) is not None:
                yield tie
                break


def _tie(first: _Candidate, second: _Candidate, *, decidable: bool) -> Tie | None:
    if any(second.demands.get(path, key) != key for path, key in first.demands.items()):
        return None  # one event has not two values in one place
    event_type = _shared_type(first.entry, second.entry)
    if event_type is None:
        return None
    witness: dict[str, Any] = {"event_type": event_type}
    for name, mine, theirs in zip(SCOPE_FIELDS, first.entry.scope, second.entry.scope, strict=True):
        if mine.specificity == 0:
            continue
        shared = _shared_value(name, mine, theirs)
        if shared is None:
            return None
        witness[name] = shared
    return Tie(first=first.entry, second=second.entry, decidable=decidable, witness=witness)


def _shared_type(first: BindingEntry, second: BindingEntry) -> str | None:
    candidates = sorted(first.exact & second.exact)
    for prefix in first.prefixes:
        if prefix in second.prefixes:
            candidates += _types_below(prefix, first, second)
    for candidate in candidates:
        if first.type_rank(candidate) == second.type_rank(candidate):
            return candidate
    return None


def _types_below(prefix: str, first: BindingEntry, second: BindingEntry) -> Iterator[str]:
    """Types that begin with a prefix: those of the catalogue, then new ones until one is in no pattern."""
    yield from (
        found.name for found in standard_types() if found.name.startswith(prefix) and not found.pattern
    )
    named = len(first.exact) + len(second.exact) + len(first.prefixes) + len(second.prefixes)
    for number in range(1, named + 2):
        name = f"{prefix}example{number}" if prefix else f"example{number}.event"
        if re.fullmatch(EVENT_TYPE_PATTERN, name):
            yield name


def _shared_value(name: str, mine: ScopeTerm, theirs: ScopeTerm) -> str | None:
    """A value of the field that both take, if the field can have one."""
    candidates = [*mine.values, *theirs.values]
    for pattern in mine.patterns:
        candidates += CLOSED.get(name, ())
        for other in theirs.patterns:
            candidates += shared_texts(pattern.text, other.text)
    for value in candidates:
        if mine.matches(value) and theirs.matches(value) and is_possible(name, value):
            return value
    return None
