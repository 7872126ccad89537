"""Semantics section 5: order in a conversation, side by side across them, one outcome for each binding."""

import gc
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest

from langbot_agents.framework.clock import rfc3339
from langbot_agents.sdk import AgentRunContext, completed, failed

from .conftest import House, MakeHouse, Opened, until

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]


class Stage:
    """A runner that notes when it begins and ends, and ends each run when it is told to."""

    def __init__(self, pause: float = 0.0) -> None:
        self.pause = pause
        self.log: list[str] = []
        self.active = 0
        self.most = 0
        self.gate = anyio.Event()

    async def run(self, ctx: Ctx) -> Results:
        """Note, wait, note."""
        text = ctx.input.to_text()
        self.log.append(f"+{text}")
        self.active += 1
        self.most = max(self.most, self.active)
        if self.pause:
            await anyio.sleep(self.pause)
        else:
            await self.gate.wait()
        self.active -= 1
        self.log.append(f"-{text}")
        yield completed(text)

    @property
    def begun(self) -> list[str]:
        """What began, in order."""
        return [entry[1:] for entry in self.log if entry.startswith("+")]


def staged(make_house: MakeHouse, stage: Stage, **fields: Any) -> House:
    """A house with one binding that runs the stage."""

    async def _stage(ctx: Ctx) -> Results:
        async for result in stage.run(ctx):
            yield result

    return make_house(_stage, **fields)


async def outcomes(opened: Opened, uids: list[str]) -> list[str]:
    """The outcomes of events, one binding each."""
    return [(await opened.story(uid)).dispatches[0].outcome for uid in uids]


def assert_nothing_is_kept(opened: Opened) -> None:
    """No lane, session, listener or timer is left of what has ended."""
    dispatcher = opened.host.dispatcher
    assert dispatcher.pending == 0
    assert dispatcher._lanes == {}
    assert dispatcher._open == {}
    assert dispatcher._expiries == []
    assert dispatcher._stale == 0
    assert len(opened.host.parts.sessions) == 0
    assert opened.host.surfaces.mailboxes["terminal"]._readers == {}


async def test_events_of_one_conversation_run_one_after_the_other(make_house: MakeHouse) -> None:
    """Events of one key start in order, and one at a time."""
    stage = Stage(0.002)
    async with staged(make_house, stage).open() as opened:
        for number in range(20):
            await opened.accept(str(number))
        await opened.host.settled()
        assert_nothing_is_kept(opened)

    assert stage.log == [f"{sign}{number}" for number in range(20) for sign in "+-"]


async def test_events_brought_at_once_run_in_the_order_of_the_log(make_house: MakeHouse) -> None:
    """Events that come at once run in the order in which they are on disk."""
    stage = Stage(0.001)
    accepted: dict[str, str] = {}
    async with staged(make_house, stage).open() as opened:

        async def bring(text: str) -> None:
            accepted[text] = (await opened.accept(text)).event_uid

        async with anyio.create_task_group() as tasks:
            for number in range(30):
                tasks.start_soon(bring, str(number))
        await opened.host.settled()
        seqs = {text: (await opened.story(uid)).stored.seq for text, uid in accepted.items()}

    assert stage.begun == sorted(seqs, key=lambda text: seqs[text])


async def test_other_conversations_run_side_by_side(make_house: MakeHouse) -> None:
    """Other keys run in parallel."""
    stage = Stage()
    async with staged(make_house, stage).open() as opened:
        for number in range(10):
            await opened.accept(str(number), conversation_id=f"person_{number}")
        await until(lambda: stage.active == 10)
        stage.gate.set()


async def test_without_a_conversation_the_actor_orders_and_else_the_event(make_house: MakeHouse) -> None:
    """Without a conversation the actor is the key, and without one the event itself."""
    stage = Stage()
    nobody = {"conversation_id": None, "actor": None}
    async with staged(make_house, stage).open() as opened:
        await opened.accept("a1", conversation_id=None)
        await opened.accept("a2", conversation_id=None)
        await opened.accept("n1", **nobody)
        await opened.accept("n2", **nobody)
        await until(lambda: stage.active == 3)
        await anyio.sleep(0.02)
        assert stage.begun == ["a1", "n1", "n2"]
        stage.gate.set()
        await opened.host.settled()

    assert stage.begun[-1] == "a2"


async def test_observer_waits_for_nobody(make_house: MakeHouse) -> None:
    """An observer's key also has its binding: it runs beside the answer."""
    stage = Stage()
    house = staged(make_house, stage, bindings=[{}, {"mode": "observe"}, {"mode": "observe"}])
    async with house.open() as opened:
        accepted = await opened.accept("a")
        await until(lambda: stage.active == 3)
        stage.gate.set()
        await opened.host.settled()
        story = await opened.story(accepted.event_uid)

    assert [item.outcome for item in story.dispatches] == ["started"] * 3


async def test_overlap_parallel_needs_no_lease(make_house: MakeHouse) -> None:
    """`overlap: parallel` runs events of one conversation side by side."""
    stage = Stage()
    async with staged(make_house, stage, flow={"overlap": "parallel"}).open() as opened:
        for number in range(3):
            await opened.accept(str(number))
        await until(lambda: stage.active == 3)
        stage.gate.set()
        await opened.host.settled()
        assert_nothing_is_kept(opened)


async def test_overlap_drop_drops_while_another_runs(make_house: MakeHouse) -> None:
    """`overlap: drop` ends an event as `overlap_dropped` while another of its key is under way."""
    stage = Stage()
    async with staged(make_house, stage, flow={"overlap": "drop"}).open() as opened:
        uids = [(await opened.accept(str(number))).event_uid for number in range(3)]
        stage.gate.set()
        await opened.host.settled()
        uids.append((await opened.accept("later")).event_uid)
        await opened.host.settled()

        assert await outcomes(opened, uids) == ["started", "overlap_dropped", "overlap_dropped", "started"]


@pytest.mark.parametrize(
    ("overflow", "expected", "begun"),
    [
        ("reject", ["started", "started", "started", "queue_full", "queue_full"], ["0", "1", "2"]),
        ("drop_oldest", ["started", "queue_full", "queue_full", "started", "started"], ["0", "3", "4"]),
    ],
)
async def test_full_queue(
    make_house: MakeHouse, overflow: str, expected: list[str], begun: list[str]
) -> None:
    """At most `max_queue` events wait behind the one that runs; `overflow` says which one goes."""
    stage = Stage()
    async with staged(make_house, stage, flow={"max_queue": 2, "overflow": overflow}).open() as opened:
        uids = [(await opened.accept(str(number))).event_uid for number in range(5)]
        stage.gate.set()
        await opened.host.settled()

        assert await outcomes(opened, uids) == expected
        assert_nothing_is_kept(opened)
    assert stage.begun == begun


async def test_what_waits_too_long_expires_and_gives_its_place_back(make_house: MakeHouse) -> None:
    """`max_wait` ends an event as `expired`; it no longer takes a place in the queue."""
    stage = Stage()
    async with staged(make_house, stage, flow={"max_queue": 1, "max_wait": 0.1}).open() as opened:
        uids = [(await opened.accept(text)).event_uid for text in "ab"]
        await anyio.sleep(0.2)
        uids.append((await opened.accept("c")).event_uid)
        stage.gate.set()
        await opened.host.settled()

        assert await outcomes(opened, uids) == ["started", "expired", "started"]
        assert_nothing_is_kept(opened)
    assert stage.begun == ["a", "c"]


async def test_what_waits_for_a_place_expires_too(make_house: MakeHouse) -> None:
    """An event that waits too long for a place among the host's runs is `expired` like any other."""
    stage = Stage()
    house = staged(make_house, stage, flow={"max_wait": 0.1, "concurrency": 1})
    async with house.open() as opened:
        uids = [(await opened.accept(text, conversation_id=f"person_{text}")).event_uid for text in "ab"]
        await anyio.sleep(0.2)
        stage.gate.set()
        await opened.host.settled()

        assert await outcomes(opened, uids) == ["started", "expired"]
    assert stage.begun == ["a"]


async def test_event_that_had_expired_is_not_answered(make_house: MakeHouse) -> None:
    """An event past its `expires_at` ends as `expired`."""
    past = rfc3339(datetime.now(UTC) - timedelta(seconds=1))
    async with make_house(runners=[], bindings=[{"runner_id": "echo"}]).open() as opened:
        story = await opened.say("a", expires_at=past)

    assert [item.outcome for item in story.dispatches] == ["expired"]
    assert story.runs == ()


async def test_concurrency_of_a_binding_holds_nobody_elses_place(make_house: MakeHouse) -> None:
    """`concurrency` bounds a binding's runs, and what waits for it takes no place of the host."""
    stage = Stage()
    house = staged(
        make_house,
        stage,
        settings={"limits": {"concurrency": 2}},
        bindings=[
            {"flow": {"concurrency": 1}, "filters": ["input.text == 'narrow'"], "priority": 1},
            {"runner_id": "echo"},
        ],
    )
    async with house.open() as opened:
        for number in range(4):
            await opened.accept("narrow", conversation_id=f"person_{number}")
        await until(lambda: stage.active == 1)
        other = await opened.accept("wide", conversation_id="person_9")
        await until(lambda: not opened.host.dispatcher.is_open(other.event_uid))
        stage.gate.set()
        await opened.host.settled()

    assert stage.most == 1


async def test_concurrency_of_the_host(make_house: MakeHouse) -> None:
    """`limits.concurrency` bounds all runs together."""
    stage = Stage(0.01)
    async with staged(make_house, stage, settings={"limits": {"concurrency": 3}}).open() as opened:
        for number in range(12):
            await opened.accept(str(number), conversation_id=f"person_{number}")
        await opened.host.settled()

    assert stage.most == 3


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"cause": {"depth": 9}}, "loop_guard"),
        ({"cause": {"depth": 8}}, "started"),
        ({"bot_id": "b1", "actor": {"actor_type": "bot", "actor_id": "b1"}}, "loop_guard"),
        ({"bot_id": "b1", "actor": {"actor_type": "bot", "actor_id": "b2"}}, "started"),
    ],
)
async def test_loop_guard(make_house: MakeHouse, fields: dict[str, Any], outcome: str) -> None:
    """Our own messages, or a `cause.depth` over 8, never start a run."""
    async with make_house(bindings=[{"runner_id": "echo"}]).open() as opened:
        story = await opened.say("a", **fields)

    assert [item.outcome for item in story.dispatches] == [outcome]
    assert len(story.runs) == (outcome == "started")


async def test_discard_is_a_named_outcome(make_house: MakeHouse) -> None:
    """`runner_id: discard` ends as `discarded`, without a run."""
    async with make_house(bindings=[{"runner_id": "discard"}]).open() as opened:
        story = await opened.say("a")

    assert [item.outcome for item in story.dispatches] == ["discarded"]
    assert story.runs == ()


async def test_unmatched_event_is_recorded_as_such(make_house: MakeHouse) -> None:
    """No implicit default: an unmatched event has a decision that says so, and its readers get the end."""
    async with make_house(bindings=[{"runner_id": "echo"}]).open() as opened:
        frames, story = await opened.listen(None, event_type="bot.muted")

    assert frames == []
    assert story.stored.outcome == "unmatched"
    assert story.dispatches == ()


async def test_many_runs_leave_nothing_behind(make_house: MakeHouse) -> None:
    """2,000 runs, some of which wait, fail, are dropped or expire, leave no task, session, lane or timer."""

    async def _mixed(ctx: Ctx) -> Results:
        yield failed("no") if ctx.input.to_text().endswith("7") else completed("ok")

    house = make_house(
        _mixed,
        bindings=[{"on_failure": "next", "flow": {"max_queue": 10}, "priority": 1}, {"runner_id": "echo"}],
    )
    async with house.open() as opened:
        await opened.say("warm up")
        before = len(anyio.get_running_tasks())
        uids: list[str] = []

        async def bring(worker: int) -> None:
            for number in range(40):
                accepted = await opened.accept(str(number), conversation_id=f"person_{worker}")
                uids.append(accepted.event_uid)

        async with anyio.create_task_group() as tasks:
            for worker in range(50):
                tasks.start_soon(bring, worker)
        await opened.host.settled()
        await anyio.sleep(0.05)

        assert_nothing_is_kept(opened)
        assert len(anyio.get_running_tasks()) == before
        gc.collect()
        stories = [await opened.story(uid) for uid in uids[::20]]

    assert len(uids) == 2000
    ended = {item.outcome for story in stories for item in story.dispatches}
    assert ended <= {"started", "queue_full"}
    assert {run.status for story in stories for run in story.runs} <= {"completed", "failed"}
