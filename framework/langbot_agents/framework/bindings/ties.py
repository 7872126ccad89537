"""Pairs of bindings that could answer the same event with nothing but their names to choose by."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .model import SCOPE_FIELDS, BindingEntry, ScopeTerm


@dataclass(frozen=True, kw_only=True)
class Tie:
    """Two respond bindings that would answer the same event with nothing but their names to choose by."""

    first: BindingEntry
    second: BindingEntry
    decidable: bool
    witness: Mapping[str, Any]


def find_ties(entries: Sequence[BindingEntry]) -> list[Tie]:
    """Pairs of live respond bindings that can tie before `binding_id`, each with an event that shows it."""
    groups: dict[tuple[Any, ...], list[BindingEntry]] = {}
    for entry in entries:
        if entry.document.mode == "respond" and entry.state == "live":
            # two scopes of nothing but single values meet only where the values are the same
            values = tuple(term.values if term.specificity == 3 else None for term in entry.scope)
            groups.setdefault((entry.document.priority, entry.scope_rank, values), []).append(entry)
    ties: list[Tie] = []
    for group in groups.values():
        for index, first in enumerate(group):
            for second in group[index + 1 :]:
                if (tie := _tie(first, second)) is not None:
                    ties.append(tie)
    return ties


def _tie(first: BindingEntry, second: BindingEntry) -> Tie | None:
    event_type = _shared_type(first, second)
    if event_type is None:
        return None
    witness: dict[str, Any] = {"event_type": event_type}
    for name, mine, theirs in zip(SCOPE_FIELDS, first.scope, second.scope, strict=True):
        if mine.specificity == 0:
            continue
        shared = _shared_value(mine, theirs)
        if shared is None:
            return None
        witness[name] = shared
    if first.document.active or second.document.active:
        decidable = False
    else:
        ours, others = (
            {leg.text for item in entry.filters for leg in item.legs} for entry in (first, second)
        )
        decidable = ours == others
    low, high = sorted((first, second), key=lambda entry: entry.binding_id)
    return Tie(first=low, second=high, decidable=decidable, witness=witness)


def _shared_type(first: BindingEntry, second: BindingEntry) -> str | None:
    candidates = sorted(first.exact & second.exact)
    for prefix in first.prefixes:
        if prefix in second.prefixes:
            candidates.append(prefix + "example" if prefix else "message.received")
    for candidate in candidates:
        if first.type_rank(candidate) == second.type_rank(candidate):
            return candidate
    return None


def _shared_value(mine: ScopeTerm, theirs: ScopeTerm) -> str | None:
    for value in mine.values:
        if theirs.matches(value):
            return value
    for value in theirs.values:
        if mine.matches(value):
            return value
    for pattern in mine.patterns:
        example = re.sub(r"\\(.)", r"\1", pattern.pattern.replace(".*", ""))
        if example and theirs.matches(example) and mine.matches(example):
            return example
    return None
