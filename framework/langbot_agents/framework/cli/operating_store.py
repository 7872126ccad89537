"""Operating without a running host: reads beside whoever holds the store, writes under its lock."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, partial
from typing import Any, TypeVar

import anyio
from pydantic_core import to_jsonable_python

from langbot_agents.schemas.records import RunRecord, RunResultRecord, TokenNames

from ..access import LOCAL_NAME, TokenBook
from ..bindings import BindingEntry, BindingSet, PauseBook, Quarantined
from ..errors import NotFoundError, RunnerError
from ..platforms import HTTP_SURFACE
from ..project import Project, with_last_good
from ..revisions import StoredIncumbents
from ..store import Cursor, Database, conversations, pauses, run_results, runs, tokens, transcript
from ..store.conversations import Conversation
from ..store.database import sqlite_path
from ..texts import t
from .loading import read_log
from .operating import Record, Via

T = TypeVar("T")
"""What a unit of reading or writing gives."""

PAGE = 1000
"""Results that are read at once."""


class StoreOperator:
    """Does an operator's work on the store of a project."""

    via: Via = "store"

    def __init__(self, project: Project) -> None:
        self._project = project

    def runs(
        self, workspace: str, conditions: Mapping[str, Any], *, limit: int, cursor: str | None
    ) -> Record:
        """One page of runs."""
        found = (
            self._read(lambda at: runs.page(at, workspace, before=cursor, limit=limit, **conditions)) or []
        )
        more = found[-1].run_id if len(found) == limit else None
        return {"runs": [item.model_dump(mode="json") for item in found], "next_cursor": more}

    def run(self, workspace: str, run_id: str) -> Record:
        """One run."""
        return self._run(workspace, run_id).model_dump(mode="json")

    def results(self, workspace: str, run_id: str) -> Sequence[Record]:
        """What a run said and did."""
        found: list[RunResultRecord] = []
        while True:
            after = found[-1].sequence if found else 0
            page = self._read(partial(_results, workspace, run_id, after)) or []
            found += page
            if len(page) < PAGE:
                return [item.model_dump(mode="json") for item in found]

    def cancel(self, workspace: str, run_id: str) -> Record:
        """Nothing runs where no host does."""
        run = self._run(workspace, run_id)
        return {"run_id": run_id, "status": run.status, "cancelling": False}

    def bindings(self) -> Sequence[Record]:
        """Every binding."""
        bindings = self._bindings()
        listed = [self._row(entry) for entry in bindings.entries]
        listed += [_quarantined_row(item) for item in bindings.quarantined]
        return sorted(listed, key=lambda row: (row["binding_id"] or "", row["origin"]))

    def binding_set(self) -> Record:
        """What the next start makes live; nothing is now."""
        return {"digest": self._bindings().digest, "loading": None}

    def binding(self, binding_id: str) -> Record:
        """One binding."""
        bindings = self._bindings()
        for item in bindings.quarantined:
            if item.binding_id == binding_id and bindings.get(binding_id) is None:
                return {**_quarantined_row(item), "document": None}
        entry = self._entry(binding_id)
        document = entry.document.model_dump(mode="json", by_alias=True)
        return {**self._row(entry), "document": self._project.secrets.masker.data(document)}

    def pause(self, binding_id: str, reason: str | None) -> Record:
        """Pause a binding."""
        entry = self._entry(binding_id)
        return self._after(lambda book: book.pause(entry, reason), binding_id)

    def resume(self, binding_id: str) -> Record:
        """Lift a pause."""
        self._entry(binding_id)
        return self._after(lambda book: book.resume(binding_id), binding_id)

    def conversations(self, workspace: str, *, limit: int, cursor: str | None) -> Record:
        """One page of conversations."""
        before = None if cursor is None else _place(cursor)
        found = self._read(lambda at: conversations.page(at, workspace, before=before, limit=limit + 1)) or []
        shown = found[:limit]
        more = " ".join(conversations.place(shown[-1])) if len(found) > limit else None
        return {"conversations": [_conversation_row(item) for item in shown], "next_cursor": more}

    def conversation(self, workspace: str, key: str, *, limit: int) -> Record:
        """One conversation."""

        def read(at: Cursor) -> Record | None:
            found = conversations.get(at, workspace, key)
            if found is None:
                return None
            window = transcript.page(at, workspace, key, limit=limit)
            history = [entry.model_dump(mode="json") for entry in window.entries]
            return {**_conversation_row(found), "history": history, "has_more": window.has_more}

        found = self._read(read)
        if found is None:
            raise NotFoundError(t("there is no conversation {key!r}", key=key))
        return found

    def reset(self, workspace: str, key: str) -> Record:
        """Let the history begin anew, and the sessions at services with it."""

        async def reset(db: Database) -> bool:
            return await db.writer.submit(conversations.reset, workspace, key)

        if not self._write(reset):
            raise NotFoundError(t("there is no conversation {key!r}", key=key))
        return {"conversation_key": key, "reset": True}

    def runners(self) -> Sequence[Record]:
        """Every runner."""
        return [item.model_dump(mode="json") for item in self._project.registry.descriptors()]

    def runner(self, name: str) -> Record:
        """One runner; a quarantined one, too, by its id."""
        for item in self._project.registry.descriptors():
            if name in (item.id, *item.aliases):
                return item.model_dump(mode="json")
        try:
            return self._project.registry.resolve(name).descriptor.model_dump(mode="json")
        except RunnerError as error:
            raise NotFoundError(error.message, remedy=error.remedy) from None

    def tokens(self) -> Sequence[Record]:
        """Every token."""
        return [item.model_dump(mode="json") for item in self._read(tokens.every) or []]

    def create_token(self, wanted: Record) -> Record:
        """Make a token."""

        async def create(db: Database) -> Record:
            record, secret = await self._tokens(db).create(
                wanted["name"],
                workspace_id=wanted["workspace_id"],
                scopes=wanted["scopes"],
                may_state=TokenNames.model_validate(wanted["may_state"]),
                expires_after=wanted["expires_after"],
            )
            return {**record.model_dump(mode="json"), "token": secret}

        return self._write(create)

    def revoke_token(self, workspace: str, name: str) -> None:
        """End a token."""

        async def revoke(db: Database) -> None:
            await self._tokens(db).revoke(workspace, name)

        self._write(revoke)

    def _tokens(self, db: Database) -> TokenBook:
        settings = self._project.settings
        others = {item.name for item in settings.platforms} | {item.name for item in settings.schedules}
        return TokenBook(db=db, surface=HTTP_SURFACE, reserved=frozenset({LOCAL_NAME, *others}))

    def _run(self, workspace: str, run_id: str) -> RunRecord:
        found = self._read(lambda at: runs.get(at, workspace, run_id))
        if found is None:
            raise NotFoundError(t("there is no run {run_id!r}", run_id=run_id))
        return found

    def _bindings(self) -> BindingSet:
        """The set as the next start of the host has it, without what is paused."""
        held = self._read(pauses.every) or []
        return self._next.bindings.with_pauses({item.binding_id: item for item in held})

    @cached_property
    def _next(self) -> Project:
        """The project as the next start takes it: what has an error goes on with its last good revision."""
        project = self._project
        if not project.bindings.quarantined:
            return project
        found = self._read(lambda at: with_last_good(project, StoredIncumbents(at, project.registry)))
        return project if found is None else found

    def _row(self, entry: BindingEntry) -> Record:
        stale = self._next.stale.get(entry.binding_id)
        row = _binding_row(entry)
        if stale is None:
            return row
        reasons = filter(None, (row["reason"], stale.reason))
        return {**row, "reason": "; ".join(reasons), "stale": True}

    def _entry(self, binding_id: str) -> BindingEntry:
        bindings = self._bindings()
        entry = bindings.get(binding_id)
        if entry is not None:
            return entry
        for item in bindings.quarantined:
            if item.binding_id == binding_id:
                raise NotFoundError(
                    t("binding {name!r} is quarantined: {reason}", name=binding_id, reason=item.reason),
                    remedy=t("`lba validate` shows what is wrong"),
                )
        raise NotFoundError(t("there is no binding {name!r}", name=binding_id))

    def _after(self, change: Callable[[PauseBook], Awaitable[bool]], binding_id: str) -> Record:
        async def work(db: Database) -> bool:
            book = PauseBook(db=db)
            await book.load()
            return await change(book)

        changed = self._write(work)
        return {**self._row(self._entry(binding_id)), "changed": changed}

    def _read(self, read: Callable[[Cursor], T]) -> T | None:
        """Read the store; one that was never made has nothing in it."""
        settings = self._project.settings
        if not sqlite_path(settings.storage.url, self._project.root).exists():
            return None
        return read_log(self._project, read)

    def _write(self, work: Callable[[Database], Awaitable[T]]) -> T:
        """Do a work that writes, under the store's lock."""

        async def locked() -> T:
            async with Database.open(self._project.settings.storage.url, root=self._project.root) as db:
                return await work(db)

        return anyio.run(locked)


def _results(workspace: str, run_id: str, after: int, cursor: Cursor) -> list[RunResultRecord]:
    return run_results.after(cursor, workspace, run_id, after_sequence=after, limit=PAGE)


def _binding_row(entry: BindingEntry) -> dict[str, Any]:
    document, pause = entry.document, entry.pause
    return {
        "binding_id": entry.binding_id,
        "state": entry.state,
        "reason": None if pause is None else pause.reason,
        "stale": False,
        "paused_at": None if pause is None else pause.model_dump(mode="json")["created_at"],
        "workspace_id": entry.workspace_id,
        "mode": document.mode,
        "priority": document.priority,
        "event_types": list(document.event_types),
        "runner_id": entry.runner.id,
        "revision": entry.revision,
        "origin": entry.origin,
    }


def _quarantined_row(item: Quarantined) -> dict[str, Any]:
    known = {
        "binding_id": item.binding_id,
        "state": "quarantined",
        "reason": item.reason,
        "workspace_id": item.workspace_id,
        "revision": item.revision,
        "origin": item.origin,
    }
    unknown = {"stale": False} | dict.fromkeys(("paused_at", "mode", "priority", "event_types", "runner_id"))
    return {**unknown, **known}


def _conversation_row(item: Conversation) -> dict[str, Any]:
    row: dict[str, Any] = to_jsonable_python(asdict(item))
    return row


def _place(cursor: str) -> tuple[str, str]:
    at, _, key = cursor.partition(" ")
    return at, key
