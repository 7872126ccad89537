"""What a person types, or a script sends, line by line, and what Ctrl-C means meanwhile."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Self

PROMPT = "> "


class Interrupts:
    """Ctrl-C for the length of a chat: it ends the reading of a line, or it is told to who awaits an answer.

    One that comes in between is kept for the answer that follows.
    """

    def __init__(self) -> None:
        self._reading = False
        self._tell: Callable[[], None] | None = None
        self._kept = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        if self._reading:
            self._reading = False
            raise KeyboardInterrupt
        if self._tell is not None:
            self._tell()
        else:
            self._kept = True

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While a line is read it raises `KeyboardInterrupt`."""
        self._kept = False
        self._reading = True
        try:
            yield
        finally:
            self._reading = False

    @contextmanager
    def told_to(self, tell: Callable[[], None]) -> Iterator[None]:
        """While an answer is awaited it calls `tell`, which may only do what a signal handler may."""
        self._tell = tell
        if self._kept:
            self._kept = False
            tell()
        try:
            yield
        finally:
            self._tell = None


class Lines:
    """The lines of stdin; on a terminal with a prompt, and with what a line editor offers."""

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts
        self.interactive = sys.stdin.isatty()
        self._edits = self.interactive and sys.stdout.isatty()
        if self._edits:
            with suppress(ImportError):  # a Python without it still reads lines
                import readline  # noqa: F401

    def read(self) -> str | None:
        """The next line; None when the person leaves or the input ends."""
        line: str | None = None
        with suppress(EOFError, KeyboardInterrupt), self._interrupts.reading():
            line = self._line()
        if line is None and self.interactive:
            sys.stderr.write("\n")
        return line

    def _line(self) -> str | None:
        if self._edits:
            return input(PROMPT)
        if self.interactive:
            sys.stderr.write(PROMPT)
            sys.stderr.flush()
        return sys.stdin.readline() or None
