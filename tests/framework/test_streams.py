"""A bounded way to one reader, that never makes the writer wait and loses nothing."""

from collections.abc import Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.streams import JOIN_ABOVE, Subscription


@pytest.fixture
def anyio_backend() -> str:
    """Asyncio, which the host runs on."""
    return "asyncio"


def texts() -> Subscription[str]:
    """Pieces of text, of which those in lower case can be joined."""

    def joins(last: str, new: str) -> bool:
        return last.islower() and new.islower()

    def join(pieces: Sequence[str]) -> str:
        return "".join(pieces)

    return Subscription(joins, join)


async def read(subscription: Subscription[str]) -> list[str]:
    """All that comes."""
    return [item async for item in subscription]


@given(st.lists(st.sampled_from(["a", "b", "A"]), max_size=400))
def test_nothing_is_lost(pieces: list[str]) -> None:
    """A reader that falls behind gets the same text in the same order, in fewer pieces."""
    subscription = texts()
    for piece in pieces:
        subscription.put(piece)
    subscription.close()
    found = anyio.run(read, subscription)

    assert "".join(found) == "".join(pieces)
    assert found[: JOIN_ABOVE - 1] == pieces[: JOIN_ABOVE - 1]
    assert [item for item in found if not item.islower()] == [item for item in pieces if not item.islower()]


def test_what_waits_is_bounded() -> None:
    """A long text that nobody reads waits in a bounded number of pieces."""
    subscription = texts()
    for _ in range(50_000):
        subscription.put("a")
    subscription.close()
    found = anyio.run(read, subscription)

    assert len(found) == JOIN_ABOVE
    assert sum(map(len, found)) == 50_000


async def test_a_reader_that_keeps_up_gets_each_piece() -> None:
    """A reader that keeps up is given each item as it comes, and then the end."""
    subscription = texts()
    found = []
    for piece in "abc":
        subscription.put(piece)
        found.append(await subscription.get())
    subscription.close()
    subscription.put("late")

    assert found == ["a", "b", "c"]
    with pytest.raises(anyio.EndOfStream):
        await subscription.get()


async def test_a_reader_that_waits_is_woken() -> None:
    """A reader that waits gets what comes, and the end when it comes."""
    subscription = texts()
    found: list[str] = []

    async def follow() -> None:
        found.extend(await read(subscription))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        await anyio.wait_all_tasks_blocked()
        subscription.put("a")
        await anyio.wait_all_tasks_blocked()
        subscription.put("b")
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(5):
            subscription.close()
            await anyio.wait_all_tasks_blocked()
            assert found == ["a", "b"]


async def test_a_cancelled_wait_loses_nothing() -> None:
    """A wait that is cancelled loses no item."""
    subscription = texts()
    with anyio.move_on_after(0.01):
        await subscription.get()
    subscription.put("a")

    assert await subscription.get() == "a"


async def test_discard() -> None:
    """When the reader is gone what waits is forgotten."""
    subscription = texts()
    subscription.put("a")
    subscription.discard()
    subscription.put("b")

    assert await read(subscription) == []
