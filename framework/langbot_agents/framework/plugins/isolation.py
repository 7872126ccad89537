"""Calling a package's own code, so that nothing it does reaches further than its answer."""

import asyncio
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio

from ..texts import t

CAUGHT = (Exception, SystemExit, KeyboardInterrupt, BaseExceptionGroup)
"""What a package may raise without ending the host; a cancellation of ours is none of it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that raised or took too long, and why in one line."""

    reason: str


def call_in_thread(function: Callable[[], Any], deadline: float) -> Any:
    """What the function gives, or a `Failure`; called while the host starts, before there is a loop."""
    outcome: list[Any] = []

    def whole() -> Any:
        value = function()
        return anyio.run(_wait_for, value) if inspect.iscoroutine(value) else value

    _start(whole, outcome.append).join(deadline)
    return outcome[0] if outcome else Failure(_too_slow(deadline))


async def call_hook(bound: Callable[[], Any], function: Callable[..., Any], deadline: float) -> Any:
    """What the hook gives, or a `Failure`: on the loop if it is `async def`, else in a thread."""
    with anyio.move_on_after(deadline):
        try:
            value = await bound() if inspect.iscoroutinefunction(function) else await _beside(bound)
            return await value if inspect.isawaitable(value) else value
        except CAUGHT as error:  # isolation boundary: a package's own code
            return Failure(describe(error))
    return Failure(_too_slow(deadline))


async def _beside(function: Callable[[], Any]) -> Any:
    # not `to_thread.run_sync`: the host could not exit while one of its threads hangs
    loop = asyncio.get_running_loop()
    done = anyio.Event()
    outcome: list[Any] = []

    def ended(value: Any) -> None:
        outcome.append(value)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(done.set)

    _start(functools.partial(contextvars.copy_context().run, function), ended)
    await done.wait()
    return outcome[0]


def _start(function: Callable[[], Any], ended: Callable[[Any], None]) -> threading.Thread:
    """Call it in a thread of its own; one that hangs is left behind as a daemon."""

    def call() -> None:
        try:
            value = function()
        except BaseException as error:  # isolation boundary: sys.exit() in a package must not end the host
            ended(Failure(describe(error)))
        else:
            ended(value)

    thread = threading.Thread(target=call, daemon=True, name="langbot-agents-plugin")
    thread.start()
    return thread


async def _wait_for(value: Awaitable[Any]) -> Any:
    return await value


def _too_slow(deadline: float) -> str:
    return t("took longer than {seconds:g} s", seconds=deadline)


def describe(error: BaseException) -> str:
    """The type and text of an error in one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # isolation boundary: the error may be of a package's own class
        text = ""
    return f"{type(error).__name__}: {text[:400]}" if text else type(error).__name__
