"""Loading the documents of a running host again, and letting them take effect all at once."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import anyio

from ..bindings import BindingSet, LiveIncumbents
from ..clock import utc_now
from ..errors import HostBusyError, SettingsError, StoreError
from ..gateway import Caller, EventGateway
from ..platforms import HOST_SURFACE
from ..project import LIVE_KEYS, Project, RootDocument, changed_keys, load_again, read_root
from ..revisions import store_revisions
from ..store import Database
from ..telemetry import get_logger
from ..texts import t
from .change import Change, compare, metadata_of

log = get_logger(__name__)

PATIENCE = 0.3
"""Seconds after which a load that lost something is tried again: a file may have been half written."""
TRIES = 3
MAX_NAMES = 20
"""Names that a line of the log holds."""
ANNOUNCE_FOR = 30.0
"""Seconds for which a full host is asked to take the event about a change."""

EVENT_TYPE = "system.config_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class RootStatus:
    """Whether the root document on disk is the one that is in use."""

    state: Literal["live", "invalid", "restart"] = "live"
    reason: str | None = None
    """What keeps it from being used, and what to do."""


class Reloader:
    """Loads a host's documents again; one load at a time."""

    def __init__(
        self,
        *,
        db: Database,
        gateway: EventGateway,
        current: Callable[[], Project],
        use: Callable[[Project], None],
        live: Callable[[], BindingSet],
    ) -> None:
        self._db = db
        self._gateway = gateway
        self._current = current
        self._use = use
        self._live = live
        self._lock = anyio.Lock()
        self._tellers: list[Callable[[Change, RootStatus], None]] = []
        self.root = RootStatus()
        self.watching = False
        """Whether changes are noticed without being asked for."""
        self.loaded_at: datetime = utc_now()
        """When the last load of what is on disk began."""

    @property
    def project(self) -> Project:
        """What is in use."""
        return self._current()

    def tell(self, teller: Callable[[Change, RootStatus], None]) -> None:
        """Call `teller` after each load that changed something."""
        self._tellers.append(teller)

    async def reload(self, *, patient: bool = False, remake: bool = False) -> Change:
        """Load what is on disk, and let it take effect for the next decision; gives what that changed.

        With `patient` a load that lost something is tried again before it is believed. With `remake` models
        are made anew, so that changed secrets are read. What cannot be read leaves in use what is.
        """
        async with self._lock:
            old, began = self._current(), utc_now()
            new, root = await self._load(old, remake=remake)
            change = compare(old, new)
            for _ in range(TRIES if patient else 0):
                if not change.worse and root.state == "live":
                    break
                await anyio.sleep(PATIENCE)
                before, began = (change, root), utc_now()
                new, root = await self._load(old, remake=remake)
                change = compare(old, new)
                if (change, root) == before:
                    break
            with anyio.CancelScope(shield=True):  # memory and store do not differ
                await self._take(old, new, change)
            self.loaded_at = began
            told, self.root = root != self.root, root
            if change.any or told:
                self._say(change)
            if change.any:
                await self._announce(change)
        return change

    async def _load(self, old: Project, *, remake: bool) -> tuple[Project, RootStatus]:
        return await anyio.to_thread.run_sync(lambda: _load(old, remake=remake))

    async def _take(self, old: Project, new: Project, change: Change) -> None:
        if not (change.any or change.moved or new.secrets is not old.secrets):
            return
        named = {*change.added, *change.changed}
        entries = [entry for entry in new.bindings.entries if entry.binding_id in named]
        if entries:
            await self._db.writer.submit(store_revisions, entries)
        self._use(new)

    def _say(self, change: Change) -> None:
        log.info(
            "reloaded",
            added=_short(change.added),
            changed=_short(change.changed),
            removed=_short(change.removed),
            failed=_short(tuple(item.reason for item in change.failed)),
            mended=_short(change.mended),
            root_document=_short(change.keys),
        )
        if self.root.state != "live":
            log.warning("root_document_not_used", state=self.root.state, reason=self.root.reason)
        for teller in self._tellers:
            teller(change, self.root)

    async def _announce(self, change: Change) -> None:
        """Bring `system.config_changed` in, as any source does."""
        digest = self._live().digest
        for workspace in change.workspaces:
            metadata = metadata_of(change, self._current(), digest, workspace)
            event = _event(workspace, digest, metadata)
            deadline = anyio.current_time() + ANNOUNCE_FOR
            while True:
                try:
                    await self._gateway.accept(event, _caller(workspace))
                except HostBusyError as error:
                    if anyio.current_time() > deadline:
                        log.error("change_not_announced", workspace_id=workspace, reason=error.message)
                        break
                    await anyio.sleep(error.retry_after)
                except StoreError as error:
                    log.error("change_not_announced", workspace_id=workspace, reason=error.message)
                    break
                else:
                    break


def _load(old: Project, *, remake: bool) -> tuple[Project, RootStatus]:
    """What is on disk, with the root document that is in use where the one on disk cannot take effect."""
    document, status = old.root_document, RootStatus()
    try:
        found = read_root(old)
    except SettingsError as error:
        reason = "; ".join([error.message, *(item.headline() for item in error.details if _has_place(item))])
        status = RootStatus(state="invalid", reason=t("{reason}; the one before stays in use", reason=reason))
    else:
        status = _status(old.root_document, found)
        if status.state == "live":
            document = found
    return load_again(old, document, LiveIncumbents(old.bindings), remake=remake), status


def _status(old: RootDocument, found: RootDocument) -> RootStatus:
    """A document takes effect as a whole or not at all."""
    keys = changed_keys(old, found)
    waiting = [name for name in keys if name not in LIVE_KEYS]
    if not waiting:
        return RootStatus()
    others = [name for name in keys if name in LIVE_KEYS]
    reason = t(
        "{file}: {names} changed, which takes a restart of the host",
        file=found.document.file,
        names=", ".join(waiting),
    )
    if others:
        reason += t("; until then {names} stay as they were, too", names=", ".join(others))
    return RootStatus(state="restart", reason=reason)


def _has_place(item: Any) -> bool:
    return hasattr(item, "headline")


def _short(names: tuple[str, ...]) -> list[str]:
    shown = list(names[:MAX_NAMES])
    if len(names) > MAX_NAMES:
        shown.append(t("and {count} more", count=len(names) - MAX_NAMES))
    return shown


def _caller(workspace: str) -> Caller:
    return Caller(
        name=HOST_SURFACE, kind="system", workspace_id=workspace, surface=HOST_SURFACE, impersonate=True
    )


def _event(workspace: str, digest: str, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "event_id": f"config:{time.time_ns()}",
        "event_type": EVENT_TYPE,
        "event_time": int(time.time()),
        "workspace_id": workspace,
        "actor": {"actor_type": "system"},
        "subject": {"subject_type": "config", "subject_id": digest},
        "delivery": {"surface": HOST_SURFACE},
        "metadata": metadata,
    }
