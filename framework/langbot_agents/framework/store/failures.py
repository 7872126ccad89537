"""What SQLite says when it fails, told as place, cause and remedy."""

import sqlite3
from pathlib import Path

from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.texts import t

_STORE_WIDE = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
    }
)


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; -1 for an error of the Python module itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1


def is_store_wide(error: BaseException) -> bool:
    """Whether the store as a whole failed, not one statement."""
    return isinstance(error, sqlite3.Error) and primary_code(error) in _STORE_WIDE


def _remedy(code: int) -> str:
    if code == sqlite3.SQLITE_FULL:
        return t("free some space on that disk")
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return t("end the program that holds a lock on it, such as a backup or a database browser")
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}:
        return t(
            "let this user write the file and its folder, or set another `storage` in langbot-agents.yaml"
        )
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return t("restore it from a backup, or move it away to begin with an empty store")
    return t("look at the disk and at the system's log")


def store_error(error: sqlite3.Error, place: Path) -> StoreError:
    """The error to raise instead, with `error` as its cause."""
    text = t("{place}: {cause}", place=place, cause=error)
    if isinstance(error, sqlite3.IntegrityError):
        made = StoreError(t("{place}: a row breaks a rule of the store: {cause}", place=place, cause=error))
    elif is_store_wide(error):
        made = StoreError(text, remedy=_remedy(primary_code(error)))
    else:
        made = StoreError(text)
    made.__cause__ = error
    return made
