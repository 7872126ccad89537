"""Files and folders that hold what people said: made for this user alone, whatever the umask says."""

import os
from contextlib import suppress
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it, where they are missing; one that is there stays as it is."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(FOLDER_MODE, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file where it is missing; one that is there stays as it is."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))
