"""Where the documents of a project lie, and what their files look like now."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..project import Project
from ..store.database import sqlite_path

SUFFIXES = (".yaml", ".yml")
WILDCARD = re.compile(r"[*?\[]")
MAX_FOLDERS = 5_000
"""Folders that are watched; more are only looked at from time to time."""

Stamp = tuple[int, int, int, int, int]
"""Device, inode, size, and the times of the last change of the content and of the entry."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What was seen at one moment: every file that may hold documents, and the folders to watch."""

    files: dict[str, Stamp]
    folders: frozenset[tuple[str, int, int]]
    """Each with its device and inode: one that was made anew has to be watched anew."""

    @property
    def newest(self) -> int:
        """When a file last changed, in nanoseconds since 1970."""
        return max((max(stamp[3], stamp[4]) for stamp in self.files.values()), default=0)


def look(project: Project) -> Look:
    """Look at the root document and at everything that the globs may reach; missing ones are no error."""
    files: dict[str, Stamp] = {}
    folders: set[str] = set()
    left_out = _own_folders(project)
    for start in _starts(project):
        if start.is_dir():
            for path in _walk(start, folders, left_out):
                _see(path, files, folders)
        else:
            _see(start, files, folders)
            folders.add(_there(start.parent))
    if len(folders) > MAX_FOLDERS:
        folders = set(sorted(folders, key=lambda name: name.count(os.sep))[:MAX_FOLDERS])
    return Look(files=files, folders=frozenset(_identified(folders)))


def _starts(project: Project) -> Iterator[Path]:
    """The root document, and the part of each glob before its first wildcard."""
    yield project.root_document.file.absolute()
    for pattern in project.settings.bindings:
        parts = Path(pattern).parts
        fixed = next((n for n, part in enumerate(parts) if WILDCARD.search(part)), len(parts))
        start = project.root.joinpath(*parts[:fixed])
        # a file may also have the other suffix
        others = [start.with_suffix(each) for each in SUFFIXES] if start.suffix in SUFFIXES else [start]
        yield from others


def _walk(start: Path, folders: set[str], left_out: Iterable[str]) -> Iterator[str]:
    """The YAML files below a folder, through links; hidden folders are none of a glob's, ours neither."""
    seen: set[str] = set()
    for folder, below, names in os.walk(start, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen or real in left_out:
            below.clear()
            continue
        seen.add(real)
        folders.add(folder)
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(SUFFIXES))  # noqa: PTH118


def _see(path: str | Path, files: dict[str, Stamp], folders: set[str]) -> None:
    try:
        found = os.stat(path)  # noqa: PTH116  # of 10,000 files, where a Path each costs as much as the call
        if os.path.islink(path):  # noqa: PTH114
            folders.add(_there(Path(os.path.realpath(path)).parent))
    except (OSError, ValueError):
        return  # it is gone, or cannot be read: which the loader says
    files[str(path)] = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _identified(folders: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        with suppress(OSError, ValueError):
            found = os.stat(folder)  # noqa: PTH116
            yield folder, found.st_dev, found.st_ino


def _there(folder: Path) -> str:
    """The folder, or the nearest one above that is there."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return str(folder)


def _own_folders(project: Project) -> frozenset[str]:
    """What the host itself writes all the time."""
    settings = project.settings
    store = sqlite_path(settings.storage.url, project.root).parent
    own = {os.path.realpath(project.root / settings.artifacts.path), os.path.realpath(store)}
    return frozenset(own - {os.path.realpath(project.root)})
