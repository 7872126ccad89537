"""The event log."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.errors import NotFoundError, StoreError
from langbot_agents.framework.identity import conversation_key
from langbot_agents.framework.store import Cursor, Database, decisions, events
from langbot_agents.framework.store.events import Appended
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision

MakeEvent = Callable[..., AgentEventEnvelope]
MakeDecision = Callable[..., Decision]

TEXT = st.text(st.characters(codec="utf-8"))
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


async def test_an_event_is_numbered_in_order_of_arrival(db: Database, make_event: MakeEvent) -> None:
    """Events are numbered in the order of their arrival."""
    got = [await events.append(db.writer, make_event(str(number))) for number in range(3)]

    assert [appended.seq for appended in got] == [1, 2, 3]


async def test_a_repeat_is_answered_with_the_first(db: Database, make_event: MakeEvent) -> None:
    """A repeat is answered with the first one's `event_uid`, and is not stored."""
    first = await events.append(db.writer, make_event("a"))
    again = await events.append(db.writer, make_event("a", metadata={"other": 1}))

    assert again == Appended(event_uid=first.event_uid, seq=first.seq, duplicate=True)
    assert len(await db.read(events.page, "default")) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"workspace_id": "other"},
        {"source": {"kind": "webui", "name": "telegram"}},
        {"source": {"kind": "platform_adapter", "name": "other"}},
        {"bot_id": "bot-2"},
        {"bot_id": None},
        {"event_id": "b"},
    ],
)
async def test_what_makes_an_event_another_one(
    db: Database, make_event: MakeEvent, other: dict[str, Any]
) -> None:
    """(workspace, source kind, source name, bot or '', event id) is what is unique."""
    await events.append(db.writer, make_event("a"))
    fields = {"event_id": "a"} | other

    assert not (await events.append(db.writer, make_event(**fields))).duplicate
    assert (await events.append(db.writer, make_event(**fields))).duplicate


async def test_no_bot_is_one_bot(db: Database, make_event: MakeEvent) -> None:
    """Two events without a bot are of the same one."""
    await events.append(db.writer, make_event("a", bot_id=None))

    assert (await events.append(db.writer, make_event("a", bot_id=None))).duplicate


async def test_without_an_id_nothing_is_deduplicated(db: Database, make_event: MakeEvent) -> None:
    """An event without `event_id` is never taken for another."""
    got = [await events.append(db.writer, make_event(None)) for _ in range(3)]

    assert [appended.duplicate for appended in got] == [False] * 3


async def test_a_host_id_that_is_taken_is_refused(db: Database, make_event: MakeEvent) -> None:
    """An `event_uid` is given once: a second event under it is an error, not a repeat."""
    event = make_event("a")
    await events.append(db.writer, event)
    with pytest.raises(StoreError, match="UNIQUE"):
        await events.append(db.writer, make_event("b", event_uid=event.event_uid))


async def test_a_storm_of_repeats(db: Database, make_event: MakeEvent) -> None:
    """However many producers send the same events at once, each is stored once and all get its answer."""
    answers: dict[str, set[tuple[str, int]]] = {}
    firsts: list[str] = []

    async def produce() -> None:
        for number in range(50):
            appended = await events.append(db.writer, make_event(f"m{number}"))
            answers.setdefault(f"m{number}", set()).add((appended.event_uid, appended.seq))
            if not appended.duplicate:
                firsts.append(f"m{number}")

    async with anyio.create_task_group() as tasks:
        for _ in range(64):
            tasks.start_soon(produce)
    stored = await db.read(events.page, "default", limit=1000)

    assert sorted(firsts) == sorted(answers)
    assert {len(given) for given in answers.values()} == {1}
    assert {(event.envelope.event_uid, event.seq) for event in stored} == {
        pair for given in answers.values() for pair in given
    }


async def test_numbers_told_are_numbers_stored(db: Database, make_event: MakeEvent) -> None:
    """With new events and repeats in one commit, each is told its own number."""
    told: dict[str, int] = {}

    async def append(event_id: str) -> None:
        appended = await events.append(db.writer, make_event(event_id))
        told[appended.event_uid] = appended.seq

    async with anyio.create_task_group() as tasks:
        for number in range(300):
            tasks.start_soon(append, f"m{number % 200 if number % 3 else number}")
    stored = await db.read(events.page, "default", limit=1000)

    assert {event.envelope.event_uid: event.seq for event in stored} == told


@given(metadata=st.dictionaries(TEXT, JSON, max_size=4), data=JSON)
def test_an_envelope_comes_back_as_it_was(metadata: dict[str, Any], data: Any) -> None:
    """The envelope is stored as it was received, nulls and unknown keys included."""
    metadata = {key: value for key, value in metadata.items() if key != "chat_type"}
    parts = [{"type": "json", "value": data}, {"type": "text", "text": "x"}]
    event = events.stamped(
        AgentEventEnvelope.model_validate(
            {
                "event_type": "a.b",
                "source": {"kind": "webui", "name": "w"},
                "delivery": {"surface": "w"},
                "metadata": metadata,
                "input": {"data": data, "contents": parts},
                "x_unknown": data,
            }
        )
    )
    row = events._row(event, "event")

    assert AgentEventEnvelope.model_validate_json(row[-1]) == event


async def test_an_event_is_found_by_uid_and_by_id(db: Database, make_event: MakeEvent) -> None:
    """An event is found by its uid, and by the source's id, which may name several."""
    event, other = make_event("a"), make_event("a", bot_id="bot-2")
    uid = (await events.append(db.writer, event)).event_uid
    await events.append(db.writer, other)
    got = await db.read(events.get, "default", uid)

    assert got is not None
    assert (got.envelope, got.outcome) == (event, None)
    assert [e.envelope for e in await db.read(events.find, "default", "a")] == [event, other]
    assert await db.read(events.get, "other", uid) is None
    assert await db.read(events.find, "other", "a") == []


async def test_pages(db: Database, make_event: MakeEvent, make_decision: MakeDecision) -> None:
    """Pages go newest first, or oldest first behind a place, by type, outcome and conversation."""
    made = []
    for number in range(9):
        event = make_event(
            str(number),
            event_type="a.b" if number % 2 else "c.d",
            conversation_id=None if number == 8 else f"c{number % 3}",
        )
        await events.append(db.writer, event)
        if number < 6:
            winner = "helper" if number % 3 else None
            await db.writer.submit(decisions.insert, make_decision(event.event_uid, winner=winner))
        made.append(event)

    async def page(**conditions: Any) -> list[int]:
        return [event.seq - 1 for event in await db.read(events.page, "default", **conditions)]

    assert await page() == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert await page(limit=2) == [8, 7]
    assert await page(limit=2, before=8) == [6, 5]
    assert await page(limit=2, after=3) == [3, 4]
    assert await page(event_type="a.b") == [7, 5, 3, 1]
    assert await page(outcome="unmatched") == [3, 0]
    assert await page(outcome="matched", after=2) == [2, 4, 5]
    assert await page(outcome="matched", event_type="c.d") == [4, 2]
    assert await page(conversation_key=conversation_key(made[1])) == [7, 4, 1]
    assert await db.read(events.page, "other") == []
    first = (await db.read(events.page, "default", after=0, limit=1))[0]
    assert first.outcome == "unmatched"


async def test_a_decision_is_made_once(
    db: Database, make_event: MakeEvent, make_decision: MakeDecision
) -> None:
    """Each event has one decision: a second is refused, the first stays."""
    uid = (await events.append(db.writer, make_event("a"))).event_uid
    first = make_decision(uid, winner="helper", counts={"selected": 1})
    await db.writer.submit(decisions.insert, first)
    with pytest.raises(StoreError, match="UNIQUE"):
        await db.writer.submit(decisions.insert, make_decision(uid))

    assert await db.read(decisions.get, "default", uid) == first
    assert await db.read(decisions.get, "other", uid) is None


async def test_a_decision_needs_its_event(db: Database, make_decision: MakeDecision) -> None:
    """There is no decision of an event that is not in the log, and none without an id."""
    with pytest.raises(NotFoundError, match="'evt_none'"):
        await db.writer.submit(decisions.insert, make_decision("evt_none"))
    with pytest.raises(ValueError, match="decision_id"):
        await db.writer.submit(decisions.insert, make_decision("evt_none", decision_id=""))


async def test_what_has_no_decision_is_listed(
    db: Database, make_event: MakeEvent, make_decision: MakeDecision
) -> None:
    """After a crash, events without a decision are listed in the order of arrival, of every workspace."""
    made = [make_event(str(n), workspace_id="other" if n % 2 else "default") for n in range(10)]
    for event in made:
        await events.append(db.writer, event)
    for event in made[:3] + made[5:6]:
        decision = make_decision(event.event_uid, workspace_id=event.workspace_id)
        await db.writer.submit(decisions.insert, decision)

    async def undecided(**place: int) -> list[int]:
        return [event.seq - 1 for event in await db.read(events.undecided, **place)]

    assert await undecided() == [3, 4, 6, 7, 8, 9]
    assert await undecided(after_seq=5, limit=2) == [6, 7]


async def test_an_event_and_its_decision_are_one_unit(
    db: Database, make_event: MakeEvent, make_decision: MakeDecision
) -> None:
    """What a unit writes is stored together or not at all."""
    event = make_event("a")

    def unit(cursor: Cursor, fail: bool) -> Appended:
        appended = events.insert(cursor, event)
        decisions.insert(cursor, make_decision(appended.event_uid))
        if fail:
            raise LookupError
        return appended

    with pytest.raises(LookupError):
        await db.writer.submit(unit, True)
    assert await db.read(events.page, "default") == []
    assert (await db.writer.submit(unit, False)).event_uid == event.event_uid
    assert await db.read(events.undecided) == []
