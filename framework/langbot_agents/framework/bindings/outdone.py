"""Bindings that can never win: whatever they take, another one takes, and comes first."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .entry import BindingEntry

MAX_LOOKS = 50
"""Bindings with the same scope that are looked at for one that always comes first."""


class Outdone(NamedTuple):
    """A binding, and one that always comes first."""

    entry: BindingEntry
    by: BindingEntry


def find_outdone(entries: Sequence[BindingEntry]) -> list[Outdone]:
    """Each live respond binding with another of a higher priority that takes all of its events.

    A scope covers another where each field that it states is stated alike; a filter where each of its parts
    is demanded there, too. So what is found is sure, and not all that could be found.
    """
    taking = [entry for entry in entries if entry.document.mode == "respond" and entry.state == "live"]
    lowest = min((entry.document.priority for entry in taking), default=0)
    covers: dict[tuple[int, ...], dict[tuple[object, ...], list[BindingEntry]]] = {}
    for entry in taking:
        if entry.document.priority > lowest and entry.document.on_failure == "stop":
            stated = tuple(place for place, term in enumerate(entry.scope) if term.specificity)
            key = _key(entry, stated)
            covers.setdefault(stated, {}).setdefault(key, []).append(entry)
    if not covers:
        return []
    for groups in covers.values():
        for group in groups.values():
            group.sort(key=lambda entry: (len(entry.filters), -entry.document.priority, entry.binding_id))
    found = []
    for entry in taking:
        by = _first_over(entry, covers)
        if by is not None:
            found.append(Outdone(entry, by))
    return found


def _first_over(
    entry: BindingEntry, covers: dict[tuple[int, ...], dict[tuple[object, ...], list[BindingEntry]]]
) -> BindingEntry | None:
    for stated, groups in covers.items():
        for other in groups.get(_key(entry, stated), ())[:MAX_LOOKS]:
            if other.document.priority > entry.document.priority and _takes_all(other, entry):
                return other
    return None


def _key(entry: BindingEntry, stated: Iterable[int]) -> tuple[object, ...]:
    return tuple((entry.scope[place].values, entry.scope[place].patterns) for place in stated)


def _takes_all(other: BindingEntry, entry: BindingEntry) -> bool:
    if other.document.active is not None and other.document.active != entry.document.active:
        return False
    if any(other.type_rank(name) is None for name in entry.exact):
        return False
    if any(not any(mine.startswith(each) for each in other.prefixes) for mine in entry.prefixes):
        return False
    demanded = {leg.text for item in entry.filters for leg in item.legs}
    return all(leg.text in demanded for item in other.filters for leg in item.legs)
