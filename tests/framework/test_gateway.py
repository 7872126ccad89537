"""The way in: refused, or on disk before it is acknowledged, once, and decided."""

import time
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from langbot_agents.framework.access import ForbiddenError
from langbot_agents.framework.errors import HostBusyError, InvalidEventError
from langbot_agents.framework.gateway import Caller
from langbot_agents.framework.store import Cursor, decisions, events
from langbot_agents.schemas.records import Decision
from langbot_agents.sdk import AgentRunContext, completed, hookimpl

from .conftest import CALLER, MakeHouse, Opened

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
ECHO = [{"runner_id": "echo"}]
TOKEN = Caller(name="token", surface="http_api")


async def decision_of(opened: Opened, uid: str) -> Decision | None:
    """The stored decision of an event."""
    await opened.host.db.writer.flush()
    return await opened.host.db.read(decisions.get, "default", uid)


async def stored(opened: Opened) -> int:
    """How many events are on disk."""
    return len(await opened.host.db.read(events.page, "default", limit=1000))


async def test_event_is_on_disk_when_it_is_acknowledged(make_house: MakeHouse) -> None:
    """An acknowledged event is on disk, with its uid and time, and gets exactly one decision."""
    async with make_house(bindings=ECHO).open() as opened:
        accepted = await opened.accept("a")
        found = await opened.host.db.read(events.get, "default", accepted.event_uid)
        decision = await decision_of(opened, accepted.event_uid)

    assert found is not None
    assert found.envelope.received_at is not None
    assert accepted.as_dict() == {
        "event_uid": accepted.event_uid,
        "duplicate": False,
        "deduplicated": False,
    }
    assert decision is not None
    assert decision.winner == "b0"


async def test_repeat_is_answered_with_the_first_and_never_runs(make_house: MakeHouse) -> None:
    """A repeat gets the first one's event_uid, has no decision and never runs, also when it comes at once."""
    calls: list[str] = []

    async def _count(ctx: Ctx) -> Results:
        calls.append(ctx.run_id)
        yield completed("ok")

    answers: list[Any] = []
    async with make_house(_count).open() as opened:

        async def bring() -> None:
            answers.append(await opened.accept("a", event_id="m1"))

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(bring)
        await opened.host.settled()
        await bring()
        await opened.host.settled()
        await opened.accept("a", event_id="m1", bot_id="other-bot")
        await opened.host.settled()
        count = await stored(opened)

    assert len({item.event_uid for item in answers}) == 1
    assert [item.duplicate for item in answers].count(False) == 1
    assert all(item.deduplicated for item in answers)
    assert count == 2
    assert len(calls) == 2


async def test_event_without_id_is_not_deduplicated(make_house: MakeHouse) -> None:
    """Without an event_id each is an event of its own, and the answer says so."""
    async with make_house(bindings=ECHO).open() as opened:
        first, second = await opened.accept("a"), await opened.accept("a")

    assert first.event_uid != second.event_uid
    assert not first.deduplicated


async def test_busy_host_refuses_before_anything_is_on_disk(make_house: MakeHouse) -> None:
    """When the host cannot take more it says so, with a time, and nothing was acknowledged."""
    gate = anyio.Event()

    async def _wait(ctx: Ctx) -> Results:
        await gate.wait()
        yield completed("ok")

    async with make_house(_wait, settings={"limits": {"max_pending": 3}}).open() as opened:
        for number in range(3):
            await opened.accept("a", conversation_id=f"person_{number}")
        with pytest.raises(HostBusyError) as caught:
            await opened.accept("b")
        count = await stored(opened)
        gate.set()
        await opened.host.settled()
        story = await opened.say("c")

    assert caught.value.retry_after > 0
    assert count == 3
    assert story.runs[0].status == "completed"


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({}, "event_type"),
        ({"event_type": "Message"}, "event_type"),
        ({"event_type": "message.received", "input": {"text": 5}}, "input.text"),
        ({"event_type": "message.received", "input": {"text": "\ud800"}}, "input"),
        ({"event_type": "message.received", "metadata": {"x": float("nan")}}, "metadata"),
        ({"event_type": "message.received", "workspace_id": 7}, "workspace_id"),
        ({"event_type": "message.received", "source": "me"}, "source"),
    ],
)
async def test_malformed_event_is_refused_with_its_place(
    make_house: MakeHouse, data: dict[str, Any], path: str
) -> None:
    """A malformed event gets one clear error that names the place; nothing is on disk."""
    async with make_house(bindings=ECHO).open() as opened:
        with pytest.raises(InvalidEventError) as caught:
            await opened.host.run_from_event(data, CALLER)
        count = await stored(opened)

    assert caught.value.message.startswith(f"{path}: ") or caught.value.message.startswith(f"{path}.")
    assert count == 0


async def test_unknown_keys(make_house: MakeHouse) -> None:
    """What is posted is refused with a key nobody knows; what an adapter says beyond the envelope is kept."""
    data = {"event_type": "message.received", "input": {"text": "a"}, "gift": 1}
    adapter = Caller(name="chat", kind="platform_adapter", surface="terminal", impersonate=True)
    async with make_house(bindings=ECHO).open() as opened:
        for caller in (CALLER, TOKEN):
            with pytest.raises(InvalidEventError, match="gift: unknown key 'gift'"):
                await opened.host.run_from_event(data, caller)
        accepted = await opened.host.run_from_event(data, adapter)
        found = await opened.host.db.read(events.get, "default", accepted.event_uid)
        count = await stored(opened)

    assert found is not None
    assert found.envelope.model_dump()["gift"] == 1
    assert count == 1


@pytest.mark.parametrize(
    "claim",
    [
        {"workspace_id": "other"},
        {
            "delivery": {
                "surface": "http_api",
                "reply_target": {"target_type": "person", "target_id": "victim"},
            }
        },
        {"source": {"kind": "platform_adapter", "name": "telegram"}},
    ],
)
async def test_caller_states_only_what_it_may(make_house: MakeHouse, claim: dict[str, Any]) -> None:
    """Who may not impersonate states no source, workspace or reply target; uid and time are the host's."""
    data = {"event_type": "message.received", "input": {"text": "a"}}
    async with make_house(bindings=ECHO).open() as opened:
        with pytest.raises(ForbiddenError):
            await opened.host.run_from_event({**data, **claim}, TOKEN)
        accepted = await opened.host.run_from_event(
            {**data, "event_uid": "evt_mine", "received_at": "2020-01-01T00:00:00Z"}, TOKEN
        )
        story = await opened.story(accepted.event_uid)

    envelope = story.stored.envelope
    assert envelope.source.name == "token"
    assert envelope.event_uid != "evt_mine"
    assert envelope.delivery.reply_target is not None
    assert envelope.delivery.reply_target.target_id == envelope.event_uid


async def test_alias_of_an_event_type_becomes_the_type(make_house: MakeHouse) -> None:
    """`message.deleted` is `message.recalled`."""
    async with make_house(bindings=ECHO).open() as opened:
        story = await opened.say(None, event_type="message.deleted")

    assert story.stored.envelope.event_type == "message.recalled"


async def test_caller_that_goes_away_leaves_a_decided_event(make_house: MakeHouse) -> None:
    """What is on disk is decided, also when the caller goes away at any moment."""
    async with make_house(bindings=ECHO).open() as opened:
        for delay in (0.0, 0.0001, 0.0005, 0.001, 0.002):
            for _ in range(5):
                with anyio.move_on_after(delay):
                    await opened.accept("a")
        await opened.host.settled()
        found = await opened.host.db.read(events.page, "default", limit=1000)
        undecided = await opened.host.db.read(events.undecided)

    assert undecided == []
    assert {item.outcome for item in found} <= {"matched"}


class Veto:
    """Stops events that say so."""

    @hookimpl
    def event_received(self, event: Any) -> str | None:
        """Give the reason of a veto."""
        return "not today" if event.input.text == "stop" else None


async def test_hook_may_veto(make_house: MakeHouse) -> None:
    """A text that `event_received` returns is the reason of a veto; each chosen binding ends as `vetoed`."""
    house = make_house(bindings=[*ECHO, {**ECHO[0], "mode": "observe"}], plugins={"veto": Veto()})
    async with house.open() as opened:
        stopped = await opened.say("stop")
        let_through = await opened.say("go")
        decision = await decision_of(opened, stopped.stored.envelope.event_uid or "")

    assert [(item.outcome, item.reason) for item in stopped.dispatches] == [("vetoed", "veto: not today")] * 2
    assert stopped.runs == ()
    assert decision is not None
    assert decision.veto == "veto: not today"
    assert {item.outcome for item in let_through.dispatches} == {"started"}


class Hangs:
    """Never comes back."""

    @hookimpl
    def event_received(self, event: Any) -> None:
        """Hang, though not for ever, so that the test's process can end."""
        time.sleep(2)


class Raises:
    """Raises."""

    @hookimpl
    async def event_received(self, event: Any) -> None:
        """Raise."""
        raise ValueError("no")


async def test_hook_that_hangs_or_raises_is_quarantined_and_events_go_on(make_house: MakeHouse) -> None:
    """A hook that hangs or raises is taken out with its reason; events go on, in order."""
    house = make_house(
        bindings=ECHO,
        plugins={"hangs": Hangs(), "raises": Raises()},
        settings={"plugins": {"hook_deadline": 0.3}},
    )
    async with house.open() as opened:
        started = anyio.current_time()
        stories = [await opened.say(text) for text in "abc"]
        took = anyio.current_time() - started
        states = {info.name: info.state for info in opened.host.project.plugins.infos}
        status, reasons = opened.host.readiness()

    assert [story.deliveries[0].content for story in stories] == ["a", "b", "c"]
    assert took < 2
    assert (states["hangs"], states["raises"]) == ("quarantined", "quarantined")
    assert status == "degraded"
    assert len(reasons) == 2


async def test_host_that_stops_takes_nothing_more(make_house: MakeHouse) -> None:
    """A host that is stopping refuses new events, and ends what it has."""

    async def _slow(ctx: Ctx) -> Results:
        await anyio.sleep(0.2)
        yield completed("ok")

    refused: list[str] = []
    house = make_house(_slow)
    async with house.open() as opened:
        accepted = await opened.accept("a")
        opened.host.gateway.close()
        with pytest.raises(HostBusyError) as caught:
            await opened.accept("b")
        refused.append(caught.value.message)
    async with house.open() as opened:
        story = await opened.story(accepted.event_uid)
        count = await opened.host.db.read(_count)

    assert refused == ["the host is stopping"]
    assert story.runs[0].status == "completed"
    assert count == 1


def _count(cursor: Cursor) -> int:
    return len(events.page(cursor, "default", limit=1000))
