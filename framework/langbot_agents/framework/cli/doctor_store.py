"""How the store and the running host are."""

import fcntl
import os
import shutil
from pathlib import Path

import httpx2

from langbot_agents.schemas import __version__

from ..app import HostFile
from ..errors import LangbotAgentsError, StoreError
from ..project import Project
from ..store import Database, migrations
from ..store.database import sqlite_path
from ..texts import t
from .doctor_check import Check, Checks

LITTLE_SPACE = 1024**3
NO_SPACE = 50 * 1024**2


def store_checks(project: Project) -> Checks:
    """Whether the store can be read and written, its size, and the room on its disk."""
    url = project.settings.storage.url
    try:
        path = sqlite_path(url, project.root)
    except StoreError as error:
        yield Check(area="store", status="bad", message=error.message, remedy=error.remedy)
        return
    if path.exists():
        yield _existing(project, path)
    else:
        yield _to_be_made(path)
    yield _space(path)


def _existing(project: Project, path: Path) -> Check:
    try:
        Database.open(project.settings.storage.url, root=project.root, lock=False, read_only=True)
    except LangbotAgentsError as error:
        return Check(area="store", status="bad", message=error.message, remedy=error.remedy)
    if not os.access(path, os.W_OK):
        return Check(
            area="store",
            status="bad",
            message=t("{path}: it cannot be written", path=path),
            remedy=t("let this user write the file and its folder"),
        )
    size = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.is_file())
    holder = _holder(path)
    state = t("held by process {pid}", pid=holder) if holder else t("held by nobody")
    return Check(
        area="store",
        status="ok",
        message=t(
            "{path}: {size:.1f} MiB, revision {revision}, {state}",
            path=path,
            size=size / 2**20,
            revision=migrations.HEAD,
            state=state,
        ),
    )


def _holder(path: Path) -> str | None:
    """Who holds the lock: the process that the file names, if it lives and the lock is really taken."""
    try:
        with path.with_name(f"{path.name}.lock").open() as file:
            pid = file.read(32).strip()
            os.kill(int(pid), 0)  # else nobody holds it, and a host that starts now is not disturbed
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return pid
    except (OSError, ValueError):
        return None
    return None


def _to_be_made(path: Path) -> Check:
    folder = _standing(path)
    if os.access(folder, os.W_OK | os.X_OK):
        return Check(
            area="store", status="ok", message=t("{path}: the first start of the host makes it", path=path)
        )
    return Check(
        area="store",
        status="bad",
        message=t("{path}: it cannot be made in {folder}", path=path, folder=folder),
        remedy=t("let this user write the folder, or set another `storage` in langbot-agents.yaml"),
    )


def _space(path: Path) -> Check:
    folder = _standing(path)
    free = shutil.disk_usage(folder).free
    message = t("{size:.1f} GiB free at {folder}", size=free / 2**30, folder=folder)
    if free >= LITTLE_SPACE:
        return Check(area="disk", status="ok", message=message)
    return Check(
        area="disk",
        status="bad" if free < NO_SPACE else "warn",
        message=message,
        remedy=t("make room, or set `retention` in langbot-agents.yaml"),
    )


def _standing(path: Path) -> Path:
    """The nearest folder above that is there."""
    return next(folder for folder in path.parents if folder.is_dir())


def host_checks(project: Project) -> Checks:
    """Whether a host runs and how it is."""
    try:
        path = HostFile.path(project)
    except StoreError:
        return
    file = HostFile.read(path)
    if file is None:
        if path.exists():
            yield Check(
                area="host",
                status="warn",
                message=t("{path}: left by a host that is gone", path=path),
                remedy=t("nothing to do: the next start writes it anew"),
            )
        else:
            yield Check(area="host", status="ok", message=t("none runs; `lba serve` starts it"))
        return
    where = t("{url}, process {pid}, version {version}", url=file.url, pid=file.pid, version=file.version)
    try:
        answer = httpx2.get(
            f"{file.url}/readyz",
            headers={"Authorization": f"Bearer {file.token}"},
            timeout=5.0,
            trust_env=False,
        )
        state = answer.json()
    except (httpx2.HTTPError, ValueError) as error:
        yield Check(
            area="host",
            status="bad",
            message=t("{where}: no answer: {cause}", where=where, cause=str(error) or type(error).__name__),
            remedy=t("look at its log; end the process if it hangs, and start it again"),
        )
        return
    yield _readiness(where, state)
    if file.version != __version__:
        yield Check(
            area="host",
            status="warn",
            message=t("it runs version {theirs}, installed is {ours}", theirs=file.version, ours=__version__),
            remedy=t("start it anew"),
        )


def _readiness(where: str, state: dict[str, object]) -> Check:
    status, reasons = state.get("status"), state.get("reasons")
    if status == "ready":
        return Check(area="host", status="ok", message=where)
    listed = reasons if isinstance(reasons, list) else ()
    return Check(
        area="host",
        status="bad" if status == "failing" else "warn",
        message=f"{where}: {status}: {'; '.join(map(str, listed))}".rstrip(": "),
        remedy=t("the lines below say what is out")
        if status == "degraded"
        else t("it cannot write: look at the store and the disk"),
    )
