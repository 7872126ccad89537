"""Which bindings are paused: on disk, and in the set that is live."""

from dataclasses import dataclass, field

import anyio

from langbot_agents.schemas.records import BindingPause

from ..clock import utc_now
from ..store import Cursor, Database, pauses
from .entry import BindingEntry
from .model import BindingSet


@dataclass(kw_only=True)
class PauseBook:
    """The pauses of a host; one takes effect for the next event, and lasts until it is lifted."""

    db: Database
    _by_id: dict[str, BindingPause] = field(default_factory=dict)
    _given: BindingSet | None = None
    _applied: BindingSet | None = None

    async def load(self) -> None:
        """Read all pauses."""
        # a pause holds for its binding also when the binding's scope is written anew
        self._by_id = {item.binding_id: item for item in await self.db.read(pauses.every)}
        self._given = None

    def applied(self, bindings: BindingSet) -> BindingSet:
        """The set as it is live: without what is paused."""
        if self._given is not bindings or self._applied is None:
            self._given = bindings
            self._applied = bindings.with_pauses(self._by_id) if self._by_id else bindings
        return self._applied

    def of(self, binding_id: str) -> BindingPause | None:
        """The pause of a binding, also of one that is no longer there."""
        return self._by_id.get(binding_id)

    async def pause(self, entry: BindingEntry, reason: str | None) -> bool:
        """Take a binding out from the next event on; False where it is out already."""
        record = BindingPause(
            workspace_id=entry.workspace_id,
            binding_id=entry.binding_id,
            reason=reason,
            created_at=utc_now(),
        )
        with anyio.CancelScope(shield=True):  # disk and memory do not differ, also when the caller goes away
            if entry.binding_id in self._by_id or not await self.db.writer.submit(pauses.insert, record):
                return False
            self._by_id[entry.binding_id] = record
            self._given = None
        return True

    async def resume(self, binding_id: str) -> bool:
        """Let a binding take part again; False where it is not paused."""
        with anyio.CancelScope(shield=True):
            if binding_id not in self._by_id:
                return False
            await self.db.writer.submit(_lift, binding_id)
            self._by_id.pop(binding_id, None)
            self._given = None
        return True


def _lift(cursor: Cursor, binding_id: str) -> None:
    for record in pauses.every(cursor):
        if record.binding_id == binding_id:
            pauses.delete(cursor, record.workspace_id, binding_id)
