"""The set of bindings as the next decision of this project has it: with last good revisions and pauses."""

from ..bindings import BindingSet
from ..errors import StoreError
from ..project import Project, with_last_good
from ..revisions import StoredIncumbents
from ..store import Cursor, pauses
from ..store.database import sqlite_path
from ..texts import t
from .loading import read_log
from .output import Output


def live_set(project: Project) -> BindingSet:
    """What is on disk, with the pauses and last good revisions of the store, if there is one."""
    if not sqlite_path(project.settings.storage.url, project.root).exists():
        return project.bindings

    def read(cursor: Cursor) -> BindingSet:
        found = project
        if project.bindings.quarantined:
            found = with_last_good(project, StoredIncumbents(cursor, project.registry))
        return found.bindings.with_pauses({item.binding_id: item for item in pauses.every(cursor)})

    return read_log(project, read)


def live_or_disk(out: Output, project: Project) -> BindingSet:
    """The same; where the store cannot be read, what is on disk, with a word about it."""
    try:
        return live_set(project)
    except StoreError as error:
        out.note(
            ("! ", "yellow"),
            t("the store cannot be read, so pauses are not known: {cause}", cause=error.message),
        )
        return project.bindings
