"""How a runner is run inside this process: one task iterates and closes its generator, a bounded queue carries what it gives."""

import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import anyio
from anyio import CancelScope, Event, WouldBlock
from anyio.abc import TaskGroup

from .errors import RunnerError
from .texts import t

QUEUE_SIZE = 100
"""Results that wait between a runner and the host; a runner that is faster waits."""

CLOSING_GRACE = 0.1
"""Seconds that a runner has after its last result before it is cancelled."""

CANCEL_GRACE = 2.0
"""Seconds that a runner has to end when it is cancelled."""


class RunnerCrashedError(RunnerError):
    """The runner raised; `__cause__` is what it raised."""

    code = "runner.exception"


class RunnerInvocation:
    """One call of a runner: what it gives, until it ends, raises or is stopped."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[Any](QUEUE_SIZE)
        self._scope = CancelScope()
        self._done = Event()
        self._error: BaseException | None = None
        self._begun = False
        self._stopped = False

    async def emit(self, item: Any) -> None:
        """Hand over one result, waiting while the queue is full."""
        try:
            self._send.send_nowait(item)
        except WouldBlock:
            await self._send.send(item)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return  # the run has ended; what comes late has nowhere to go

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

    def close(self) -> None:
        """Take no more results; a receiver that waits gets `EndOfStream`."""
        self._send.close()

    async def stop(self) -> bool:
        """End the runner: let it close by itself for a moment, then cancel it; False if it ignores that."""
        self._stopped = True
        self._receive.close()
        self._send.close()
        if not self._begun or self._done.is_set():
            return True
        with CancelScope(shield=True):
            with anyio.move_on_after(CLOSING_GRACE):
                await self._done.wait()
            if not self._done.is_set():
                self._scope.cancel()
                with anyio.move_on_after(CANCEL_GRACE):
                    await self._done.wait()
        return self._done.is_set()

    async def iterate(self, make: Callable[[], Any]) -> None:
        """The one task that iterates and closes the generator."""
        self._begun = True
        if self._stopped:  # stopped before it began: its code is not called at all
            self._done.set()
            return
        try:
            with self._scope:
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
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit, BaseExceptionGroup) as error:
            # isolation boundary: whatever a runner raises ends its own run only
            self._error = error
        finally:
            self._send.close()
            self._done.set()

    async def _drain(self, generator: AsyncGenerator[Any, None]) -> None:
        async with aclosing(generator):
            async for item in generator:
                try:
                    self._send.send_nowait(item)
                except WouldBlock:
                    await self._send.send(item)
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    return


class InProcessRuntime:
    """Runs runners as tasks of the host; those that ignore a cancel are counted and left behind."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self.abandoned = 0

    def start(self, invocation: RunnerInvocation, make: Callable[[], Any]) -> None:
        """Begin to iterate what `make()` gives."""
        self._tasks.start_soon(invocation.iterate, make, name="runner")

    async def stop(self, invocation: RunnerInvocation) -> bool:
        """Stop an invocation; a runner that ignores it is abandoned."""
        ended = await invocation.stop()
        if not ended:
            self.abandoned += 1
        return ended


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:500]}" if text else type(error).__name__
