"""A bounded way from one writer to one reader that never makes the writer wait."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")

JOIN_ABOVE = 64
"""Items that wait before neighbours are joined."""

JOIN_AT_ONCE = 1024
"""Neighbours that are kept apart until somebody reads, so that a long text is not copied for each piece."""


class Subscription(Generic[T]):
    """Items for one reader; a reader that falls behind gets neighbouring items joined, and loses none.

    `joins(last, new)` says whether two may become one, and `join` makes one of several; what is joined is
    text, which the limits of a run bound.
    """

    def __init__(self, joins: Callable[[T, T], bool], join: Callable[[Sequence[T]], T]) -> None:
        self._groups: deque[list[T]] = deque()
        self._joins = joins
        self._join = join
        self._closed = False
        self._wake: anyio.Event | None = None
        """For the reader, while it waits."""

    def put(self, item: T) -> None:
        """Add an item; nothing is added after `close`."""
        if self._closed:
            return
        if len(self._groups) >= JOIN_ABOVE and self._joins(self._groups[-1][-1], item):
            group = self._groups[-1]
            group.append(item)
            if len(group) >= JOIN_AT_ONCE:
                group[:] = [self._join(group)]
            return
        self._groups.append([item])
        self._wake_up()

    def close(self) -> None:
        """No more items come; the reader gets what waits, then the end."""
        self._closed = True
        self._wake_up()

    def discard(self) -> None:
        """The reader is gone: forget what waits."""
        self._closed = True
        self._groups.clear()
        self._wake_up()

    async def get(self) -> T:
        """The next item; a wait that is cancelled loses none. Raises `EndOfStream` at the end."""
        while not self._groups:
            if self._closed:
                raise anyio.EndOfStream
            self._wake = anyio.Event()
            await self._wake.wait()
        group = self._groups.popleft()
        return group[0] if len(group) == 1 else self._join(group)

    def _wake_up(self) -> None:
        if self._wake is not None:
            self._wake.set()

    async def __aiter__(self) -> AsyncIterator[T]:
        while True:
            try:
                yield await self.get()
            except anyio.EndOfStream:
                return
