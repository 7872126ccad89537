"""The log as it grows: each event once it is decided, in the order of arrival."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.records import Decision

from ..clock import utc_now
from ..filters import CompiledFilter, Frame, evaluate_all
from ..project import Project
from ..store import Cursor, Database, decisions, events, spans
from ..store.events import StoredEvent

PAGE = 200
"""Events that are read at once."""

INTERVAL = 0.25
"""Seconds between two looks at the log."""

PATIENCE = 2.0
"""Seconds that an event may wait for its decision before it is shown without."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """An event of the log and its decision, if it has one."""

    stored: StoredEvent
    decision: Decision | None

    @property
    def winner(self) -> str | None:
        """Who answers it."""
        return None if self.decision is None else self.decision.winner


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which events a person wants to see."""

    filter: CompiledFilter | None = None
    event_type: str | None = None
    unmatched: bool = False

    def takes(self, seen: Seen, timezone: str) -> bool:
        """Whether the event is one of them; a filter that fails is false."""
        envelope = seen.stored.envelope
        if self.event_type is not None and not _is_of(envelope.event_type, self.event_type):
            return False
        if self.unmatched and (seen.decision is None or seen.decision.outcome != "unmatched"):
            return False
        if self.filter is None:
            return True
        received = envelope.received_at
        now = 0.0 if received is None else received.timestamp()
        document: Mapping[str, Any] = {**envelope.model_dump(mode="json"), "now": now}
        leg = evaluate_all((self.filter,), document, Frame(document, now=now, timezone=timezone))
        return leg is None or leg.truth == "true"


class Tail:
    """Reads the log of a workspace on from a place, beside whatever host writes it."""

    def __init__(self, project: Project, workspace: str) -> None:
        self._workspace = workspace
        self._database = Database.open(
            project.settings.storage.url, root=project.root, lock=False, read_only=True
        )
        self.place = self._database.read_now(spans.last, workspace)

    def step_back(self, count: int) -> None:
        """Begin that many events earlier."""
        if count:
            page = self._database.read_now(events.page, self._workspace, before=self.place + 1, limit=count)
            self.place = page[-1].seq - 1 if page else self.place

    def take(self) -> list[Seen]:
        """What came since; an event that is not decided yet, and all behind it, stays for a while."""
        taken: list[Seen] = []
        for seen in self._database.read_now(self._read):
            if seen.decision is None and _age(seen.stored) < PATIENCE:
                break
            taken.append(seen)
            self.place = seen.stored.seq
        return taken

    def follow(self) -> Iterator[Seen]:
        """Each event, for ever."""
        while True:
            taken = self.take()
            yield from taken
            if not taken:
                time.sleep(INTERVAL)

    def rest(self) -> Iterator[Seen]:
        """Each event that is there."""
        while taken := self.take():
            yield from taken

    def _read(self, cursor: Cursor) -> list[Seen]:
        page = events.page(cursor, self._workspace, after=self.place, limit=PAGE)
        return [Seen(stored=item, decision=_decision(cursor, self._workspace, item)) for item in page]


def _decision(cursor: Cursor, workspace: str, item: StoredEvent) -> Decision | None:
    if item.outcome is None:
        return None
    return decisions.get(cursor, workspace, item.envelope.event_uid or "")


def _age(item: StoredEvent) -> float:
    received = item.envelope.received_at
    return PATIENCE if received is None else (utc_now() - received).total_seconds()


def _is_of(event_type: str, wanted: str) -> bool:
    """Whether a type is the one that is wanted, or one of a pattern such as `message.*`."""
    if wanted.endswith("*"):
        return event_type.startswith(wanted[:-1])
    return canonical_type(event_type) == canonical_type(wanted)
