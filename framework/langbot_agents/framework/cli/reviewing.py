"""A logged event looked at again: its decision with the reasons of then, and what another set would do."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langbot_agents.schemas.records import Decision

from ..app import EventStory, read_story
from ..bindings import BindingEntry, BindingSet
from ..comparison import Comparison, Move, Side
from ..explanation import Explained, Places, explain_event
from ..project import Project
from ..revisions import bindings_at
from ..router import EventRouter, RoutedEvent
from ..store import Cursor, decisions
from ..store.events import StoredEvent


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What the store has of an event, and the set that decided it."""

    story: EventStory
    decision: Decision | None
    bindings: BindingSet | None
    """The set of then, built again; None without a decision, or where the store does not know the set."""

    @property
    def clock(self) -> float | None:
        """The time of the decision, else of the event's coming."""
        if self.decision is not None:
            return self.decision.clock
        received = self.story.stored.envelope.received_at
        return None if received is None else received.timestamp()


@dataclass(frozen=True, kw_only=True)
class Review:
    """An event, what was decided and why, and what a set decides now."""

    recorded: Recorded
    then: Explained | None
    now: Explained
    moves: tuple[Move, ...] | None
    """What is otherwise now, with its causes; None where the set of then cannot be built."""

    @property
    def decision(self) -> Decision | None:
        """The stored decision."""
        return self.recorded.decision

    @property
    def differs(self) -> bool:
        """Whether the event would go elsewhere now."""
        decision, now = self.decision, self.now.explanation.decision
        if decision is None:
            return False
        return (decision.winner, set(decision.observers)) != (now.winner, set(now.observers)) or bool(
            self.moves
        )

    @property
    def repeats(self) -> bool:
        """Whether the reasons of then come to the decision that is stored."""
        if self.then is None or self.decision is None:
            return False
        return decided_alike(self.decision, self.then.explanation.decision)


def read_recorded(cursor: Cursor, stored: StoredEvent, project: Project) -> Recorded:
    """What is on record of an event, in one snapshot."""
    workspace, uid = stored.envelope.workspace_id, stored.envelope.event_uid or ""
    decision = decisions.get(cursor, workspace, uid)
    bindings = None
    if decision is not None:
        bindings = bindings_at(cursor, decision.set_digest, project.registry, at=decision.clock)
    return Recorded(story=read_story(cursor, stored), decision=decision, bindings=bindings)


def review(recorded: Recorded, bindings: BindingSet, *, root: Path, project: Project, clock: float) -> Review:
    """Look at an event with the set of then and with another, whose files lie in `root`, at a time."""
    envelope = recorded.story.stored.envelope
    name = envelope.event_uid or ""
    now = explain_event(envelope, bindings, clock, root=root, origin="log", name=name)
    decision, before = recorded.decision, recorded.bindings
    if decision is None or before is None:
        return Review(recorded=recorded, then=None, now=now, moves=None)
    unchanged = unchanged_in(project.bindings)
    then = explain_event(
        envelope,
        before,
        decision.clock,
        root=project.root,
        origin="log",
        name=name,
        set_digest=decision.set_digest,
        trusted=unchanged,
    )
    moves = _moves(
        RoutedEvent(envelope),
        clock,
        Side(bindings=before, places=Places(project.root, unchanged)),
        Side.of(bindings, root),
    )
    return Review(recorded=recorded, then=then, now=now, moves=moves)


def decided_alike(one: Decision, other: Decision) -> bool:
    """Whether two decisions say the same of each binding."""
    return (one.winner, one.observers, one.entries) == (other.winner, other.observers, other.entries)


def decision_data(decision: Decision | None) -> dict[str, Any] | None:
    """A stored decision as it is stored."""
    return None if decision is None else decision.model_dump(mode="json")


def _moves(event: RoutedEvent, clock: float, old: Side, new: Side) -> tuple[Move, ...]:
    router = EventRouter()
    before = router.decide(event, old.bindings, clock)
    after = router.decide(event, new.bindings, clock)
    return tuple(Comparison(old, new).between(event, clock, before, after))


def unchanged_in(bindings: BindingSet) -> Callable[[BindingEntry], bool]:
    """Tells whether a binding of then is written in the same place and says the same now."""

    def unchanged(entry: BindingEntry) -> bool:
        found = bindings.get(entry.binding_id)
        return found is not None and (found.revision, found.origin) == (entry.revision, entry.origin)

    return unchanged
