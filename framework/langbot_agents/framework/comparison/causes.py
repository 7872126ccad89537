"""Because of which change an event moves, with the place in the files before and after."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.records import Decision

from ..bindings import SCOPE_FIELDS, BindingEntry, BindingSet, Quarantined
from ..documents import Path as KeyPath
from ..explanation import Place, Places, reason_path
from ..router import EventRouter, Reason, RoutedEvent
from ..texts import t
from .change import HANDLING, SetChange, same

CauseCode = Literal[
    "added",
    "removed",
    "quarantined",
    "restored",
    "enabled",
    "disabled",
    "event_type",
    "scope",
    "filter",
    "active",
    "mode",
    "priority",
    "handling",
    "settings",
]

_GATES: dict[str, CauseCode] = {
    "event_type": "event_type",
    "scope": "scope",
    "filter_false": "filter",
    "filter_error": "filter",
    "inactive": "active",
    "observer": "mode",
    "outranked": "mode",
    "selected": "mode",
}


_CANDIDATE = ("selected", "outranked")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """One change: of which binding, of what in it, and where either set has it written."""

    code: CauseCode
    binding_id: str | None = None
    key: str | None = None
    """The path in the document, such as `scope.bot_id`; several keys of `handling` with commas."""
    was: str | None = None
    now: str | None = None
    old: Place | None = None
    new: Place | None = None

    def as_dict(self) -> dict[str, Any]:
        """The cause as JSON data."""
        return {
            "code": self.code,
            "binding_id": self.binding_id,
            "key": self.key,
            "was": self.was,
            "now": self.now,
            "old": None if self.old is None else self.old.as_dict(),
            "new": None if self.new is None else self.new.as_dict(),
            "sentence": self.sentence(),
        }

    def sentence(self) -> str:
        """The cause in words."""
        name = self.binding_id
        match self.code:
            case "added":
                return t("{name} is new", name=name)
            case "removed":
                return t("{name} is not there any more", name=name)
            case "quarantined":
                return t("{name} is quarantined: {reason}", name=name, reason=self.now)
            case "restored":
                return t("{name} is not quarantined any more", name=name)
            case "enabled":
                return t("{name} takes part again", name=name)
            case "disabled":
                return t("{name} takes part no more: {state}", name=name, state=self.now)
            case "settings":
                return t("the timezone or the filter functions: {was} → {now}", was=self.was, now=self.now)
            case "handling":
                return t("{name} handles it otherwise: {keys}", name=name, keys=self.key)
        nothing = t("nothing")
        return t(
            "{name}: {key}: {was} → {now}",
            name=name,
            key=self.key,
            was=self.was or nothing,
            now=self.now or nothing,
        )


class Causes:
    """Finds the cause of a move; asks the router about the bindings at hand only."""

    def __init__(self, change: SetChange, old: Places, new: Places) -> None:
        self._change = change
        self._places = (old, new)
        self._sets = (change.old, change.new)
        self._out = tuple({item.binding_id: item for item in each.quarantined} for each in self._sets)
        self._parts: dict[tuple[int, str], BindingSet] = {}
        self._found: dict[tuple[str | int | None, ...], Cause] = {}
        self._router = EventRouter()

    def answer(self, event: RoutedEvent, clock: float, old: Decision, new: Decision) -> Cause:
        """Why the winner of `new` answers in place of the winner of `old`; either may be nobody."""
        before, after = old.winner, new.winner
        if before is not None and not _is_candidate(new, before):
            return self._gate(event, clock, before, closed=1, taken=_CANDIDATE)
        if after is not None and not _is_candidate(old, after):
            return self._gate(event, clock, after, closed=0, taken=_CANDIDATE)
        if before is None or after is None:
            raise AssertionError(f"{before or after}: nothing moves it")
        return self._rank(event, before, after)

    def observer(self, event: RoutedEvent, clock: float, binding_id: str, *, came: bool) -> Cause:
        """Why a binding observes now, or no more."""
        return self._gate(event, clock, binding_id, closed=0 if came else 1, taken=("observer",))

    def handling(self, binding_id: str) -> Cause | None:
        """What of a binding, which answers as before, makes it answer otherwise."""
        pair = self._pair(binding_id)
        if pair is None or same(*pair):
            return None
        old, new = pair
        keys = [key for key in HANDLING if getattr(old.document, key) != getattr(new.document, key)]
        if old.runner.id != new.runner.id and "runner_id" not in keys:
            keys.insert(0, "runner_id")
        if not keys:
            return None
        old_place, new_place = self._both(binding_id, (keys[0],))
        return Cause(
            code="handling",
            binding_id=binding_id,
            key=", ".join(keys),
            was=old.runner.id if keys[0] == "runner_id" else None,
            now=new.runner.id if keys[0] == "runner_id" else None,
            old=old_place,
            new=new_place,
        )

    def _explain(self, event: RoutedEvent, clock: float, side: int, binding_id: str) -> Reason:
        """The router's reason for one binding, as if it were alone."""
        found = self._router.explain(event, self._alone(side, binding_id), clock)
        return found.reasons[0]

    def _alone(self, side: int, binding_id: str) -> BindingSet:
        alone = self._parts.get((side, binding_id))
        if alone is None:
            whole = self._sets[side]
            entries = [entry for entry in (whole.get(binding_id),) if entry is not None]
            alone = BindingSet(entries, timezone=whole.timezone, function_set=whole.function_set)
            self._parts[side, binding_id] = alone
        return alone

    def _gate(
        self, event: RoutedEvent, clock: float, binding_id: str, *, closed: int, taken: tuple[str, ...]
    ) -> Cause:
        """What keeps a binding out on side `closed`, and did not on the other."""
        pair = self._pair(binding_id)
        if pair is None:
            return self._missing(binding_id, closed=closed)
        reason = self._explain(event, clock, closed, binding_id)
        if reason.code in taken:
            raise AssertionError(f"{binding_id}: it is not kept out")
        leg = None if reason.leg is None else reason.leg.leg.text
        key = (binding_id, closed, reason.code, reason.field, leg)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._shut(binding_id, pair, reason, closed=closed)
        return found

    def _shut(
        self, binding_id: str, pair: tuple[BindingEntry, BindingEntry], reason: Reason, *, closed: int
    ) -> Cause:
        """What differs in a binding that is in both sets, and kept out on one side by a reason."""
        if reason.code == "disabled":
            return self._state(binding_id, pair, closed=closed)
        if same(*pair):
            was, now = (f"{each.timezone}, {each.function_set}" for each in self._sets)
            return Cause(code="settings", binding_id=None, was=was, now=now)
        path, offset = reason_path(pair[closed], reason)
        code = _GATES[reason.code]
        if code == "mode":
            path = ("mode",)
        paths = [path, path]
        if code == "filter":
            paths[1 - closed] = _counterpart(pair[closed], pair[1 - closed], path)
        told = [self._told(entry, code, at) for entry, at in zip(pair, paths, strict=True)]
        if reason.leg is not None:
            told[closed] = reason.leg.leg.text
        places = [
            side.at(entry, at, offset if index == closed or len(at) < 2 or code != "filter" else 0)
            for index, (side, entry, at) in enumerate(zip(self._places, pair, paths, strict=True))
        ]
        key = f"filters[{path[1]}]" if code == "filter" else ".".join(map(str, path))
        return Cause(
            code=code,
            binding_id=binding_id,
            key=key,
            was=told[0],
            now=told[1],
            old=places[0],
            new=places[1],
        )

    @staticmethod
    def _told(entry: BindingEntry, code: CauseCode, path: KeyPath) -> str | None:
        document = entry.document
        match code:
            case "event_type":
                return ", ".join(document.event_types)
            case "scope":
                return _written(getattr(document.scope, str(path[1])))
            case "active":
                active = document.active
                return None if active is None else _written(active.model_dump(mode="json", by_alias=True))
            case "mode":
                return document.mode
            case "filter":
                return document.filters[int(path[1])].expr if len(path) > 1 else None
        return None

    def _missing(self, binding_id: str, *, closed: int) -> Cause:
        """It is in one of the two sets only."""
        entry = self._sets[1 - closed].get(binding_id)
        if entry is None:
            raise AssertionError(f"{binding_id}: it is in neither set")
        here = self._places[1 - closed].at(entry, ())
        out: Quarantined | None = self._out[closed].get(binding_id)
        there = None if out is None else Place(file=out.file, line=out.line)
        old, new = (there, here) if closed == 0 else (here, there)
        code: CauseCode
        if closed == 0:
            code = "added" if out is None else "restored"
        else:
            code = "removed" if out is None else "quarantined"
        told = None if out is None else out.reason
        return Cause(
            code=code,
            binding_id=binding_id,
            was=told if closed == 0 else None,
            now=told if closed == 1 else None,
            old=old,
            new=new,
        )

    def _state(self, binding_id: str, pair: tuple[BindingEntry, BindingEntry], *, closed: int) -> Cause:
        code: CauseCode = "enabled" if closed == 0 else "disabled"
        return self._plain(code, binding_id, ("enabled",), pair[0].state, pair[1].state)

    def _rank(self, event: RoutedEvent, before: str, after: str) -> Cause:
        """Both take it in both sets: the first element of the rank that one of them has otherwise now."""
        pairs = [(name, pair) for name in (after, before) if (pair := self._pair(name)) is not None]
        for name, (old, new) in pairs:
            was, now = old.document.priority, new.document.priority
            if was != now:
                return self._plain("priority", name, ("priority",), str(was), str(now))
        for index, field in enumerate(SCOPE_FIELDS):
            for name, (old, new) in pairs:
                if old.scope_rank[index] != new.scope_rank[index]:
                    stated = [_written(getattr(entry.document.scope, field)) for entry in (old, new)]
                    return self._plain("scope", name, ("scope", field), *stated)
        for name, (old, new) in pairs:
            if old.type_rank(event.event_type) != new.type_rank(event.event_type):
                types = [", ".join(entry.document.event_types) for entry in (old, new)]
                return self._plain("event_type", name, ("event_types",), *types)
        raise AssertionError(f"{before}, {after}: their ranks are as before")

    def _plain(
        self, code: CauseCode, binding_id: str, path: KeyPath, was: str | None, now: str | None
    ) -> Cause:
        """A value that differs, at the same path in both documents."""
        old, new = self._both(binding_id, path)
        key = ".".join(map(str, path))
        return Cause(code=code, binding_id=binding_id, key=key, was=was, now=now, old=old, new=new)

    def _pair(self, binding_id: str) -> tuple[BindingEntry, BindingEntry] | None:
        old, new = (each.get(binding_id) for each in self._sets)
        return None if old is None or new is None else (old, new)

    def _both(self, binding_id: str, path: KeyPath) -> tuple[Place, Place]:
        old, new = (
            side.at(entry, path)
            for side, entry in zip(self._places, self._pair(binding_id) or (), strict=True)
        )
        return old, new


def _is_candidate(decision: Decision, binding_id: str) -> bool:
    return any(item.binding_id == binding_id and item.code in _CANDIDATE for item in decision.entries)


def _counterpart(one: BindingEntry, other: BindingEntry, path: KeyPath) -> KeyPath:
    """The filter of `other` that stands for a filter of `one`: that of its name, else of its number."""
    index = int(path[1])
    name = one.document.filters[index].name
    for at, item in enumerate(other.document.filters):
        if name is not None and item.name == name:
            return ("filters", at)
    return ("filters", index) if index < len(other.document.filters) else ("filters",)


def _written(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(thaw(value), ensure_ascii=False)
