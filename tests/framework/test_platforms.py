"""The mailbox, and the way from one writer to one reader that never makes the writer wait."""

import time
from collections.abc import Sequence

import anyio
import pytest

from langbot_agents.framework.platforms import Frame, Mailbox, Outgoing, Surfaces
from langbot_agents.framework.streams import JOIN_ABOVE, JOIN_AT_ONCE, Subscription
from langbot_agents.schemas.content import TextPart
from langbot_agents.schemas.events import ReplyTarget

pytestmark = pytest.mark.anyio
OUTGOING = Outgoing(
    delivery_id="dlv_1",
    event_uid="evt_1",
    run_id="run_1",
    message_id="main",
    target=ReplyTarget(target_type="session", target_id="evt_1"),
)


def texts() -> Subscription[str]:
    """A way for texts, of which those in lower case may be joined."""

    def joins(last: str, new: str) -> bool:
        return last[0].islower() and new[0].islower()

    def join(items: Sequence[str]) -> str:
        return "".join(items)

    return Subscription(joins, join)


async def read(way: Subscription[str]) -> list[str]:
    """All that comes."""
    with anyio.fail_after(5):
        return [item async for item in way]


async def test_reader_that_keeps_up_gets_each_item() -> None:
    """A reader that keeps up gets each item as it was put."""
    way = texts()
    for item in "abc":
        way.put(item)
    way.close()

    assert await read(way) == ["a", "b", "c"]


@pytest.mark.parametrize("count", [1000, 5000])
async def test_slow_reader_loses_nothing(count: int) -> None:
    """A reader that falls behind gets neighbours joined, in order, and loses nothing."""
    way = texts()
    for number in range(count):
        way.put("x" if number % 7 else f"Y{number}")
    way.close()
    items = await read(way)

    assert "".join(items) == "".join("x" if number % 7 else f"Y{number}" for number in range(count))
    assert len(items) < count


async def test_a_long_text_for_a_reader_who_does_not_read_is_cheap() -> None:
    """What waits is not copied for each piece: a reader that is gone cannot hold the host up."""
    way = texts()
    piece = "x" * 160
    started = time.perf_counter()
    for _ in range(100_000):
        way.put(piece)
    took = time.perf_counter() - started
    assert max(map(len, way._groups)) < JOIN_AT_ONCE
    way.close()

    assert sum(map(len, await read(way))) == 16_000_000
    assert took < 2


async def test_wait_that_is_cancelled_loses_nothing() -> None:
    """A reader may give up a wait, as for a heartbeat, and go on."""
    way = texts()
    for _ in range(3):
        with anyio.move_on_after(0.01):
            await way.get()
    way.put("a")
    way.close()

    assert await way.get() == "a"
    with pytest.raises(anyio.EndOfStream):
        await way.get()


async def test_nothing_comes_after_the_end() -> None:
    """What is put after the close, or when the reader is gone, is not kept."""
    way, gone = texts(), texts()
    way.close()
    way.put("late")
    gone.put("a")
    gone.discard()

    assert await read(way) == []
    assert await read(gone) == []


async def test_mailbox_shows_a_message_to_all_who_listen() -> None:
    """Each listener of an event gets its frames, and the end; others get nothing."""
    box = Mailbox("http_api")
    with box.listen("evt_1") as first, box.listen("evt_1") as second, box.listen("evt_2") as other:
        assert box.watched(OUTGOING)
        await box.open(OUTGOING)
        await box.grow(OUTGOING, "ab", lambda: "ab")
        await box.close(OUTGOING, "abc", opened=True)
        box.end("evt_1")
        box.end("evt_2")
        frames = [[frame.as_dict() async for frame in way] for way in (first, second, other)]

    assert not box.watched(OUTGOING)
    assert frames[0] == frames[1]
    assert [frame.get("text") for frame in frames[0]] == [None, "ab", "abc"]
    assert frames[2] == []


async def test_deltas_that_wait_are_joined_message_by_message() -> None:
    """Deltas of one message are joined for a slow reader, those of two never."""
    box = Mailbox("http_api")
    with box.listen("evt_1") as way:
        for number in range(JOIN_ABOVE * 3):
            name = "a" if number < JOIN_ABOVE * 2 else "b"
            message = Outgoing(
                delivery_id="d", event_uid="evt_1", run_id="r", message_id=name, target=OUTGOING.target
            )
            await box.grow(message, f"{number},", lambda: "")
        box.end("evt_1")
        frames = [frame async for frame in way]

    joined = {
        name: "".join(frame.text for frame in frames if frame.message_id == name) for name in ("a", "b")
    }
    assert joined["a"] == "".join(f"{number}," for number in range(JOIN_ABOVE * 2))
    assert joined["b"] == "".join(f"{number}," for number in range(JOIN_ABOVE * 2, JOIN_ABOVE * 3))
    assert len(frames) < JOIN_ABOVE + 3


def test_frame_of_parts_has_their_text_and_the_parts() -> None:
    """A close of parts says the text and each part."""
    frame = Frame(kind="close", message_id="m", run_id="r", content=(TextPart(text="hi"),))

    assert frame.as_dict() == {
        "run_id": "r",
        "message_id": "m",
        "text": "hi",
        "contents": [{"type": "text", "text": "hi"}],
    }


def test_surfaces_by_name() -> None:
    """The host has its mailboxes, and says so where a name is unknown."""
    surfaces = Surfaces()

    assert surfaces.names() == ("http_api", "langbot", "terminal")
    assert surfaces.get("telegram") is None
