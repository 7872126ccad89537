"""A runner in this process: whatever it does, its own run ends, and nothing else does."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NoReturn

import anyio
import pytest

from langbot_agents.framework.runtime import (
    QUEUE_SIZE,
    InProcessRuntime,
    RunnerCrashedError,
    RunnerInvocation,
)

pytestmark = pytest.mark.anyio
Results = AsyncGenerator[Any, None]


@asynccontextmanager
async def running() -> AsyncIterator[InProcessRuntime]:
    """A runtime whose host is stopped at the end, which must not take longer than a runner may."""
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            yield InProcessRuntime(tasks)
            tasks.cancel_scope.cancel()


async def received(invocation: RunnerInvocation) -> list[Any]:
    """All that a runner gives."""
    items = []
    while True:
        try:
            items.append(await invocation.receive())
        except anyio.EndOfStream:
            return items


async def test_results_come_in_order_however_many() -> None:
    """A runner that is faster than the host waits; nothing is lost."""

    async def many() -> Results:
        for number in range(5 * QUEUE_SIZE):
            yield number

    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, many)

        assert await received(invocation) == list(range(5 * QUEUE_SIZE))
        assert await runtime.stop(invocation)


def raising(error: BaseException) -> Any:
    """A runner that gives one result and raises."""

    async def run() -> Results:
        yield 1
        raise error

    return run


class Unspeakable(Exception):
    """An exception that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        Unspeakable(),
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
        StopAsyncIteration(),
        BaseExceptionGroup("all", [SystemExit(1), asyncio.CancelledError()]),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_a_runner_raises_ends_its_own_run_only(error: BaseException) -> None:
    """An exception, an exit or a stray cancellation of a runner does not reach the host."""
    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, raising(error))

        assert await invocation.receive() == 1
        with pytest.raises(RunnerCrashedError):
            await invocation.receive()
        await anyio.sleep(0.01)  # the host's tasks go on
        assert await runtime.stop(invocation)


def _raises_at_once() -> NoReturn:
    raise RuntimeError("before the generator")


async def _coroutine() -> list[int]:
    return [1]


@pytest.mark.parametrize(
    "make",
    [_raises_at_once, _coroutine, lambda: [1, 2], lambda: None, lambda: iter([1])],
    ids=["raises", "_coroutine", "list", "none", "iterator"],
)
async def test_what_is_not_a_generator_is_refused(make: Any) -> None:
    """A `run` that is not an async generator is an error that says so."""
    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, make)

        with pytest.raises(RunnerCrashedError, match="Error"):
            await invocation.receive()
        await runtime.stop(invocation)


async def _hangs() -> Results:
    yield 1
    await anyio.sleep_forever()


async def _hangs_at_its_close() -> Results:
    try:
        yield 1
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep_forever()


async def _raises_at_its_close() -> Results:
    try:
        yield 1
        await anyio.sleep_forever()
    finally:
        raise RuntimeError("while closing")


async def _yields_at_its_close() -> Results:
    try:
        yield 1
        await anyio.sleep_forever()
    finally:
        yield 2


@pytest.mark.parametrize("make", [_hangs, _hangs_at_its_close, _raises_at_its_close, _yields_at_its_close])
async def test_cancel_ends_a_runner_within_two_seconds(make: Any) -> None:
    """A cancel reaches the runner within 2 s, also one that makes trouble while it closes."""
    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, make)
        await invocation.receive()

        with anyio.fail_after(2):
            assert await runtime.stop(invocation)
        assert runtime.abandoned == 0


async def _swallows() -> Results:
    yield 1
    while True:
        with suppress(asyncio.CancelledError):
            await anyio.sleep_forever()


async def _swallows_in_a_task_group() -> Results:
    yield 1
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_shielded)


async def _shielded() -> None:
    with anyio.CancelScope(shield=True):
        await anyio.sleep_forever()


@pytest.mark.parametrize("make", [_swallows, _swallows_in_a_task_group])
async def test_runner_that_ignores_its_cancel_is_abandoned(make: Any) -> None:
    """A runner that swallows each cancel is dropped and counted, and does not burn the processor."""
    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, make)
        await invocation.receive()
        burnt = time.process_time()

        with anyio.fail_after(2.2):
            assert not await runtime.stop(invocation)
        assert runtime.abandoned == 1
        assert time.process_time() - burnt < 0.5


async def test_runner_that_was_stopped_before_it_began_is_not_called() -> None:
    """A run that is cancelled at once does not call its runner."""
    called = []

    async def run() -> Results:
        called.append(1)
        yield 1

    async with running() as runtime:
        invocation = RunnerInvocation()
        runtime.start(invocation, run)
        assert await runtime.stop(invocation)
        await anyio.sleep(0.01)

    assert called == []


async def test_emit_from_inside_a_task_group() -> None:
    """`emit` gives results from a task group, waits while the queue is full, and is silent after the end."""
    invocation = RunnerInvocation()
    late = []

    async def run() -> Results:
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(_emit_many, invocation, number)
        yield "end"

    async with running() as runtime:
        runtime.start(invocation, run)
        items = await received(invocation)
        await runtime.stop(invocation)
        await invocation.emit("late")
        late.append(invocation.pending())

    assert len(items) == 3 * 100 + 1
    assert items[-1] == "end"
    assert late == [0]


async def _emit_many(invocation: RunnerInvocation, number: int) -> None:
    for _ in range(100):
        await invocation.emit(number)


async def test_emit_that_waits_for_room_is_silent_when_the_run_ends() -> None:
    """A result that waits for room when the run ends has nowhere to go; its runner is not troubled by it."""
    invocation = RunnerInvocation()
    ended = anyio.Event()

    async def flood() -> None:
        for number in range(2 * QUEUE_SIZE):
            await invocation.emit(number)
        ended.set()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(flood)
            await anyio.wait_all_tasks_blocked()
            await invocation.stop()
            await ended.wait()
