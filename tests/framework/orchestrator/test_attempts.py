"""Semantics section 6: deadlines, cancels, retries and crashes of runs in a real host."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import anyio
import pytest

from langbot_agents.sdk import AgentRunContext, completed, delta, failed, message, state_updated, tool_started

from ..conftest import MakeHouse, runner_class, until

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]


async def _hang_first(ctx: Ctx) -> Results:
    await anyio.sleep_forever()
    yield completed("never")


async def _hang_later(ctx: Ctx) -> Results:
    yield tool_started("1", "t", {})
    await anyio.sleep_forever()


async def _tick(ctx: Ctx) -> Results:
    while True:
        yield tool_started("1", "t", {})
        await anyio.sleep(0.03)


@pytest.mark.parametrize(
    ("runner", "limits", "code"),
    [
        (_hang_first, {"timeout": 0.2}, "runner.timeout"),
        (_tick, {"timeout": 0.2, "idle_timeout": 0.15}, "runner.timeout"),
        (_hang_first, {"idle_timeout": 0.2}, "runner.idle_timeout"),
        (_hang_later, {"idle_timeout": 0.2}, "runner.idle_timeout"),
    ],
)
async def test_deadline_and_idle_limit(
    make_house: MakeHouse, runner: Any, limits: dict[str, float], code: str
) -> None:
    """A run ends at `timeout`, and where no result comes for `idle_timeout`, the first included."""
    async with make_house(runner, limits=limits).open() as opened:
        started = anyio.current_time()
        story = await opened.say()
        took = anyio.current_time() - started

    assert (story.runs[0].status, story.runs[0].code) == ("timeout", code)
    assert story.deliveries[0].content == "Something went wrong. Please try again later."
    assert took < 1.5


async def test_end_that_came_before_the_deadline_stands(make_house: MakeHouse) -> None:
    """A runner that is slow to close after its end has still ended well."""

    async def _slow_close(ctx: Ctx) -> Results:
        yield completed("done")
        await anyio.sleep_forever()

    async with make_house(_slow_close, limits={"timeout": 0.05}).open() as opened:
        story = await opened.say()

    assert story.runs[0].status == "completed"


async def _swallow(ctx: Ctx) -> Results:
    yield delta("begun")
    while True:
        with suppress(asyncio.CancelledError):
            await anyio.sleep_forever()


@pytest.mark.parametrize(("runner", "abandoned"), [(_hang_first, 0), (_hang_later, 0), (_swallow, 1)])
async def test_cancel_ends_a_run_either_way(make_house: MakeHouse, runner: Any, abandoned: int) -> None:
    """Cancel reaches the runner within 2 s or it is abandoned and counted; the run ends `cancelled`."""
    house = make_house(runner, bindings=[{}, {"event_types": ["group.member_joined"], "runner_id": "echo"}])
    async with house.open() as opened:
        accepted = await opened.accept()
        session = await opened.session(accepted.event_uid)
        await anyio.sleep(0.05)
        with anyio.fail_after(2.5):
            session.cancel("by hand")
            await opened.host.settled()
        story = await opened.story(accepted.event_uid)
        after = await opened.say(event_type="group.member_joined")

    assert (story.runs[0].status, story.runs[0].code) == ("cancelled", "run.cancelled")
    assert opened.host.parts.runtime.abandoned == abandoned
    assert story.deliveries == ()
    assert after.runs[0].status == "completed"


async def test_host_with_a_runner_that_swallows_cancels_still_stops(make_house: MakeHouse) -> None:
    """A stop of the host ends, and leaves the run for the next start, whatever a runner does."""
    settings = {"limits": {"shutdown_grace": 0.1}}
    house = make_house(_swallow, limits={"crash_restarts": 0}, settings=settings)
    with anyio.fail_after(5):
        async with house.open() as opened:
            accepted = await opened.accept()
            await anyio.sleep(0.1)
    async with house.open() as opened:
        story = await opened.story(accepted.event_uid)

    assert story.runs[0].status == "interrupted"


def _list(ctx: Ctx) -> Any:
    return [completed("x")]


async def _coroutine(ctx: Ctx) -> Any:
    return [completed("x")]


async def _exit(ctx: Ctx) -> Results:
    raise SystemExit(1)
    yield


async def _stray_cancel(ctx: Ctx) -> Results:
    yield tool_started("1", "t", {})
    raise asyncio.CancelledError


async def _raise_after_end(ctx: Ctx) -> Results:
    yield completed("fine")
    raise RuntimeError("late")


async def _nothing(ctx: Ctx) -> Results:
    return
    yield


async def _flood(ctx: Ctx) -> Results:
    while True:
        yield delta("x" * 10_000)


async def _flood_after_end(ctx: Ctx) -> Results:
    yield completed("fine")
    while True:
        yield delta("x")


@pytest.mark.parametrize(
    ("runner", "status", "code"),
    [
        (_list, "failed", "runner.exception"),
        (_coroutine, "failed", "runner.exception"),
        (_exit, "failed", "runner.exception"),
        (_stray_cancel, "failed", "runner.exception"),
        (_raise_after_end, "completed", None),
        (_nothing, "failed", "runner.no_output"),
        (_flood, "failed", "runner.output_too_large"),
        (_flood_after_end, "completed", None),
    ],
)
async def test_fault_of_a_runner_ends_that_run_only(
    make_house: MakeHouse, runner: Any, status: str, code: str | None
) -> None:
    """An exception, an exit, a flood or nonsense of a runner ends its run; the host goes on."""
    house = make_house(
        runner,
        bindings=[
            {"filters": ["input.text == 'bad'"], "priority": 1},
            {"runner_id": "echo"},
        ],
    )
    async with house.open() as opened:
        bad = await opened.say("bad")
        good = await opened.say("good")

    assert (bad.runs[0].status, bad.runs[0].code) == (status, code)
    assert good.deliveries[0].content == "good"


async def test_emit_inside_a_task_group(make_house: MakeHouse) -> None:
    """`ctx.emit` gives results from inside a task group, where a runner must not yield."""

    async def _parallel(ctx: Ctx) -> Results:
        async with anyio.create_task_group() as tasks:
            for name in "ab":
                tasks.start_soon(ctx.emit, message(name, message_id=name))
        yield completed()

    async with make_house(_parallel).open() as opened:
        story = await opened.say()

    assert sorted(item.content for item in story.deliveries) == ["a", "b"]


async def test_retry_numbers_attempts_and_sequence_goes_on(make_house: MakeHouse) -> None:
    """A retryable failure without effect is tried again: attempts are numbered, the sequence goes on."""
    seen: list[tuple[str, int, int]] = []

    async def _third(ctx: Ctx) -> Results:
        seen.append((ctx.trigger.kind, ctx.runtime.attempt, len(ctx.messages)))
        yield {**tool_started("1", "t", {}).model_dump(), "usage": {"total_tokens": 10}}
        if len(seen) < 3:
            yield failed("again", retryable=True)
        else:
            yield completed("at last")

    limits = {"retry": {"max_attempts": 5, "backoff": 0.01}}
    async with make_house(_third, limits=limits).open() as opened:
        story = await opened.say()
        results = await opened.results(story.runs[0])

    assert seen == [("event", 1, 0), ("retry", 2, 0), ("retry", 3, 0)]
    assert (story.runs[0].status, story.runs[0].attempt) == ("completed", 3)
    assert [(item.sequence, item.type) for item in results if item.type.startswith("run.")] == [
        (2, "run.failed"),
        (4, "run.failed"),
        (6, "run.completed"),
    ]
    assert story.runs[0].usage is not None
    assert story.runs[0].usage.total_tokens == 30
    assert [item.content for item in story.deliveries] == ["at last"]


@pytest.mark.parametrize(("retryable", "attempts", "expected"), [(False, 3, 1), (True, 1, 1), (True, 2, 2)])
async def test_what_is_not_retried(
    make_house: MakeHouse, retryable: bool, attempts: int, expected: int
) -> None:
    """Only a retryable failure is repeated, and at most `max_attempts` times."""

    async def _fail(ctx: Ctx) -> Results:
        yield failed("no", retryable=retryable)

    limits = {"retry": {"max_attempts": attempts, "backoff": 0.01}}
    async with make_house(_fail, limits=limits).open() as opened:
        story = await opened.say()

    assert (story.runs[0].status, story.runs[0].attempt) == ("failed", expected)
    assert len(story.deliveries) == 1


async def test_effectful_attempt_is_not_repeated(make_house: MakeHouse) -> None:
    """An attempt of which somebody saw something is not repeated."""

    async def _show(ctx: Ctx) -> Results:
        yield delta("seen")
        await anyio.sleep(0.1)
        yield failed("no", retryable=True)

    limits = {"retry": {"max_attempts": 5, "backoff": 0.01}}
    async with make_house(_show, limits=limits).open() as opened:
        frames, story = await opened.listen()

    assert story.runs[0].attempt == 1
    assert story.runs[0].effectful
    assert [(frame.kind, frame.message_id) for frame in frames if frame.kind == "close"] == [
        ("close", "main"),
        ("close", "host.error"),
    ]


async def test_cancel_while_a_retry_is_awaited(make_house: MakeHouse) -> None:
    """A cancel between two attempts ends the run without calling the runner again."""
    calls = []

    async def _fail(ctx: Ctx) -> Results:
        calls.append(1)
        yield failed("no", retryable=True)

    limits = {"retry": {"max_attempts": 5, "backoff": 30}}
    async with make_house(_fail, limits=limits).open() as opened:
        accepted = await opened.accept()
        await until(lambda: calls)
        await anyio.sleep(0.05)
        (await opened.session(accepted.event_uid)).cancel("enough")
        with anyio.fail_after(2):
            await opened.host.settled()
        story = await opened.story(accepted.event_uid)

    assert story.runs[0].status == "cancelled"
    assert calls == [1]


async def test_results_of_a_run_end_once_for_who_iterates_it(make_house: MakeHouse) -> None:
    """Who iterates a run gets exactly one terminal result, the last, however many attempts there were."""
    calls = []

    async def _second(ctx: Ctx) -> Results:
        calls.append(1)
        yield delta("a")
        yield failed("no", retryable=True) if len(calls) == 1 else completed()

    house = make_house(
        _second, limits={"retry": {"max_attempts": 2, "backoff": 0.01}}, delivery_policy={"targets": []}
    )
    async with house.open() as opened:
        await opened.say()
        calls.clear()
        stored = await opened.story((await opened.accept(conversation_id="person_2")).event_uid)
        await opened.host.settled()
        calls.clear()
        entry = opened.host.bindings.get("b0")
        assert entry is not None
        handle = opened.host.orchestrator.run(stored.stored.envelope, entry)
        types = [result.type async for result in handle]
        outcome = await handle.wait()

    assert types == ["message.delta", "message.delta", "run.completed"]
    assert outcome.status == "completed"


async def test_on_failure_next_tries_the_next_candidate(make_house: MakeHouse) -> None:
    """`on_failure: next` hands a failure without effect to the next candidate, and tells nobody of it."""

    async def _fail(ctx: Ctx) -> Results:
        yield message("half an answer")
        yield failed("no")

    house = make_house(
        _fail,
        bindings=[
            {"priority": 2, "on_failure": "next"},
            {"priority": 1, "on_failure": "next"},
            {"runner_id": "echo"},
        ],
    )
    async with house.open() as opened:
        story = await opened.say("hi")
        history = await opened.history()

    assert [item.status for item in story.runs] == ["failed", "failed", "completed"]
    assert [item.outcome for item in story.dispatches] == ["started"] * 3
    assert [item.content for item in story.deliveries] == ["hi"]
    assert [item.role for item in history] == ["user", "assistant"]


async def test_on_failure_next_stops_where_somebody_saw_something(make_house: MakeHouse) -> None:
    """After an effect the next candidate is not tried, and the user is told."""

    async def _show(ctx: Ctx) -> Results:
        yield delta("seen")
        await anyio.sleep(0.1)
        yield failed("no")

    house = make_house(_show, bindings=[{"priority": 1, "on_failure": "next"}, {"runner_id": "echo"}])
    async with house.open() as opened:
        _frames, story = await opened.listen()

    assert [item.status for item in story.runs] == ["failed"]
    assert [item.message_id for item in story.deliveries] == ["main", "host.error"]


async def test_on_failure_next_to_discard_is_recorded(make_house: MakeHouse) -> None:
    """A fallback to `discard` is `discarded`, like any other."""

    async def _fail(ctx: Ctx) -> Results:
        yield failed("no")

    house = make_house(_fail, bindings=[{"priority": 1, "on_failure": "next"}, {"runner_id": "discard"}])
    async with house.open() as opened:
        story = await opened.say()

    assert [item.outcome for item in story.dispatches] == ["started", "discarded"]
    assert story.deliveries == ()


async def test_two_bindings_that_fall_to_each_other_do_not_lock(make_house: MakeHouse) -> None:
    """A fallback takes the place of its own binding, and none waits while it holds another's."""

    async def _fail(ctx: Ctx) -> Results:
        await anyio.sleep(0.02)
        yield failed("no")

    first = {"on_failure": "next", "flow": {"concurrency": 1}}
    house = make_house(
        _fail,
        bindings=[
            {**first, "priority": 2, "filters": ["input.text == 'a'"]},
            {**first, "priority": 1},
            {**first, "filters": ["input.text == 'b'"], "priority": 0},
        ],
    )
    async with house.open() as opened:
        uids = [
            (await opened.accept(text, conversation_id=f"person_{number}")).event_uid
            for number in range(6)
            for text in "ab"
        ]
        with anyio.fail_after(10):
            await opened.host.settled()
        stories = [await opened.story(uid) for uid in uids]

    assert {run.status for story in stories for run in story.runs} == {"failed"}
    assert {len(story.runs) for story in stories} == {2}


async def test_invalid_config_fails_the_run_with_its_place(make_house: MakeHouse) -> None:
    """A prompt that is no prompt fails its run with the place; it is no fault of the host."""

    async def _talk(ctx: Ctx) -> Results:
        yield completed(ctx.prompt[0].to_text())

    schema = {"type": "object", "properties": {"prompt": {"x-selector": "prompt-editor"}}}
    runner = runner_class("talk", _talk, config_schema=schema)
    good = {"runner_config": {"prompt": [{"role": "system", "content": "be brief"}]}}
    bad = {"runner_config": {"prompt": [{"role": "chief", "content": "x"}]}}
    house = make_house(
        runners=[runner], bindings=[{**good, "filters": ["input.text == 'good'"], "priority": 1}, bad]
    )
    async with house.open() as opened:
        story = await opened.say("good")
        broken = await opened.say("bad")

    assert story.deliveries[0].content == "be brief"
    assert broken.runs[0].code == "runner.invalid_config"
    assert str(broken.runs[0].reason).startswith("runner_config.prompt.role: ")


async def test_at_most_three_commits_are_awaited_and_four_when_streamed(
    make_house: MakeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run in sequence costs at most three awaited commits, a streamed one four."""

    async def _stream(ctx: Ctx) -> Results:
        for number in range(5):
            yield delta(f"{number} ")
            await anyio.sleep(0.01)
        yield completed()

    counts = []
    async with make_house(_stream).open() as opened:
        submit, append = opened.host.db.writer.submit, opened.host.db.writer.append
        awaited: list[str] = []

        async def counted_submit(unit: Any, *args: Any, **kwargs: Any) -> Any:
            awaited.append(str(unit))
            return await submit(unit, *args, **kwargs)

        async def counted_append(batch: Any, row: Any) -> Any:
            awaited.append("append")
            return await append(batch, row)

        monkeypatch.setattr(opened.host.db.writer, "submit", counted_submit)
        monkeypatch.setattr(opened.host.db.writer, "append", counted_append)
        for streamed in (False, True):
            awaited.clear()
            if streamed:
                await opened.listen()
            else:
                await opened.say()
            counts.append(len(awaited) - 1)  # but the flush of `settled`

    assert counts == [3, 4]


async def test_state_of_a_failed_run_is_not_kept_but_external_keys_are(make_house: MakeHouse) -> None:
    """`state.updated` commits with the run; a key under `external.` at once, and survives a failure."""
    seen: list[dict[str, Any]] = []

    async def _remember(ctx: Ctx) -> Results:
        values = ctx.state.scopes.get("conversation", {})
        seen.append({key: item.value for key, item in values.items()})
        yield state_updated("conversation", "mood", len(seen))
        yield state_updated("conversation", "external.conversation_id", f"c{len(seen)}")
        if ctx.input.to_text() == "fail":
            yield failed("no")
        elif ctx.input.to_text() == "forget":
            yield state_updated("conversation", "mood", None)
        yield completed("ok")

    async with make_house(_remember).open() as opened:
        for text in ("fail", "keep", "forget", "look"):
            await opened.say(text)

    assert seen == [
        {},
        {"external.conversation_id": "c1"},
        {"mood": 2, "external.conversation_id": "c2"},
        {"external.conversation_id": "c3"},
    ]
