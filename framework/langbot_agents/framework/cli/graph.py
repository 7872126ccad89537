"""The bindings as a graph: event types lead to bindings, those to runners, and these to where output goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.bindings import NamedTarget

from ..bindings import SCOPE_FIELDS, BindingEntry, BindingSet
from ..dispatcher import DISCARD
from ..explanation import RankStep, rank_step
from ..router import rank
from ..store.traffic import Traffic


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A binding as one event type meets it."""

    entry: BindingEntry
    place: int | None
    """From 1, best first, among those that may answer; None for an observer."""
    behind: RankStep | None
    """What the one before it has better."""
    won: int | None
    """Events of the type that it won; None without a log."""

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "binding_id": self.entry.binding_id,
            "place": self.place,
            "behind": None if self.behind is None else self.behind.as_dict(),
            "won": self.won,
        }


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One event type, or pattern of types, and the bindings that take it, best first, then the observers."""

    event_type: str
    stops: tuple[Stop, ...]

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {"event_type": self.event_type, "bindings": [stop.as_dict() for stop in self.stops]}


@dataclass(frozen=True, kw_only=True)
class Graph:
    """All bindings and where events go."""

    bindings: BindingSet
    lanes: tuple[Lane, ...]
    traffic: Traffic | None
    since: str | None

    def won(self, entry: BindingEntry) -> int | None:
        """Events that a binding took: answered, or observed."""
        if self.traffic is None:
            return None
        if entry.document.mode == "observe":
            return self.traffic.chosen.get(entry.binding_id, 0)
        return sum(count for (_, name), count in self.traffic.won.items() if name == entry.binding_id)

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        traffic = self.traffic
        return {
            "since": self.since,
            "events": None if traffic is None else traffic.events,
            "unmatched": None if traffic is None else traffic.unmatched,
            "event_types": [lane.as_dict() for lane in self.lanes],
            "bindings": [
                {
                    "binding_id": entry.binding_id,
                    "file": entry.file,
                    "line": entry.line,
                    "state": entry.state,
                    "mode": entry.document.mode,
                    "priority": entry.document.priority,
                    "scope": scope_of(entry),
                    "filters": [item.expr for item in entry.document.filters],
                    "active": entry.document.active is not None,
                    "runner_id": entry.runner.id,
                    "targets": targets_of(entry),
                    "won": self.won(entry),
                }
                for entry in self.bindings.entries
            ],
        }


def graph_of(bindings: BindingSet, traffic: Traffic | None = None, since: str | None = None) -> Graph:
    """The graph of what takes part; `traffic` gives the weights."""
    names = sorted({name for entry in bindings.live for name in (*entry.exact, *_patterns(entry))})
    lanes = [Lane(event_type=name, stops=_stops(name, bindings, traffic)) for name in names]
    return Graph(bindings=bindings, lanes=tuple(lanes), traffic=traffic, since=since)


def scope_of(entry: BindingEntry) -> dict[str, Any]:
    """The fields of a scope that are written, as JSON data."""
    stated = {name: getattr(entry.document.scope, name) for name in SCOPE_FIELDS}
    return {name: thaw(value) for name, value in stated.items() if value is not None}


def targets_of(entry: BindingEntry) -> list[str]:
    """Where its output goes: `reply`, `surface:id`; nothing for an observer and for `discard`."""
    if entry.document.mode == "observe" or entry.runner.id == DISCARD:
        return []
    return [
        f"{item.surface}:{item.target.target_id}" if isinstance(item, NamedTarget) else item
        for item in entry.document.delivery_policy.targets
        if item != "none"
    ]


def _patterns(entry: BindingEntry) -> tuple[str, ...]:
    return tuple(f"{prefix}*" for prefix in entry.prefixes)


def _stops(name: str, bindings: BindingSet, traffic: Traffic | None) -> tuple[Stop, ...]:
    """Those that take a type by name or pattern; under a pattern only those that have it."""
    sample = f"{name[:-1]}*" if name.endswith("*") else name
    taking = [
        entry
        for entry in bindings.live
        if (name in _patterns(entry) if name.endswith("*") else entry.type_rank(name) is not None)
    ]
    won = _won_by_name(name, bindings, traffic)
    stops: list[Stop] = []
    before: BindingEntry | None = None
    for entry in sorted(taking, key=lambda item: rank(item, sample)):
        if entry.document.mode == "observe":
            continue
        step = None if before is None else rank_step(before, entry, sample)
        stops.append(
            Stop(
                entry=entry,
                place=len(stops) + 1,
                behind=step,
                won=None if won is None else won.get(entry.binding_id, 0),
            )
        )
        before = entry
    observers = [entry for entry in taking if entry.document.mode == "observe"]
    stops += [Stop(entry=entry, place=None, behind=None, won=None) for entry in observers]
    return tuple(stops)


def _won_by_name(name: str, bindings: BindingSet, traffic: Traffic | None) -> Mapping[str, int] | None:
    """Binding to what it won of a type; of a pattern, what it won of the types that no lane names."""
    if traffic is None:
        return None
    if not name.endswith("*"):
        return {binding: count for (kind, binding), count in traffic.won.items() if kind == name}
    named = {kind for entry in bindings.live for kind in entry.exact}
    found: dict[str, int] = {}
    for (kind, binding), count in traffic.won.items():
        if kind.startswith(name[:-1]) and kind not in named:
            found[binding] = found.get(binding, 0) + count
    return found
