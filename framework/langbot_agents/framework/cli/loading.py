"""The project and the event log as commands open them."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from .. import telemetry
from ..errors import NotFoundError, UsageError
from ..project import Project, load_project
from ..store import Cursor, Database, events
from ..store.events import StoredEvent
from ..texts import t
from .options import Session

T = TypeVar("T")


def quiet_logs(session: Session) -> None:
    """Logs of a command that ends soon: only what is broken, or all with `--debug`."""
    telemetry.configure(level="debug" if session.debug else "critical", style="console")


def open_project(session: Session) -> Project:
    """The project of this call. Raises `SettingsError`."""
    quiet_logs(session)
    project = load_project(session.config)
    session.output.zone = ZoneInfo(project.settings.timezone)
    return project


def read_log(project: Project, read: Callable[[Cursor], T]) -> T:
    """Read the store beside a running host, on one snapshot. Raises `StoreError`."""
    database = Database.open(project.settings.storage.url, root=project.root, lock=False, read_only=True)
    return database.read_now(read)


def find_event(cursor: Cursor, workspace: str, name: str) -> StoredEvent:
    """The event of that uid, or of that `event_id` where it names one event."""
    found = events.get(cursor, workspace, name)
    if found is not None:
        return found
    named = events.find(cursor, workspace, name)
    if not named:
        raise NotFoundError(
            t("there is no event {name!r} in the log", name=name),
            remedy=t("`lba events list` shows what is there"),
        )
    if len(named) > 1:
        raise UsageError(
            t("event_id {name!r} is that of {count} events", name=name, count=len(named)),
            remedy=t("give one of {names}", names=", ".join(item.envelope.event_uid or "" for item in named)),
        )
    return named[0]


def own_command(session: Session) -> str:
    """How a person calls this program here, with the project that is in use."""
    beside = Path(sys.executable).with_name("lba")
    if shutil.which("lba"):
        name = "lba"
    elif beside.is_file():
        name = str(beside.relative_to(Path.cwd())) if beside.is_relative_to(Path.cwd()) else str(beside)
    else:
        name = f"{sys.executable} -m langbot_agents.framework.cli"
    return name if session.config is None else f"{name} -c {shlex.quote(str(session.config))}"
