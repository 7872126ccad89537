"""The outbox, and binding revisions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langbot_agents.framework.ids import new_id
from langbot_agents.framework.store import Database, outbox, revisions
from langbot_agents.schemas.events import ReplyTarget
from langbot_agents.schemas.records import BindingRevision, DeliveryRecord

START = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = ReplyTarget(target_type="group", target_id="g1", thread_id="t", message_id="m0")
KEY = outbox.target_key("telegram", PLACE)


def delivery(**fields: Any) -> DeliveryRecord:
    """A row for one place."""
    values = {
        "delivery_id": new_id("dlv"),
        "run_id": "run_1",
        "event_uid": "evt_1",
        "message_id": "m1",
        "surface": "telegram",
        "target": PLACE,
        "created_at": START,
        "updated_at": START,
    }
    return DeliveryRecord.model_validate(values | fields)


async def test_one_row_for_each_part_and_place(db: Database) -> None:
    """(run, message, target, chunk) has one row; a second insert changes nothing and says so."""
    first = delivery(content={"text": "hi"})
    assert await db.writer.submit(outbox.insert, first)
    assert not await db.writer.submit(outbox.insert, delivery())
    elsewhere = ReplyTarget(target_type="group", target_id="g2", thread_id="t")
    for fields in ({"chunk": 1}, {"message_id": "m2"}, {"target": elsewhere}, {"surface": "x"}):
        assert await db.writer.submit(outbox.insert, delivery(**fields))

    assert await db.read(outbox.find, "default", "run_1", "m1", KEY) == first
    assert await db.read(outbox.get, "default", first.delivery_id) == first
    assert await db.read(outbox.find, "default", "run_1", "m1", KEY, chunk=2) is None
    assert await db.read(outbox.get, "other", first.delivery_id) is None


def test_what_names_a_place() -> None:
    """Surface, kind, id and thread name a place; which message is answered does not."""
    other = PLACE.model_copy(update={"message_id": "m9"})
    split = ReplyTarget(target_type="group", target_id='g1","t')

    assert outbox.target_key("telegram", other) == KEY
    assert outbox.target_key("telegram", split) != KEY


@pytest.mark.parametrize("final", ["sent", "cancelled"])
async def test_what_was_sent_stays_sent(db: Database, final: Any) -> None:
    """A row changes until it is sent or cancelled, and never after."""
    record = delivery(content="a")
    key = ("default", record.delivery_id)
    later = START + timedelta(seconds=1)
    await db.writer.submit(outbox.insert, record)
    for status in ("sending", "failed", "pending", "unknown"):
        assert await db.writer.submit(outbox.update, *key, status, error=status, attempts=1)
    assert await db.writer.submit(
        outbox.update, *key, final, updated_at=later, platform_message_id="p1", content={"text": "ab"}
    )
    assert not await db.writer.submit(outbox.update, *key, "pending", content="c")

    assert await db.read(outbox.get, *key) == record.model_copy(
        update={
            "status": final,
            "attempts": 1,
            "platform_message_id": "p1",
            "content": {"text": "ab"},
            "updated_at": later,
        }
    )


async def test_what_was_not_sent_is_listed(db: Database) -> None:
    """After a crash what is pending or was being sent is listed, of every workspace, oldest first."""
    statuses = ["pending", "sending", "sent", "failed", "unknown", "cancelled", "pending"]
    made = [
        delivery(
            chunk=number,
            status=status,
            created_at=START + timedelta(seconds=number),
            workspace_id="other" if number == 6 else "default",
        )
        for number, status in enumerate(statuses)
    ]
    for record in made:
        await db.writer.submit(outbox.insert, record)

    assert await db.read(outbox.unfinished) == [made[0], made[1], made[6]]
    assert await db.read(outbox.of_run, "default", "run_1") == made[:6]
    assert await db.read(outbox.of_event, "default", "evt_1") == made[:6]
    assert await db.read(outbox.page, "default", status="unknown") == [made[4]]
    assert await db.read(outbox.page, "default", status="unknown", before=made[4].delivery_id) == []


async def test_a_revision_is_stored_once(db: Database) -> None:
    """Revisions are stored by digest; one that is known keeps its first origin and time."""
    made = [
        BindingRevision(
            digest=f"sha256:{number}",
            binding_id="helper",
            document={"binding_id": "helper", "n": number},
            origin=f"a.yaml:{number}",
            created_at=START + timedelta(seconds=number),
        )
        for number in range(3)
    ]
    for record in made:
        assert await db.writer.submit(revisions.insert, record)
    again = made[0].model_copy(update={"origin": "b.yaml:1"})

    assert not await db.writer.submit(revisions.insert, again)
    assert await db.read(revisions.get, "default", "sha256:0") == made[0]
    assert await db.read(revisions.get, "other", "sha256:0") is None
    assert await db.read(revisions.of_binding, "default", "helper") == made[::-1]
    assert await db.writer.submit(revisions.insert, made[0].model_copy(update={"workspace_id": "other"}))
