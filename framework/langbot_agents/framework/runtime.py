"""How a runner runs in this process: one task iterates and closes it, a bounded queue carries its results."""

import asyncio  # to name the task of a runner that ignores its cancel: anyio has no handle of one
import inspect
import math
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from anyio import CancelScope, Event, WouldBlock
from anyio.abc import TaskGroup

from .errors import RunnerError
from .texts import t

QUEUE_SIZE = 100
"""Results that wait between a runner and the host; a runner that is faster waits."""

RESULTS_A_TURN = 16
"""Results that a runner gives before the loop turns, if it does not wait for anything itself."""

CLOSING_GRACE = 0.1
"""Seconds that a runner has after its last result before it is cancelled."""

CANCEL_TIMES = (0.6, 0.6, 0.6)
"""Seconds that a runner has to end after each cancel; with the grace before they stay under 2 s."""


class RunnerCrashedError(RunnerError):
    """The runner raised; `__cause__` is what it raised."""

    code = "runner.exception"


class RunnerInvocation:
    """One call of a runner: what it gives, until it ends, raises or is stopped."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[Any](QUEUE_SIZE)
        self._done = Event()
        self._error: BaseException | None = None
        self._begun = False
        self._stopped = False
        self._task: asyncio.Task[Any] | None = None
        self.abandoned = False
        """Whether its code ignored the cancel and was dropped where it stood."""

    async def emit(self, item: Any) -> None:
        """Hand over one result, waiting while the queue is full; one that comes late has nowhere to go."""
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._hand_over(item)

    async def receive(self) -> Any:
        """The next result. Raises `EndOfStream` at the end, `RunnerCrashedError` if the runner raised."""
        try:
            try:
                return self._receive.receive_nowait()
            except WouldBlock:
                return await self._receive.receive()
        except anyio.EndOfStream:
            if self._error is not None:
                raise RunnerCrashedError(_one_line(self._error)) from self._error
            raise

    def pending(self) -> int:
        """Results that were given and not yet received."""
        return self._receive.statistics().current_buffer_used

    def discard(self) -> bool:
        """Take nothing more and forget what waits; whether its code has ended, or is never called."""
        self._stopped = True
        self._receive.close()
        self._send.close()
        return self._done.is_set() or not self._begun

    def close(self) -> None:
        """Take no more results; a receiver that waits gets `EndOfStream`."""
        self._send.close()

    async def stop(self) -> bool:
        """End the runner: let it close by itself for a moment, then cancel it; False if it ignored that."""
        self.discard()
        if not self._begun or self._done.is_set():
            return True
        with CancelScope(shield=True):
            await self._ended_within(CLOSING_GRACE)
            for grace in CANCEL_TIMES:
                # not a cancel scope: one that is ignored cancels again in each turn of the loop, a busy wait
                self._cancel()
                await self._ended_within(grace)
            if not self._done.is_set():
                self.abandoned = True
                self._cancel()
                await self._ended_within(CLOSING_GRACE)
        return not self.abandoned

    def _cancel(self) -> None:
        if self._task is not None and not self._done.is_set():
            self._task.cancel()

    async def _ended_within(self, seconds: float) -> None:
        if not self._done.is_set():
            with anyio.move_on_after(seconds):
                await self._done.wait()

    async def iterate(self, make: Callable[[], Any]) -> None:
        """The one task that iterates and closes the generator."""
        self._begun = True
        if self._stopped:  # stopped before it began: its code is not called at all
            self._done.set()
            return
        self._task = asyncio.current_task()
        try:
            generator = make()
            if not inspect.isasyncgen(generator):
                if inspect.iscoroutine(generator):
                    generator.close()
                raise TypeError(
                    t(
                        "run() gave {kind}, not an async generator; write it with `yield`",
                        kind=type(generator).__name__,
                    )
                )
            await self._drain(generator)
        except anyio.get_cancelled_exc_class() as error:
            # only the host's own end goes on from here; any other would take the whole host with it
            if anyio.current_effective_deadline() == -math.inf:
                raise
            self._error = error
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit, BaseExceptionGroup) as error:
            # isolation boundary: whatever a runner raises ends its own run only
            self._error = error
        finally:
            self._send.close()
            self._done.set()

    async def _drain(self, generator: AsyncGenerator[Any, Any]) -> None:
        count = 0
        try:
            while True:
                try:
                    item = await _Droppable(generator.__anext__(), self)
                except StopAsyncIteration:
                    return
                try:
                    await self._hand_over(item)
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    return
                if count % RESULTS_A_TURN == 0:
                    # a runner that never waits, as on an answer that came all at once, would keep from the
                    # others what it has given
                    await anyio.lowlevel.checkpoint()
                count += 1
        finally:
            if not self.abandoned:
                await _Droppable(generator.aclose(), self)

    async def _hand_over(self, item: Any) -> None:
        try:
            self._send.send_nowait(item)
        except WouldBlock:
            await self._send.send(item)


class _Droppable:
    """Awaits a step of a runner's generator, but does not go back into it once the runner is abandoned."""

    __slots__ = ("_invocation", "_step")

    def __init__(self, step: Awaitable[Any], invocation: RunnerInvocation) -> None:
        self._step = step
        self._invocation = invocation

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._step.__await__()
        resume: Callable[[], Any] = inner.__next__
        while True:
            try:
                waiting = resume()
            except StopIteration as end:
                return end.value
            try:
                yield waiting
            except BaseException as error:  # the step itself decides what an exception means to it
                if self._invocation.abandoned:
                    _drop(inner)
                    raise
                resume = partial(inner.throw, error)
            else:
                resume = inner.__next__


def _drop(step: Any) -> None:
    """Unwind a runner's code, as far as it does not wait for anything on its way."""
    with suppress(BaseException):  # isolation boundary: what it raises has nobody to go to
        step.throw(GeneratorExit())


class InProcessRuntime:
    """Runs runners as tasks of the host; those that ignore a cancel are counted and dropped."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self.abandoned = 0

    def start(self, invocation: RunnerInvocation, make: Callable[[], Any]) -> None:
        """Begin to iterate what `make()` gives."""
        self._tasks.start_soon(invocation.iterate, make, name="runner")

    async def stop(self, invocation: RunnerInvocation) -> bool:
        """Stop an invocation; False for a runner that ignored it and is abandoned."""
        ended = await invocation.stop()
        if not ended:
            self.abandoned += 1
        return ended


def _one_line(error: BaseException) -> str:
    # not str(error), which is the runner's own code
    return " ".join("".join(traceback.format_exception_only(error)).split())[:500]
