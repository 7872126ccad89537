"""Dispatches, runs and their results."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from langbot_agents.framework.clock import utc_now
from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.ids import new_id
from langbot_agents.framework.store import (
    Cursor,
    Database,
    dead_letters,
    decisions,
    dispatches,
    events,
    outbox,
    run_results,
    runs,
    state,
    transcript,
)
from langbot_agents.schemas.events import AgentEventEnvelope, ReplyTarget
from langbot_agents.schemas.records import (
    DeadLetter,
    Decision,
    DeliveryRecord,
    DispatchRecord,
    RunRecord,
    RunResultRecord,
    TranscriptEntry,
)
from langbot_agents.schemas.results import Usage

MakeEvent = Callable[..., AgentEventEnvelope]
MakeDispatch = Callable[..., DispatchRecord]
MakeRun = Callable[..., RunRecord]
END = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def result(run_id: str, first: int, last: int, text: str = "x") -> RunResultRecord:
    """A stored range of deltas."""
    return RunResultRecord(
        run_id=run_id,
        first_sequence=first,
        sequence=last,
        type="message.delta",
        message_id="m",
        data={"chunk": {"content": text}},
        timestamp=1.25,
    )


async def test_a_dispatch_ends_once(db: Database, make_dispatch: MakeDispatch) -> None:
    """A dispatch waits until it ends, and one that ended never changes again."""
    record = make_dispatch("evt_1")
    key = ("default", record.dispatch_id)
    await db.writer.submit(dispatches.insert, [record])

    assert await db.read(dispatches.get, *key) == record
    assert await db.writer.submit(dispatches.finish, *key, "started", ended_at=END, run_id="run_1")
    assert not await db.writer.submit(dispatches.finish, *key, "expired", reason="late")
    ended = record.model_copy(update={"outcome": "started", "ended_at": END, "run_id": "run_1"})
    assert await db.read(dispatches.get, *key) == ended
    assert not await db.writer.submit(dispatches.finish, "other", record.dispatch_id, "expired")


async def test_waiting_is_no_end(db: Database) -> None:
    """A dispatch cannot end as waiting, nor a run as running."""
    with pytest.raises(ValueError, match="'waiting'"):
        await db.writer.submit(dispatches.finish, "default", "dsp_1", "waiting")
    with pytest.raises(ValueError, match="'running'"):
        await db.writer.submit(runs.finish, "default", "run_1", "running")


async def test_each_chosen_binding_has_one_dispatch(db: Database, make_dispatch: MakeDispatch) -> None:
    """Each chosen binding of an event gets exactly one dispatch."""
    records = [make_dispatch("evt_1", "a"), make_dispatch("evt_1", "b"), make_dispatch("evt_2", "a")]
    await db.writer.submit(dispatches.insert, records)
    with pytest.raises(StoreError, match="UNIQUE"):
        await db.writer.submit(dispatches.insert, [make_dispatch("evt_2", "b"), make_dispatch("evt_1", "b")])

    assert await db.read(dispatches.of_event, "default", "evt_1") == records[:2]
    assert await db.read(dispatches.of_event, "default", "evt_2") == records[2:]


async def test_what_waits_comes_back_in_order(
    db: Database, make_event: MakeEvent, make_dispatch: MakeDispatch
) -> None:
    """After a restart what waits is there in the order in which the events came."""
    uids = [(await events.append(db.writer, make_event(str(number)))).event_uid for number in range(4)]
    made = {uid: make_dispatch(uid) for uid in reversed(uids)}
    await db.writer.submit(dispatches.insert, list(made.values()))
    await db.writer.submit(dispatches.finish, "default", made[uids[1]].dispatch_id, "merged", into="x")

    waiting = await db.read(dispatches.waiting)
    assert [record.event_uid for record in waiting] == [uids[0], uids[2], uids[3]]


async def test_a_run_ends_once(db: Database, make_run: MakeRun) -> None:
    """A run that ended never changes again: no second end, no attempt, no effect."""
    record = make_run()
    key = ("default", record.run_id)
    await db.writer.submit(runs.create, record)
    usage = Usage.model_validate({"total_tokens": 7, "cached": 1})

    assert await db.read(runs.get, *key) == record
    assert await db.writer.submit(runs.start_attempt, *key, attempt=1, started_at=END)
    assert await db.writer.submit(runs.mark_effectful, *key)
    assert await db.writer.submit(
        runs.finish, *key, "completed", ended_at=END, reason="stop", usage=usage, models=["m1", "m2"]
    )
    ended = await db.read(runs.get, *key)
    assert ended == record.model_copy(
        update={
            "status": "completed",
            "started_at": END,
            "ended_at": END,
            "effectful": True,
            "reason": "stop",
            "usage": usage,
            "models": ("m1", "m2"),
        }
    )
    assert not await db.writer.submit(runs.finish, *key, "failed", code="x")
    assert not await db.writer.submit(runs.start_attempt, *key, attempt=2)
    assert not await db.writer.submit(runs.mark_effectful, *key)
    assert await db.read(runs.get, *key) == ended


async def test_attempts_are_numbered(db: Database, make_run: MakeRun) -> None:
    """A further attempt keeps the time of the first, and counts restarts after a crash."""
    record = make_run()
    key = ("default", record.run_id)
    await db.writer.submit(runs.create, record)
    await db.writer.submit(runs.start_attempt, *key, attempt=1, started_at=END)
    await db.writer.submit(runs.start_attempt, *key, attempt=2, crash_restarts=1)
    await db.writer.submit(runs.start_attempt, *key, attempt=3)
    got = await db.read(runs.get, *key)

    assert got is not None
    assert (got.attempt, got.crash_restarts, got.started_at, got.status) == (3, 1, END, "running")


async def test_what_has_not_ended_is_listed(db: Database, make_run: MakeRun) -> None:
    """After a crash the runs that had not ended are listed, of every workspace, oldest first."""
    made = [make_run(workspace_id="other" if number % 2 else "default") for number in range(5)]
    for record in made:
        await db.writer.submit(runs.create, record)
    await db.writer.submit(runs.start_attempt, "default", made[0].run_id, attempt=1)
    await db.writer.submit(runs.finish, "default", made[2].run_id, "failed", code="x")

    active = [record.run_id for record in await db.read(runs.active)]
    assert active == [made[n].run_id for n in (0, 1, 3, 4)]


async def test_pages_of_runs(db: Database, make_run: MakeRun) -> None:
    """Pages of runs go newest first, by binding and status."""
    made = [make_run(f"evt_{n % 2}", binding_id="a" if n % 3 else "b") for n in range(7)]
    for record in made:
        await db.writer.submit(runs.create, record)
    await db.writer.submit(runs.finish, "default", made[1].run_id, "failed")

    async def page(**conditions: object) -> list[int]:
        found = await db.read(runs.page, "default", **conditions)  # type: ignore[arg-type]
        return [[run.run_id for run in made].index(record.run_id) for record in found]

    assert await page() == [6, 5, 4, 3, 2, 1, 0]
    assert await page(limit=2, before=made[5].run_id) == [4, 3]
    assert await page(binding_id="b") == [6, 3, 0]
    assert await page(status="failed") == [1]
    assert await page(status="queued", binding_id="a") == [5, 4, 2]
    assert await db.read(runs.page, "other") == []
    assert [run.run_id for run in await db.read(runs.of_event, "default", "evt_1")] == [
        made[n].run_id for n in (1, 3, 5)
    ]


async def test_results_are_read_from_a_place_on(db: Database) -> None:
    """A resume inside a range sends the range again; one behind it does not."""
    stored = [result("run_1", 1, 3), result("run_1", 4, 9), result("run_1", 10, 10)]
    await db.writer.submit(run_results.append, "default", [*stored, result("run_2", 1, 1)])

    assert await db.read(run_results.after, "default", "run_1") == stored
    assert await db.read(run_results.after, "default", "run_1", after_sequence=3) == stored[1:]
    assert await db.read(run_results.after, "default", "run_1", after_sequence=5) == stored[1:]
    assert await db.read(run_results.after, "default", "run_1", after_sequence=9, limit=1) == stored[2:]
    assert await db.read(run_results.after, "default", "run_1", after_sequence=10) == []
    assert await db.read(run_results.last_sequence, "default", "run_1") == 10
    assert await db.read(run_results.last_sequence, "other", "run_1") == 0


async def test_the_end_of_a_run_is_one_commit(
    db: Database, make_event: MakeEvent, make_dispatch: MakeDispatch, make_run: MakeRun
) -> None:
    """Decision and dispatch, and all that a run's end writes, go into one commit or not at all."""
    event = make_event("a")
    uid = (await events.append(db.writer, event)).event_uid
    decision = Decision(
        decision_id="dec_1", event_uid=uid, clock=1, set_digest="s", function_set="1", winner="helper"
    )
    dispatch, run = make_dispatch(uid), make_run(uid)
    drawer = state.StateKey(
        workspace_id="default", namespace="n", runner_id="r", scope="conversation", scope_id="c"
    )
    row = DeliveryRecord(
        delivery_id=new_id("dlv"),
        run_id=run.run_id,
        event_uid=uid,
        message_id="m",
        surface="telegram",
        target=ReplyTarget(target_type="person", target_id="7"),
        created_at=END,
        updated_at=END,
    )
    entry = TranscriptEntry(
        conversation_key="c", role="assistant", content="hi", event_uid=uid, created_at=END
    )

    def chosen(cursor: Cursor) -> None:
        decisions.insert(cursor, decision)
        dispatches.insert(cursor, [dispatch])
        dispatches.finish(cursor, "default", dispatch.dispatch_id, "started", run_id=run.run_id)
        runs.create(cursor, run)

    def ended(cursor: Cursor, fail: bool) -> bool:
        run_results.append(cursor, "default", [result(run.run_id, 1, 1)])
        transcript.append(cursor, [entry])
        state.put(cursor, drawer, "k", 1)
        outbox.insert(cursor, row)
        done = runs.finish(cursor, "default", run.run_id, "completed")
        if fail:
            raise LookupError
        return done

    await db.writer.submit(chosen)
    before = db.writer.commits
    with pytest.raises(LookupError):
        await db.writer.submit(ended, True)

    def written(cursor: Cursor) -> tuple[int, int, int, int]:
        return (
            len(run_results.after(cursor, "default", run.run_id)),
            len(transcript.page(cursor, "default", "c").entries),
            len(state.snapshot(cursor, [drawer])["conversation"]),
            len(outbox.unfinished(cursor)),
        )

    assert await db.read(written) == (0, 0, 0, 0)
    assert await db.writer.submit(ended, False)
    assert await db.read(written) == (1, 1, 1, 1)
    assert db.writer.commits == before + 2


async def test_dead_letters_are_listed_until_dealt_with(db: Database) -> None:
    """A dead letter is listed, newest first, until somebody deals with it."""
    made = [
        DeadLetter(
            dead_letter_id=new_id("dlt"),
            kind="run",
            event_uid="evt_1",
            code="runner.crashed",
            reason="gone",
            data={"n": number},
            created_at=utc_now(),
        )
        for number in range(3)
    ]
    for record in made:
        await db.writer.submit(dead_letters.insert, record)

    assert await db.read(dead_letters.get, "default", made[0].dead_letter_id) == made[0]
    assert await db.read(dead_letters.page, "default") == made[::-1]
    assert await db.read(dead_letters.page, "default", before=made[2].dead_letter_id, limit=1) == [made[1]]
    assert await db.writer.submit(dead_letters.delete, "default", made[1].dead_letter_id)
    assert not await db.writer.submit(dead_letters.delete, "default", made[1].dead_letter_id)
    assert not await db.writer.submit(dead_letters.delete, "other", made[0].dead_letter_id)
    assert await db.read(dead_letters.page, "default") == [made[2], made[0]]
