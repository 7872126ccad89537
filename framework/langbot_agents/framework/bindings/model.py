"""All bindings of a host at one moment, and what stays out of it."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from langbot_agents.schemas.records import BindingPause

from ..filters import FUNCTION_SET
from .entry import BindingEntry
from .index import BindingIndex

_SUM_BYTES = 256
_SUM_LIMIT = 1 << (8 * _SUM_BYTES)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quarantined:
    """A document that stays out, with its reason; the others run."""

    binding_id: str | None
    file: str
    line: int
    reason: str
    revision: str | None = None
    workspace_id: str | None = None
    """The one workspace that it says it takes; None where that cannot be told."""

    @property
    def origin(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"


class BindingSet:
    """All bindings of a host at one moment; immutable, named by its digest."""

    def __init__(
        self,
        entries: Iterable[BindingEntry],
        quarantined: Iterable[Quarantined] = (),
        *,
        timezone: str = "UTC",
        function_set: str = FUNCTION_SET,
    ) -> None:
        self.entries: tuple[BindingEntry, ...] = tuple(sorted(entries, key=_id))
        self.quarantined: tuple[Quarantined, ...] = tuple(quarantined)
        self.timezone = timezone
        self.function_set = function_set
        self._by_id: Mapping[str, BindingEntry] = {entry.binding_id: entry for entry in self.entries}
        self._paused = frozenset(entry.binding_id for entry in self.entries if entry.pause is not None)

    @cached_property
    def live(self) -> tuple[BindingEntry, ...]:
        """The bindings that take part, by id."""
        return tuple(entry for entry in self.entries if entry.state == "live")

    @cached_property
    def index(self) -> BindingIndex:
        """Which of the live ones can take an event."""
        return BindingIndex(self.live)

    @cached_property
    def digest(self) -> str:
        """Names the set: the same documents live and paused, the same digest, however the set came about.

        It is the SHA-256 of the timezone, the function set, the number of bindings and the sum of a number
        of 2,048 bits for each binding. The sum does not depend on their order and follows a change without
        the others; it is that long since sums, unlike hashes, of 256 bits can be made to collide.
        """
        facts = [self.timezone, self.function_set, len(self.entries), f"{self._sum:x}"]
        text = json.dumps(facts, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _sum(self) -> int:
        return sum(map(_number, self.entries)) % _SUM_LIMIT

    def get(self, binding_id: str) -> BindingEntry | None:
        """The binding of that id, if it is not quarantined."""
        return self._by_id.get(binding_id)

    def changed(
        self,
        added: Iterable[BindingEntry] = (),
        removed: Iterable[str] = (),
        *,
        quarantined: Iterable[Quarantined] | None = None,
    ) -> "BindingSet":
        """The set without the bindings of some ids and with others; one whose id is there takes its place.

        It costs what the change costs, and some plain copies: nothing else is read, hashed or sorted again
        once this set has its index and its digest.
        """
        entries, by_id = list(self.entries), dict(self._by_id)
        gone: dict[str, BindingEntry] = {}
        come: dict[str, BindingEntry] = {}
        for binding_id in removed:
            if binding_id in by_id:
                gone[binding_id] = by_id.pop(binding_id)
                del entries[bisect_left(entries, binding_id, key=_id)]
        for entry in added:
            binding_id = entry.binding_id
            at = bisect_left(entries, binding_id, key=_id)
            if binding_id in self._by_id:
                gone[binding_id] = self._by_id[binding_id]
            if binding_id in by_id:
                entries[at] = entry
            else:
                entries.insert(at, entry)
            come[binding_id] = by_id[binding_id] = entry
        made = BindingSet.__new__(BindingSet)
        made.entries = tuple(entries)
        made.quarantined = self.quarantined if quarantined is None else tuple(quarantined)
        made.timezone = self.timezone
        made.function_set = self.function_set
        made._by_id = by_id
        paused = (binding_id for binding_id, entry in come.items() if entry.pause is not None)
        made._paused = (self._paused - gone.keys()).union(paused)
        # `cached_property` keeps what it has worked out here; a changed set goes on from that of this one
        change = sum(map(_number, come.values())) - sum(map(_number, gone.values()))
        made.__dict__["_sum"] = (self._sum + change) % _SUM_LIMIT
        made.__dict__["index"] = self.index.changed(_live(gone), _live(come))
        return made

    def with_pauses(self, pauses: Mapping[str, BindingPause]) -> "BindingSet":
        """The same set with these bindings, by id, paused and all others not."""
        entries = [self._by_id[name] for name in {*pauses, *self._paused} if name in self._by_id]
        differing = [entry for entry in entries if entry.pause != pauses.get(entry.binding_id)]
        if not differing:
            return self
        return self.changed(replace(entry, pause=pauses.get(entry.binding_id)) for entry in differing)

    def of_workspace(self, workspace_id: str) -> "BindingSet":
        """What of it concerns a workspace."""
        entries = [entry for entry in self.entries if entry.serves(workspace_id)]
        quarantined = [item for item in self.quarantined if item.workspace_id == workspace_id]
        if len(entries) == len(self.entries) and len(quarantined) == len(self.quarantined):
            return self
        return BindingSet(entries, quarantined, timezone=self.timezone, function_set=self.function_set)

    def __len__(self) -> int:
        return len(self.entries)


def _id(entry: BindingEntry) -> str:
    return entry.binding_id


def _live(entries: Mapping[str, BindingEntry]) -> list[BindingEntry]:
    return [entry for entry in entries.values() if entry.state == "live"]


def _number(entry: BindingEntry) -> int:
    """What a binding adds to the sum of a set: its id, its revision, and whether it is paused."""
    row = [entry.binding_id, entry.revision, entry.pause is not None]
    text = json.dumps(row, separators=(",", ":"))
    return int.from_bytes(hashlib.shake_256(text.encode()).digest(_SUM_BYTES), "big")
