"""What was live when: revisions and sets of bindings, kept as they go live and built again on demand."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.records import BindingPause, BindingRevision

from .bindings import BindingEntry, BindingSet, Quarantined, entry_of
from .clock import utc_now
from .errors import RunnerError
from .filters import FilterSyntaxError
from .registry import AgentRunnerRegistry
from .store import Cursor, Database, binding_sets, revisions
from .store.binding_sets import Member
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)


def store_revisions(cursor: Cursor, entries: Iterable[BindingEntry]) -> None:
    """Keep the documents of entries, each once by its digest."""
    now = utc_now()
    for entry in entries:
        revisions.insert(
            cursor,
            BindingRevision(
                digest=entry.revision,
                workspace_id=entry.workspace_id,
                binding_id=entry.binding_id,
                document=freeze(entry.document.model_dump(mode="json", by_alias=True)),
                origin=entry.origin,
                created_at=now,
            ),
        )


def stored_entry(cursor: Cursor, member: Member, registry: AgentRunnerRegistry) -> BindingEntry:
    """The entry of a stored member.

    Raises `ValueError` where its revision is not there or no longer fits, `RunnerError` without its runner.
    """
    found = revisions.get(cursor, member.workspace_id, member.revision)
    if found is None:
        raise ValueError(t("revision {digest} is not in the store", digest=member.revision))
    document = AgentBinding.model_validate(dict(found.document))
    return entry_of(document, member.revision, registry, file=member.file, line=member.line)


def bindings_at(
    cursor: Cursor, set_digest: str, registry: AgentRunnerRegistry, *, at: float | None = None
) -> BindingSet | None:
    """The set that a decision names by `set_digest`, as it was live at the decision's clock `at`.

    None where the store does not know it. A binding that cannot be built any more, for example because its
    runner is gone, is in the set as quarantined, with the reason.
    """
    stored = binding_sets.get(cursor, set_digest, at=at)
    if stored is None:
        return None
    entries: list[BindingEntry] = []
    out = [Quarantined(**item) for item in stored.quarantined]
    paused: dict[str, BindingPause] = {}
    for member in binding_sets.members(cursor, stored.seq):
        try:
            entries.append(stored_entry(cursor, member, registry))
        except (RunnerError, FilterSyntaxError, ValueError) as error:
            out.append(_unusable(member, error))
            continue
        if member.pause is not None:
            paused[member.binding_id] = BindingPause.model_validate(member.pause)
    made = BindingSet(entries, out, timezone=stored.timezone, function_set=stored.function_set)
    return made.with_pauses(paused) if paused else made


class StoredIncumbents:
    """What was live before a stop, for the start after it."""

    def __init__(self, cursor: Cursor, registry: AgentRunnerRegistry) -> None:
        self._cursor = cursor
        self._registry = registry
        self._members = {member.binding_id: member for member in binding_sets.live(cursor)}

    def revision(self, binding_id: str) -> str | None:
        """The revision of a binding that was live."""
        found = self._members.get(binding_id)
        return None if found is None else found.revision

    def file(self, binding_id: str) -> str | None:
        """The file of a binding that was live."""
        found = self._members.get(binding_id)
        return None if found is None else found.file

    def of_file(self, file: str) -> Iterable[str]:
        """The ids of the bindings of a file."""
        return [name for name, member in self._members.items() if member.file == file]

    def entry(self, binding_id: str) -> BindingEntry | None:
        """The entry that was live; None where its revision or its runner is gone."""
        member = self._members[binding_id]
        try:
            return stored_entry(self._cursor, member, self._registry)
        except (RunnerError, FilterSyntaxError, ValueError) as error:
            log.warning(
                "revision_unusable", binding_id=binding_id, revision=member.revision, reason=str(error)
            )
            return None


class SetBook:
    """Writes down each set that goes live, before any decision that names it."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db = db
        self._clock = clock
        self._last: BindingSet | None = None

    async def begin(self, bindings: BindingSet) -> None:
        """The set of a start; nothing is written where it was live before the stop."""
        await self._db.writer.submit(_record, None, bindings, self._clock())
        self._last = bindings

    def keep(self, bindings: BindingSet) -> None:
        """What is queued in the store after this call comes after the set; cheap for the set of before."""
        if bindings is not self._last:
            last, self._last = self._last, bindings
            self._db.writer.post_now(_record, last, bindings, self._clock())


def _record(cursor: Cursor, last: BindingSet | None, bindings: BindingSet, clock: float) -> None:
    """Store a set as its difference to `last`, or, where that is not what is stored, to what is."""
    out = [asdict(item) for item in bindings.quarantined]
    before = binding_sets.newest(cursor)
    known = last is not None and before is not None and before.digest == last.digest
    old = _members(last) if known and last is not None else _by_id(binding_sets.live(cursor))
    new = _members(bindings)
    left = [
        (member.workspace_id, name)
        for name, member in old.items()
        if name not in new or not _same(member, new[name])
    ]
    joined = [member for name, member in new.items() if name not in old or not _same(old[name], member)]
    same = before is not None and (before.digest, before.timezone, [*before.quarantined]) == (
        bindings.digest,
        bindings.timezone,
        out,
    )
    if same and not left and not joined:
        return
    binding_sets.insert(
        cursor,
        digest=bindings.digest,
        timezone=bindings.timezone,
        function_set=bindings.function_set,
        quarantined=out,
        created_at=datetime.fromtimestamp(clock, UTC),
        left=left,
        joined=[_plain(member) for member in joined],
    )


def _members(bindings: BindingSet) -> Mapping[str, BindingEntry | Member]:
    return {entry.binding_id: entry for entry in bindings.entries}


def _by_id(members: Iterable[Member]) -> Mapping[str, BindingEntry | Member]:
    return {member.binding_id: member for member in members}


def _same(old: BindingEntry | Member, new: BindingEntry | Member) -> bool:
    return old is new or _plain(old) == _plain(new)


def _plain(member: BindingEntry | Member) -> Member:
    if isinstance(member, Member):
        return member
    return Member(
        workspace_id=member.workspace_id,
        binding_id=member.binding_id,
        revision=member.revision,
        file=member.file,
        line=member.line,
        pause=_pause(member.pause),
    )


def _pause(pause: BindingPause | None) -> Mapping[str, Any] | None:
    return None if pause is None else pause.model_dump(mode="json")


def _unusable(member: Member, error: Exception) -> Quarantined:
    return Quarantined(
        binding_id=member.binding_id,
        file=member.file,
        line=member.line,
        reason=t("{place}: {cause}", place=f"{member.file}:{member.line}", cause=error),
        revision=member.revision,
        workspace_id=None if member.workspace_id == "*" else member.workspace_id,
    )
