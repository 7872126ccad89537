"""What moves between two sets of bindings, event by event, grouped by its cause."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from langbot_agents.schemas.records import Decision

from ..bindings import BindingSet
from ..explanation import Places
from ..router import EventRouter, RoutedEvent
from .causes import Cause, Causes
from .change import SetChange

EXAMPLES = 5
"""Events that a group names."""

MoveKind = Literal["answer", "observer", "handling"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One thing that is otherwise for an event: who answers, who observes, or how it is answered."""

    kind: MoveKind
    before: str | None
    after: str | None
    cause: Cause

    def as_dict(self) -> dict[str, Any]:
        """The move as JSON data."""
        return {
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "cause": self.cause.as_dict(),
        }


@dataclass(kw_only=True, slots=True)
class Group:
    """The events that move alike because of the same change."""

    move: Move
    count: int = 0
    examples: list[str] = field(default_factory=list)
    """Names of the first events."""

    def as_dict(self) -> dict[str, Any]:
        """The group as JSON data."""
        return {**self.move.as_dict(), "count": self.count, "examples": list(self.examples)}


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two sets, and where its files lie."""

    bindings: BindingSet
    places: Places

    @classmethod
    def of(cls, bindings: BindingSet, root: Path) -> "Side":
        """A set that was read from the files as they are."""
        return cls(bindings=bindings, places=Places(root))


class Comparison:
    """Takes events one by one and keeps only groups and counts of what moves."""

    def __init__(self, old: Side, new: Side) -> None:
        self.change = SetChange(old.bindings, new.bindings)
        self.events = 0
        self.moved = 0
        self._causes = Causes(self.change, old.places, new.places)
        self._groups: dict[Move, Group] = {}
        self._router = EventRouter()

    @property
    def groups(self) -> list[Group]:
        """Most events first."""
        return sorted(self._groups.values(), key=lambda group: (-group.count, group.examples))

    def add(self, event: RoutedEvent, clock: float, name: str) -> None:
        """Compare what the two sets do with an event; `name` is how a person finds it again."""
        self.events += 1
        moves = self.moves(event, clock)
        if moves:
            self.moved += 1
        for move in moves:
            group = self._groups.get(move)
            if group is None:
                group = self._groups[move] = Group(move=move)
            group.count += 1
            if len(group.examples) < EXAMPLES:
                group.examples.append(name)

    def add_all(self, events: Iterable[tuple[RoutedEvent, float, str]]) -> None:
        """Each event, its clock, and its name."""
        for event, clock, name in events:
            self.add(event, clock, name)

    def moves(self, event: RoutedEvent, clock: float) -> list[Move]:
        """What moves for one event; the sets are only asked where what differs between them could count."""
        if not self.change.concerns(event, clock):
            return []
        old = self._router.decide(event, self.change.old, clock)
        new = self._router.decide(event, self.change.new, clock)
        return self.between(event, clock, old, new)

    def between(self, event: RoutedEvent, clock: float, old: Decision, new: Decision) -> list[Move]:
        """What moves from one decision to the other."""
        found: list[Move] = []
        if old.winner != new.winner:
            cause = self._causes.answer(event, clock, old, new)
            found.append(Move(kind="answer", before=old.winner, after=new.winner, cause=cause))
        elif old.winner is not None:
            found += self._handled(old.winner)
        found += [self._observer(event, clock, name, came=False) for name in _less(old, new)]
        found += [self._observer(event, clock, name, came=True) for name in _less(new, old)]
        for name in new.observers:
            if name in old.observers:
                found += self._handled(name)
        return found

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON data."""
        return {
            "events": self.events,
            "moved": self.moved,
            "changed_bindings": list(self.change.binding_ids),
            "groups": [group.as_dict() for group in self.groups],
        }

    def _handled(self, name: str) -> list[Move]:
        cause = self._causes.handling(name)
        return [] if cause is None else [Move(kind="handling", before=name, after=name, cause=cause)]

    def _observer(self, event: RoutedEvent, clock: float, name: str, *, came: bool) -> Move:
        cause = self._causes.observer(event, clock, name, came=came)
        before, after = (None, name) if came else (name, None)
        return Move(kind="observer", before=before, after=after, cause=cause)


def _less(one: Decision, other: Decision) -> list[str]:
    """The observers of one that the other does not have."""
    return [name for name in one.observers if name not in other.observers]
