"""Conversations and their history."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.framework.store import Cursor, Database, conversations, transcript
from langbot_agents.framework.store.statements import Cursor as RealCursor
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import TranscriptEntry

MakeEvent = Callable[..., AgentEventEnvelope]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROLES = {"u": "user", "a": "assistant", "t": "tool"}


def entries(roles: str, key: str = "c") -> list[TranscriptEntry]:
    """Entries by the first letters of their roles."""
    return [
        TranscriptEntry.model_validate(
            {
                "conversation_key": key,
                "role": ROLES[role],
                "content": [{"type": "text", "text": str(number)}],
                "event_uid": f"evt_{number}",
                "created_at": NOW,
            }
        )
        for number, role in enumerate(roles)
    ]


def letters(window: transcript.Window) -> str:
    """The roles of a window's entries."""
    return "".join(entry.role[0] for entry in window.entries)


def model(roles: str, rounds: int) -> tuple[str, bool]:
    """What a window of a history is, said slowly."""
    starts = [place for place, role in enumerate(roles) if role == "u"][-rounds:] if rounds else []
    start = starts[0] if starts else len(roles)
    return roles[start:], start > 0


@settings(max_examples=60, deadline=None)
@given(roles=st.text("uat", max_size=25), rounds=st.integers(0, 6), noise=st.text("ua", max_size=5))
def test_a_window_is_of_whole_turns(
    tmp_path_factory: pytest.TempPathFactory, roles: str, rounds: int, noise: str
) -> None:
    """A window is the newest turns, each whole from its user entry on, and knows whether there is more."""

    async def main() -> None:
        root = tmp_path_factory.mktemp("store")
        async with Database.open("sqlite:///x.db", root=root) as db:
            await db.writer.submit(transcript.append, entries(noise, "other"))
            await db.writer.submit(transcript.append, entries(roles))
            await db.writer.submit(transcript.append, entries(noise, "other"))
            whole = (await db.read(transcript.page, "default", "c", limit=100)).entries
            assert "".join(entry.role[0] for entry in whole) == roles
            places = [entry.sequence or 0 for entry in whole]
            window = await db.read(transcript.window, "default", "c", rounds=rounds)

            assert (letters(window), window.has_more) == model(roles, rounds)
            assert [entry.sequence for entry in window.entries] == places[len(roles) - len(window.entries) :]
            for place, sequence in enumerate(places):
                older = await db.read(transcript.window, "default", "c", rounds=rounds, before_seq=sequence)
                assert (letters(older), older.has_more) == model(roles[:place], rounds)

    anyio.run(main)


async def test_entries_come_back_as_they_were(db: Database) -> None:
    """An entry is stored as it is given, with its place."""
    given = entries("ua")
    await db.writer.submit(transcript.append, given)
    got = (await db.read(transcript.page, "default", "c")).entries

    assert [entry.model_copy(update={"sequence": 0}) for entry in got] == given
    assert [entry.sequence for entry in got] == sorted({entry.sequence for entry in got})


async def test_more_comes_by_cursor(db: Database) -> None:
    """The whole history is read page by page, each entry once."""
    await db.writer.submit(transcript.append, entries("uauatuaua"))
    seen, before = "", None
    while True:
        page = await db.read(transcript.page, "default", "c", before_seq=before, limit=2)
        seen = letters(page) + seen
        if not page.has_more:
            break
        before = page.entries[0].sequence

    assert seen == "uauatuaua"


async def test_a_long_turn_is_bounded(db: Database) -> None:
    """A window never has more than `limit` entries; it still begins with a turn where one fits."""
    await db.writer.submit(transcript.append, entries("u" + "t" * 30 + "uaa"))

    assert letters(await db.read(transcript.window, "default", "c", rounds=2, limit=10)) == "uaa"
    assert letters(await db.read(transcript.window, "default", "c", rounds=1, limit=2)) == "aa"


async def test_an_event_speaks_once(db: Database) -> None:
    """Whether an event has spoken is known, so that a repeated attempt does not repeat it."""
    await db.writer.submit(transcript.append, entries("ua"))

    assert await db.read(transcript.has_event, "default", "c", "evt_0", role="user")
    assert not await db.read(transcript.has_event, "default", "c", "evt_1", role="user")
    assert not await db.read(transcript.has_event, "default", "other", "evt_0", role="user")


def steps(db: Database, read: Callable[[Cursor], object]) -> int:
    """How many steps of SQLite's machine a read takes, in tens."""
    connection = sqlite3.connect(db.path)
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    connection.set_progress_handler(step, 10)
    read(RealCursor(connection.cursor()))
    connection.close()
    return count


async def test_the_cost_does_not_grow_with_the_history(db: Database) -> None:
    """A window of a history of thousands costs what one of dozens does."""

    def window(cursor: Cursor) -> transcript.Window:
        return transcript.window(cursor, "default", "c", rounds=10)

    await db.writer.submit(transcript.append, entries("ua" * 30))
    short = steps(db, window)
    await db.writer.submit(transcript.append, entries("ua" * 3000))

    assert steps(db, window) == short


async def test_a_conversation_is_made_by_its_first_event(db: Database, make_event: MakeEvent) -> None:
    """The first event makes a conversation, later ones count turns and keep what they do not know."""
    event = make_event("a", thread_id="t", conversation_type="private")
    later = NOW + timedelta(minutes=1)
    await db.writer.submit(
        conversations.touch, "default", "c", envelope=event, turns=1, title="Hi", now=NOW, expires_at=later
    )
    await db.writer.submit(conversations.touch, "default", "c", envelope=make_event("b"), turns=2, now=later)

    assert await db.read(conversations.get, "default", "c") == conversations.Conversation(
        workspace_id="default",
        conversation_key="c",
        bot_id="bot-1",
        source_name="telegram",
        conversation_id="person_7",
        conversation_type="private",
        thread_id="t",
        title="Hi",
        turn_count=3,
        reset_at=None,
        reset_seq=0,
        created_at=NOW,
        updated_at=later,
        expires_at=None,
    )
    assert await db.read(conversations.get, "other", "c") is None


async def test_a_reset_clears_the_window_only(db: Database, make_event: MakeEvent) -> None:
    """A reset clears the window; the history stays, and what comes after counts."""
    assert not await db.writer.submit(conversations.reset, "default", "c")
    await db.writer.submit(conversations.touch, "default", "c", envelope=make_event("a"), turns=2)
    await db.writer.submit(transcript.append, entries("uaua"))
    assert await db.writer.submit(conversations.reset, "default", "c", now=NOW)
    empty = await db.read(transcript.window, "default", "c", rounds=10)
    await db.writer.submit(transcript.append, entries("ua"))
    window = await db.read(transcript.window, "default", "c", rounds=10)
    conversation = await db.read(conversations.get, "default", "c")

    assert (empty.entries, empty.has_more) == ((), False)
    assert (letters(window), window.has_more) == ("ua", False)
    assert letters(await db.read(transcript.page, "default", "c")) == "uauaua"
    assert conversation is not None
    assert (conversation.reset_at, conversation.reset_seq, conversation.turn_count) == (NOW, 4, 0)
