"""When to load again: at once when the system tells of a change, and by looking where it does not."""

import logging
import math
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import PurePath
from time import time_ns

import anyio

from ..errors import StoreError
from ..telemetry import get_logger
from .places import SUFFIXES, Look, look
from .reloader import Reloader

log = get_logger(__name__)

SETTLE = 0.05
"""Seconds without a change after which files count as written."""
MAX_SETTLE = 2.0
"""Seconds after which changes that never end are loaded all the same."""
PAUSE = 2.0
"""Seconds between two looks where nobody tells of a change: network folders, targets of links."""
COST = 50
"""A look may take this part of the time between two."""
RECENT = 20_000_000
"""Nanoseconds within which a file can change twice and bear the same time."""


class FileWatch:
    """Watches the files of a host and has them loaded; one runs as long as its host.

    Where it is not to act `alone` it loads only when it is told to.
    """

    def __init__(self, reloader: Reloader, *, alone: bool = True) -> None:
        self._reloader = reloader
        self._alone = reloader.watching = alone
        self._told = anyio.Event()
        self._folders: frozenset[tuple[str, int, int]] = frozenset()
        self._moved = anyio.Event()
        self._forced = False

    def now(self) -> None:
        """Load again at once, whether anything has changed or not."""
        self._forced = True
        self._told.set()

    async def run(self) -> None:
        """Watch until cancelled."""
        async with anyio.create_task_group() as tasks:
            if self._alone:
                tasks.start_soon(self._listen)
            try:
                await self._go_on()
            finally:
                self._moved.set()  # the thread that listens ends by it, not by cancellation

    async def _go_on(self) -> None:
        seen = await self._look()
        if self._alone:  # what changed since the start loaded it is not seen by a look
            seen = await self._load(seen, forced=False)
        pause = PAUSE if self._alone else math.inf
        while True:
            with anyio.move_on_after(pause):
                await self._told.wait()
            self._told = anyio.Event()
            began = anyio.current_time()
            found = await self._look()
            if self._alone:
                pause = max(PAUSE, COST * (anyio.current_time() - began))
            forced, self._forced = self._forced, False
            if forced or found.files != seen.files:
                seen = await self._load(found, forced=forced)

    async def _load(self, found: Look, *, forced: bool) -> Look:
        """Load what is there; gives what was seen before, from which a change during the load differs."""
        if not forced:
            found = await self._settled(found)
        try:
            await self._reloader.reload(patient=not forced, remake=forced)
        except StoreError as error:
            log.error("not_reloaded", reason=str(error))
            return replace(found, files={})  # so the next look finds a difference, and it is tried again
        except Exception:  # isolation boundary: what is live stays so, whatever a file did to the loader
            log.exception("not_reloaded")
        return found

    async def _settled(self, found: Look) -> Look:
        """Wait until the files are written, for a while."""
        with anyio.move_on_after(MAX_SETTLE):
            while True:
                await anyio.sleep(SETTLE)
                again = await self._look()
                if again.files == found.files and time_ns() - again.newest > RECENT:
                    break
                found = again
        return found

    async def _look(self) -> Look:
        found = await anyio.to_thread.run_sync(look, self._reloader.project)
        if found.folders != self._folders:
            self._folders = found.folders
            self._moved.set()
        return found

    async def _listen(self) -> None:
        """Be told of changes; where the system cannot, the looks remain."""
        warned = False
        while True:
            if not self._folders:
                await self._moved.wait()
            self._moved = anyio.Event()
            folders = sorted(name for name, _, _ in self._folders)
            try:
                async for _ in _changes(folders, self._moved):
                    self._told.set()
            except (OSError, RuntimeError) as error:  # a limit of the system, or a folder that has just gone
                if not warned:
                    log.warning("files_not_watched", reason=str(error), looked_at_every=PAUSE)
                    warned = True
                with anyio.move_on_after(COST * PAUSE):
                    await self._moved.wait()
            self._told.set()  # what changed between two watches


async def _changes(folders: list[str], moved: anyio.Event) -> AsyncIterator[None]:
    """One item for each group of changes in the folders, until others are to be watched."""
    from watchfiles import awatch

    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it counts changes; we say what they changed
    async for _ in awatch(
        *folders,
        watch_filter=_concerns,
        debounce=100,
        step=20,
        stop_event=moved,
        recursive=False,
        ignore_permission_denied=True,
    ):
        yield


def _concerns(_change: object, path: str) -> bool:
    """Whether a file may be a document, a folder of some, or a link to one."""
    suffix = PurePath(path).suffix
    return suffix in SUFFIXES or not suffix
