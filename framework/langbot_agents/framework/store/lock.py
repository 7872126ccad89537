"""One host a SQLite file: an exclusive lock on a file beside it, which ends with the process."""

import fcntl
import os
from pathlib import Path

from langbot_agents.framework.errors import StoreLockedError
from langbot_agents.framework.texts import t


class HostLock:
    """The lock of one database file."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(f"{database.name}.lock")
        self._database = database
        # The file stays after the end: removing it would let two hosts lock two files of one name.
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._file, 32, 0).decode(errors="replace").strip() or "?"
            os.close(self._file)
            raise self._refusal(holder) from error
        except OSError:
            os.close(self._file)
            raise
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def _refusal(self, holder: str) -> StoreLockedError:
        return StoreLockedError(
            t("{path}: held by another host, process {pid}", path=self._database, pid=holder),
            remedy=t("end that process, or set another `storage` in langbot-agents.yaml for this host"),
        )

    def release(self) -> None:
        """Give it up."""
        os.close(self._file)
