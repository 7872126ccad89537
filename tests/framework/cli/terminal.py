"""A command on a terminal of its own, typed to and read like a person does."""

import os
import pty
import select
import subprocess
import sys
import time
from types import TracebackType
from typing import Self

from .conftest import command

CTRL_C = "\x03"
CTRL_D = "\x04"
PATIENCE = 30.0
TAKE_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal its own, so that Ctrl-C is a signal, and becomes the command."""


class Terminal:
    """A command under way, with a terminal as stdin, stdout and stderr."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.seen = ""
        self._read = 0
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *command(*words)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "LANGBOT_AGENTS_LANG": "en_US", "TERM": "dumb", **environment},
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def until(self, text: str) -> str:
        """What is shown from the last place on, up to and with this text."""
        end = time.monotonic() + PATIENCE
        while text not in self.seen[self._read :]:
            assert time.monotonic() < end, f"{text!r} never came:\n{self.seen}"
            assert self._more(), f"it ended before {text!r}:\n{self.seen}"
        place = self.seen.index(text, self._read) + len(text)
        shown, self._read = self.seen[self._read : place], place
        return shown

    def type(self, text: str) -> None:
        """Type it."""
        os.write(self._master, text.encode())

    def prompt(self) -> str:
        """Wait for the prompt, and until a line can be typed there."""
        shown = self.until("> ")
        time.sleep(0.3)
        return shown

    def end(self) -> int:
        """Wait for the end of the command, and give its exit code."""
        end = time.monotonic() + PATIENCE
        while self._more():
            assert time.monotonic() < end, f"it did not end:\n{self.seen}"
        return self.process.wait(PATIENCE)

    def _more(self) -> bool:
        """Read what is there; False at the end."""
        if not select.select([self._master], [], [], 0.1)[0]:
            return self.process.poll() is None
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # how Linux says that nobody has the terminal any more
            return False
        self.seen += piece.decode(errors="replace")
        return bool(piece)
