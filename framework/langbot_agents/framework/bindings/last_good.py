"""What answers where a document has an error or clashes: what was live before stays, the newcomer waits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..documents import BindingFiles, Finding, LoadedDocument
from ..registry import AgentRunnerRegistry
from ..texts import t
from .check import CheckedBindings, entry_of
from .entry import BindingEntry
from .model import BindingSet, Quarantined
from .ties import Tie, find_ties

CLASHES = frozenset({"LBA310", "LBA311"})
"""Findings of documents that are good alone: a repeated id, a decidable tie."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """The set that goes live, and by id why the newest document of a binding is not in it."""

    set: BindingSet
    stale: Mapping[str, Quarantined] = field(default_factory=dict)


class Incumbents(Protocol):
    """What was live before."""

    def revision(self, binding_id: str) -> str | None:
        """The revision of a binding that was live."""

    def file(self, binding_id: str) -> str | None:
        """The file of a binding that was live."""

    def of_file(self, file: str) -> Iterable[str]:
        """The ids of the bindings of a file."""

    def entry(self, binding_id: str) -> BindingEntry | None:
        """The entry that was live; None where it cannot be used any more."""


class LiveIncumbents:
    """The bindings of a set that is in memory."""

    def __init__(self, bindings: BindingSet) -> None:
        self._set = bindings

    def revision(self, binding_id: str) -> str | None:
        """The revision of a binding that was live."""
        entry = self._set.get(binding_id)
        return None if entry is None else entry.revision

    def file(self, binding_id: str) -> str | None:
        """The file of a binding that was live."""
        entry = self._set.get(binding_id)
        return None if entry is None else entry.file

    def of_file(self, file: str) -> Iterable[str]:
        """The ids of the bindings of a file."""
        return [entry.binding_id for entry in self._set.entries if entry.file == file]

    def entry(self, binding_id: str) -> BindingEntry | None:
        """The entry that was live."""
        return self._set.get(binding_id)


def settle(
    checked: CheckedBindings, files: BindingFiles, before: Incumbents, registry: AgentRunnerRegistry
) -> Settled:
    """The set that goes live after a load, given what was live before it.

    A document with an error leaves its binding's last good revision live, and while a file has one no binding
    of that file is removed. Of two documents that clash the one that was live stays.
    """
    if not checked.set.quarantined:
        return Settled(set=checked.set)
    work = _Settling(checked, files, before, registry)
    work.choose()
    work.keep()
    work.untie()
    out = sorted(work.out, key=lambda item: (item.file, item.line))
    made = BindingSet(
        work.chosen.values(), out, timezone=checked.set.timezone, function_set=checked.set.function_set
    )
    return Settled(set=made, stale=work.stale)


class _Settling:
    """One load on its way to a set."""

    def __init__(
        self,
        checked: CheckedBindings,
        files: BindingFiles,
        before: Incumbents,
        registry: AgentRunnerRegistry,
    ) -> None:
        self.before = before
        self.documents = {(item.file, item.line): item for item in files.bindings}
        clashes = {(item.file, item.headline()) for item in checked.findings if item.code in CLASHES}
        losers = [item for item in checked.set.quarantined if (item.file, item.reason) in clashes]
        self.broken = [item for item in checked.set.quarantined if (item.file, item.reason) not in clashes]
        self.candidates: dict[str, list[BindingEntry]] = {}
        for entry in (*checked.set.entries, *(self._good(item, registry) for item in losers)):
            self.candidates.setdefault(entry.binding_id, []).append(entry)
        self.chosen: dict[str, BindingEntry] = {}
        self.stale: dict[str, Quarantined] = {}
        self.out: list[Quarantined] = []

    def _good(self, item: Quarantined, registry: AgentRunnerRegistry) -> BindingEntry:
        """The entry of a document that stays out for a clash alone."""
        document = self.documents[item.file, item.line]
        if document.binding is None or document.digest is None:
            raise AssertionError(f"{item.origin}: not a binding")
        return entry_of(document.binding, document.digest, registry, file=item.file, line=item.line)

    def choose(self) -> None:
        """One document for each id."""
        broken = {item.binding_id: item for item in self.broken}
        for name, entries in self.candidates.items():
            held, place = self.before.revision(name), self.before.file(name)
            entries.sort(key=lambda entry: (entry.revision != held, entry.file != place))
            best = entries[0]
            if len(entries) > 1 and held is None:
                best = min(entries, key=lambda entry: (entry.file, entry.line))
            failed = broken.get(name)
            if failed is not None and failed.file == place != best.file and best.revision != held:
                kept = self._last_good(name)
                if kept is not None:  # its own document has an error; one elsewhere that takes its id waits
                    self.chosen[name], self.stale[name] = kept, failed
                    self.out += [self._repeated(entry, kept) for entry in entries]
                    continue
            self.chosen[name] = best
            self.out += [self._repeated(entry, best) for entry in entries if entry is not best]

    def keep(self) -> None:
        """The last good revision of what has an error now."""
        for item in self.broken:
            name = item.binding_id
            kept = self._last_good(name) if name is not None and name not in self.chosen else None
            if name is not None and kept is not None:
                self.chosen[name], self.stale[name] = kept, item
            elif name is None or self.stale.get(name) is not item:
                self.out.append(item)
            for other in self.before.of_file(item.file):
                kept = self._last_good(other) if other not in self.chosen else None
                if kept is not None and not self._is_broken(other):
                    self.chosen[other], self.stale[other] = kept, item

    def untie(self) -> None:
        """No two that answer the same event; each round ends a newcomer, so it comes to an end."""
        while ties := [tie for tie in find_ties(list(self.chosen.values())) if tie.decidable]:
            # those that a live one decides come first: who loses to it keeps nobody else out
            ties.sort(key=lambda tie: self._was_live(tie.first) == self._was_live(tie.second))
            for tie in ties:
                first, second = tie.first.binding_id, tie.second.binding_id
                if self.chosen.get(first) is not tie.first or self.chosen.get(second) is not tie.second:
                    continue
                if self._was_live(tie.second) and not self._was_live(tie.first):
                    self._end(tie.first, tie.second, tie)
                else:
                    self._end(tie.second, tie.first, tie)

    def _end(self, loser: BindingEntry, winner: BindingEntry, tie: Tie) -> None:
        name = loser.binding_id
        item = self._quarantined(loser, self._tied(loser, winner, tie))
        kept = None if self._was_live(loser) else self._last_good(name)
        if kept is None:
            del self.chosen[name]
            self.stale.pop(name, None)
            self.out.append(item)
        else:
            self.chosen[name], self.stale[name] = kept, item

    def _was_live(self, entry: BindingEntry) -> bool:
        return self.before.revision(entry.binding_id) == entry.revision

    def _last_good(self, binding_id: str) -> BindingEntry | None:
        return None if self.before.revision(binding_id) is None else self.before.entry(binding_id)

    def _is_broken(self, binding_id: str) -> bool:
        """Whether a document with an error names it, and so is the better reason."""
        return any(item.binding_id == binding_id for item in self.broken)

    def _repeated(self, entry: BindingEntry, holder: BindingEntry) -> Quarantined:
        finding = self._document(entry).source.finding(
            "LBA310",
            ("binding_id",),
            t("{name!r} is already the binding at {origin}", name=holder.binding_id, origin=holder.origin),
        )
        return self._quarantined(entry, finding)

    def _tied(self, loser: BindingEntry, winner: BindingEntry, tie: Tie) -> Finding:
        message = t(
            "ties with {name!r} ({origin}): both would answer {event}",
            name=winner.binding_id,
            origin=winner.origin,
            event=", ".join(f"{name}={value!r}" for name, value in tie.witness.items()),
        )
        document = self.documents.get((loser.file, loser.line))
        if document is None or document.binding_id != loser.binding_id:
            # what is kept of before has no document any more
            return Finding(code="LBA311", message=message, file=loser.file, line=loser.line)
        return document.source.finding("LBA311", ("binding_id",), message)

    def _document(self, entry: BindingEntry) -> LoadedDocument:
        return self.documents[entry.file, entry.line]

    def _quarantined(self, entry: BindingEntry, finding: Finding) -> Quarantined:
        return Quarantined(
            binding_id=entry.binding_id,
            file=entry.file,
            line=entry.line,
            reason=finding.headline(),
            revision=entry.revision,
            workspace_id=None if entry.workspace_id == "*" else entry.workspace_id,
        )
