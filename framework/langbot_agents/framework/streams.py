"""A bounded way from one writer to one reader that never makes the writer wait."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")

JOIN_ABOVE = 64
"""Items that wait before neighbours are joined."""


class Subscription(Generic[T]):
    """Items for one reader; a reader that falls behind gets neighbouring items joined, and loses none.

    `join(last, new)` gives the two as one, or None where they cannot be joined; what is joined is
    text, which the limits of a run bound.
    """

    def __init__(self, join: Callable[[T, T], T | None]) -> None:
        self._items: deque[T] = deque()
        self._join = join
        self._closed = False
        self._wake = anyio.Event()

    def put(self, item: T) -> None:
        """Add an item; nothing is added after `close`."""
        if self._closed:
            return
        if len(self._items) >= JOIN_ABOVE:
            joined = self._join(self._items[-1], item)
            if joined is not None:
                self._items[-1] = joined
                return
        self._items.append(item)
        self._wake.set()

    def close(self) -> None:
        """No more items come; the reader gets what waits, then the end."""
        self._closed = True
        self._wake.set()

    def discard(self) -> None:
        """The reader is gone: forget what waits."""
        self._closed = True
        self._items.clear()
        self._wake.set()

    async def get(self) -> T:
        """The next item, waiting for it; a wait that is cancelled loses nothing. Raises `EndOfStream` at the end."""
        while not self._items:
            if self._closed:
                raise anyio.EndOfStream
            self._wake = anyio.Event()
            await self._wake.wait()
        return self._items.popleft()

    async def __aiter__(self) -> AsyncIterator[T]:
        while True:
            try:
                yield await self.get()
            except anyio.EndOfStream:
                return
