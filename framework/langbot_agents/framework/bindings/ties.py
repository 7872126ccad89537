"""Pairs of bindings that could answer the same event with nothing but their names to choose by."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.base import EVENT_TYPE_PATTERN
from langbot_agents.schemas.catalogue import standard_types

from .entry import SCOPE_FIELDS, BindingEntry, ScopeTerm
from .possible import CLOSED, is_possible
from .wildcard import shared_texts


@dataclass(frozen=True, kw_only=True)
class Tie:
    """Two respond bindings that would answer the same event with nothing but their names to choose by."""

    first: BindingEntry
    second: BindingEntry
    decidable: bool
    witness: Mapping[str, Any]


def find_ties(entries: Sequence[BindingEntry]) -> list[Tie]:
    """Pairs of live respond bindings that can tie before `binding_id`, each with an event that shows it.

    The decidable ones come first, and each kind by the names of its pair, whatever the order of `entries`.
    """
    groups: dict[tuple[Any, ...], list[BindingEntry]] = {}
    for entry in entries:
        if entry.document.mode == "respond" and entry.state == "live":
            # two scopes of nothing but single values meet only where the values are the same
            values = tuple(term.values if term.specificity == 3 else None for term in entry.scope)
            groups.setdefault((entry.document.priority, entry.scope_rank, values), []).append(entry)
    ties: list[Tie] = []
    for group in groups.values():
        for index, first in enumerate(group):
            pairs = (_tie(first, second) for second in group[index + 1 :])
            ties += [tie for tie in pairs if tie is not None]
    return sorted(ties, key=lambda tie: (not tie.decidable, tie.first.binding_id, tie.second.binding_id))


def _tie(first: BindingEntry, second: BindingEntry) -> Tie | None:
    event_type = _shared_type(first, second)
    if event_type is None:
        return None
    witness: dict[str, Any] = {"event_type": event_type}
    for name, mine, theirs in zip(SCOPE_FIELDS, first.scope, second.scope, strict=True):
        if mine.specificity == 0:
            continue
        shared = _shared_value(name, mine, theirs)
        if shared is None:
            return None
        witness[name] = shared
    ours, others = ({leg.text for item in entry.filters for leg in item.legs} for entry in (first, second))
    decidable = ours == others and first.document.active == second.document.active
    low, high = sorted((first, second), key=lambda entry: entry.binding_id)
    return Tie(first=low, second=high, decidable=decidable, witness=witness)


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
