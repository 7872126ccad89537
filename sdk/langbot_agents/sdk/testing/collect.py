"""Everything that a runner gave, put together as a host would, with what it did wrong."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
from pydantic import BaseModel, ValidationError

from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.results import (
    RESULT_DATA,
    TERMINAL_TYPES,
    ActionRequestedData,
    AgentRunResult,
    DeliveryRequestedData,
    MessageCompletedData,
    MessageDeltaData,
    RunCompletedData,
    RunFailedData,
    StateUpdatedData,
    Usage,
)

from ..context import AgentRunContext
from ..runner import AgentRunner
from .context import make_context
from .hands import RecordedEmit

DataT = TypeVar("DataT", bound=BaseModel)


@dataclass(kw_only=True)
class Collected:
    """The results of one run in order; what counts ends with the first terminal one."""

    results: list[AgentRunResult] = field(default_factory=list)
    """Every result, also what came after the end."""
    errors: list[str] = field(default_factory=list)
    """What a host would warn of: not a result, a bad payload, something after the end, no end."""
    terminal: AgentRunResult | None = None
    """The end."""
    _valid: list[tuple[AgentRunResult, BaseModel]] = field(default_factory=list)

    @property
    def types(self) -> list[str]:
        """The types of the results."""
        return [result.type for result in self.results]

    @property
    def deltas(self) -> list[str]:
        """The text of each `message.delta`."""
        return [data.chunk.to_text() for data in self._data(MessageDeltaData)]

    @property
    def messages(self) -> list[Message]:
        """The messages in the order in which they began: the whole one where it came, else its pieces."""
        pieces: dict[str, list[str]] = {}
        whole: dict[str, Message] = {}
        for result, data in self._valid:
            name = result.message_id or "main"
            if isinstance(data, MessageDeltaData):
                pieces.setdefault(name, []).append(data.chunk.to_text())
            elif isinstance(data, MessageCompletedData) or (
                isinstance(data, RunCompletedData) and data.message is not None and not whole
            ):
                pieces.setdefault(name, [])
                whole[name] = data.message  # type: ignore[assignment]  # not None, as checked above
        found = [whole.get(name) or Message(content="".join(texts)) for name, texts in pieces.items()]
        return [message for message in found if message.content or message.tool_calls]

    @property
    def text(self) -> str:
        """What a person would read: the text of the messages, a line break between two."""
        return "\n".join(message.to_text() for message in self.messages)

    @property
    def states(self) -> list[StateUpdatedData]:
        """The state updates."""
        return self._data(StateUpdatedData)

    @property
    def actions(self) -> list[ActionRequestedData]:
        """The actions that were asked for."""
        return self._data(ActionRequestedData)

    @property
    def deliveries(self) -> list[DeliveryRequestedData]:
        """The messages for other places."""
        return self._data(DeliveryRequestedData)

    @property
    def failure(self) -> RunFailedData | None:
        """Why the run failed, if it did."""
        return next(iter(self._data(RunFailedData)), None)

    @property
    def finish_reason(self) -> str | None:
        """Why the run completed, if it did."""
        return next((data.finish_reason for data in self._data(RunCompletedData)), None)

    @property
    def usage(self) -> Usage | None:
        """What the results say that they cost, added up; None where none says anything."""
        stated = [result.usage for result, _ in self._valid if result.usage is not None]
        if not stated:
            return None
        sums = {}
        for name in Usage.model_fields:
            numbers = [value for usage in stated if (value := getattr(usage, name)) is not None]
            sums[name] = sum(numbers) if numbers else None
        return Usage(**sums)

    def add(self, raw: Any) -> None:
        """Take one result in."""
        place = f"result {len(self.results) + 1}"
        try:
            result = raw if isinstance(raw, AgentRunResult) else AgentRunResult.model_validate(_plain(raw))
        except (ValidationError, TypeError) as error:
            self.errors.append(f"{place}: {_first(error)}")
            return
        place = f"{place} ({result.type})"
        self.results.append(result)
        if self.terminal is not None:
            self.errors.append(f"{place}: came after the end, {self.terminal.type}")
            return
        if result.type in TERMINAL_TYPES:
            self.terminal = result
        model = RESULT_DATA.get(result.type)
        if model is None:
            self.errors.append(f"{place}: unknown type; known are {', '.join(RESULT_DATA)}")
            return
        try:
            self._valid.append((result, model.model_validate(result.data)))
        except ValidationError as error:
            self.errors.append(f"{place}: {_first(error)}")

    def finish(self) -> None:
        """Nothing more comes."""
        if self.terminal is None:
            self.errors.append("no end: the last result must be completed(), no_reply() or failed()")

    def check(self) -> None:
        """Raise `AssertionError` with everything that the runner did wrong, if it did."""
        if self.errors:
            raise AssertionError(
                "the runner broke the protocol:\n" + "\n".join(f"- {e}" for e in self.errors)
            )

    def _data(self, model: type[DataT]) -> list[DataT]:
        return [data for _, data in self._valid if isinstance(data, model)]


async def collect(
    runner: AgentRunner | type[AgentRunner] | AsyncIterable[Any],
    ctx: AgentRunContext[Any] | None = None,
    *,
    timeout: float = 10.0,
    strict: bool = False,
) -> Collected:
    """Run a runner, or read a generator of results, to its end.

    `strict` raises `AssertionError` unless there is exactly one end, nothing after it, and every payload is
    valid. Raises `TimeoutError` with what came so far; what the runner raises goes through.
    """
    if isinstance(runner, type):
        runner = runner()
    if isinstance(runner, AgentRunner):
        ctx = ctx if ctx is not None else make_context(runner=runner)
        generator: Any = runner.run(ctx)
    else:
        generator = runner
    if inspect.iscoroutine(generator):
        generator.close()
        raise TypeError(f"{type(runner).__name__}.run gave a coroutine; write it with `yield`")
    emitted = ctx.emit if ctx is not None and isinstance(ctx.emit, RecordedEmit) else RecordedEmit()
    given = Collected()
    with anyio.move_on_after(timeout) as scope:
        async with aclosing(_results(generator, emitted)) as results:
            async for result in results:
                given.add(result)
    if scope.cancelled_caught:
        raise TimeoutError(f"no end within {timeout} s; so far {given.types}")
    given.finish()
    if strict:
        given.check()
    return given


async def _results(generator: AsyncIterable[Any], emitted: RecordedEmit) -> AsyncGenerator[Any, None]:
    """What is yielded and what is emitted, in the order in which it was given."""
    try:
        async for result in generator:
            for earlier in emitted.take():
                yield earlier
            yield result
    finally:
        if inspect.isasyncgen(generator):
            await generator.aclose()
    for earlier in emitted.take():
        yield earlier


def _plain(raw: Any) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    raise TypeError(f"a result is an AgentRunResult or an object, got {type(raw).__name__}")


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(error)
