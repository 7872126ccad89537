"""Semantics section 7: per message open, growth and exactly one close, on disk before the first byte."""

import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from langbot_agents.framework.platforms import Content, Outgoing, Surface
from langbot_agents.framework.store import dead_letters
from langbot_agents.schemas.events import DeliveryContext, ReplyTarget
from langbot_agents.sdk import AgentRunContext, completed, delta, failed, hookimpl, message

from .conftest import MakeHouse, Opened, until

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
HINT = "Something went wrong. Please try again later."


async def _stream(ctx: Ctx) -> Results:
    for word in ("one ", "two ", "three"):
        yield delta(word)
        await anyio.sleep(0.02)
    if ctx.input.to_text() == "fail":
        yield failed("no")
    elif ctx.input.to_text() == "replace":
        yield message("ONE TWO THREE")
    elif ctx.input.to_text() == "hang":
        await anyio.sleep_forever()
    yield completed()


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("go", ["one two three"]),
        ("replace", ["ONE TWO THREE"]),
        ("fail", ["one two three", HINT]),
    ],
)
async def test_streamed_message_is_opened_grown_and_closed_once(
    make_house: MakeHouse, text: str, closes: list[str]
) -> None:
    """Per message: open, what is new, exactly one close with the full text, also on error."""
    async with make_house(_stream).open() as opened:
        frames, story = await opened.listen(text)

    main = [frame for frame in frames if frame.message_id == "main"]
    assert main[0].kind == "open"
    assert "".join(frame.text for frame in main if frame.kind == "delta") == "one two three"
    assert [frame.content for frame in frames if frame.kind == "close"] == closes
    assert main[-1].kind == "close"
    assert {item.status for item in story.deliveries} == {"sent"}


@pytest.mark.parametrize("limits", [{}, {"timeout": 0.3}])
async def test_cancel_and_timeout_close_what_was_begun(make_house: MakeHouse, limits: Any) -> None:
    """A message that had begun is closed once with what it has, when its run is cancelled or timed out."""
    async with make_house(_stream, limits=limits).open() as opened:

        async def cancel() -> None:
            sessions = opened.host.parts.sessions._sessions
            await until(lambda: sessions)
            await anyio.sleep(0.2)
            if not limits:
                next(iter(sessions.values())).cancel("enough")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(cancel)
            frames, story = await opened.listen("hang")
        history = await opened.history()

    closes = [frame.content for frame in frames if frame.kind == "close"]
    assert closes == ["one two three"] + ([HINT] if limits else [])
    assert story.runs[0].status == ("timeout" if limits else "cancelled")
    assert [item.content for item in history] == ["hang", "one two three"]


async def test_row_is_on_disk_before_the_first_frame(make_house: MakeHouse, tmp_path: Path) -> None:
    """A delivery is an outbox row, committed before the first byte; its run is effectful from then on."""
    house = make_house(_stream)
    seen: list[Any] = []
    async with house.open() as opened:
        box = opened.host.surfaces.mailboxes["terminal"]
        show = box._tell

        def look(outgoing: Outgoing, frame: Any) -> None:
            with closing(sqlite3.connect(f"file:{opened.host.db.path}?mode=ro", uri=True)) as other:
                row = other.execute(
                    "SELECT status FROM delivery WHERE delivery_id = ?", [outgoing.delivery_id]
                ).fetchone()
                (effectful,) = other.execute(
                    "SELECT effectful FROM run WHERE run_id = ?", [outgoing.run_id]
                ).fetchone()
            seen.append((frame.kind, row[0], bool(effectful)))
            show(outgoing, frame)

        box._tell = look  # type: ignore[method-assign]
        await opened.listen()
        streamed = list(seen)
        seen.clear()
        await opened.say()

    assert streamed[0] == ("open", "sending", True)
    assert streamed[-1] == ("close", "sending", True)
    assert seen == [("close", "sending", True)]


async def test_without_a_listener_there_is_one_close(make_house: MakeHouse) -> None:
    """Where nobody watches nothing is streamed; the reply is on record whole."""
    async with make_house(_stream).open() as opened:
        story = await opened.say()

    (row,) = story.deliveries
    assert (row.status, row.content, row.platform_message_id) == ("sent", "one two three", row.delivery_id)


async def test_streaming_off_gives_one_message(make_house: MakeHouse) -> None:
    """`streaming: off` gives who listens the whole message only."""
    async with make_house(_stream, delivery_policy={"streaming": "off"}).open() as opened:
        frames, _story = await opened.listen()

    assert [frame.kind for frame in frames] == ["close"]


async def letters(opened: Opened) -> list[tuple[str, str]]:
    """Code and reason of each dead letter."""
    found = await opened.host.db.read(dead_letters.page, "default")
    return [(item.code, item.reason) for item in found]


async def test_unknown_surface_fails_with_a_dead_letter(make_house: MakeHouse) -> None:
    """A target on a surface that is not there is `failed` and listed; the other targets get the message."""
    elsewhere = {"surface": "telegram", "target": {"target_type": "person", "target_id": "7"}}

    async with make_house(_stream, delivery_policy={"targets": [elsewhere, "reply"]}).open() as opened:
        frames, story = await opened.listen()
        listed = await letters(opened)

    assert sorted((item.surface, item.status) for item in story.deliveries) == [
        ("telegram", "failed"),
        ("terminal", "sent"),
    ]
    assert listed == [("delivery.failed", "surface 'telegram' is not configured")]
    assert frames[0].kind == "open"
    assert story.runs[0].status == "completed"


async def test_observers_never_deliver(make_house: MakeHouse) -> None:
    """An observer runs beside the answer, is recorded, and shows nothing, not even that it failed."""

    async def _fail(ctx: Ctx) -> Results:
        yield message("listen to me")
        yield failed("no")

    house = make_house(_fail, bindings=[{"runner_id": "echo"}, {"mode": "observe"}])
    async with house.open() as opened:
        story = await opened.say("hi")
        history = await opened.history()

    assert sorted(item.status for item in story.runs) == ["completed", "failed"]
    assert [item.content for item in story.deliveries] == ["hi"]
    assert [item.content for item in history] == ["hi", "hi"]


async def test_no_target_delivers_nothing(make_house: MakeHouse) -> None:
    """A policy without targets delivers nothing; the run and the history have the reply."""
    async with make_house(_stream, delivery_policy={"targets": []}).open() as opened:
        frames, story = await opened.listen()
        history = await opened.history()

    assert frames == []
    assert story.deliveries == ()
    assert story.runs[0].status == "completed"
    assert history[-1].content == "one two three"


class Board:
    """A surface that keeps what it is told, and fails where it is told to."""

    idempotent_send = False

    def __init__(self, fails: str = "", streams: bool = True) -> None:
        self.name = "board"
        self.fails = fails
        self.streams = streams
        self.calls: list[Any] = []

    def _do(self, what: str, *details: Any) -> None:
        self.calls.append((what, *details))
        if self.fails == what:
            raise ConnectionError(f"{what} failed")

    def context(self, target: ReplyTarget | None) -> DeliveryContext:
        """It streams, if it was made so."""
        if self.fails == "context":
            raise ConnectionError("context failed")
        return DeliveryContext(surface=self.name, supports_streaming=self.streams)

    def watched(self, outgoing: Outgoing) -> bool:
        """Always."""
        if self.fails == "watched":
            raise ConnectionError("watched failed")
        return True

    async def open(self, outgoing: Outgoing) -> str | None:
        """Begin."""
        self._do("open")
        return None

    async def grow(self, outgoing: Outgoing, added: str, so_far: Callable[[], str]) -> None:
        """Go on."""
        self._do("grow", added, so_far())

    async def close(self, outgoing: Outgoing, content: Content, *, opened: bool) -> str | None:
        """End."""
        self._do("close", content, opened)
        return "m1"


def on_board(opened: Opened, board: Board) -> None:
    """Put a surface up, as an adapter will."""
    surface: Surface = board
    opened.host.surfaces._surfaces["board"] = surface


BOARD = {"targets": [{"surface": "board", "target": {"target_type": "group", "target_id": "1"}}]}


async def test_surface_gets_what_is_new_and_the_text_so_far(make_house: MakeHouse) -> None:
    """A surface is told each piece, and can ask for the whole text up to there."""
    board = Board()
    async with make_house(_stream, delivery_policy=BOARD).open() as opened:
        on_board(opened, board)
        story = await opened.say()

    assert board.calls[0] == ("open",)
    assert board.calls[1:-1][-1] == ("grow", "three", "one two three")
    assert board.calls[-1] == ("close", "one two three", True)
    assert story.deliveries[0].platform_message_id == "m1"


@pytest.mark.parametrize("fails", ["context", "watched", "open", "grow"])
async def test_surface_that_fails_while_a_message_grows_still_gets_its_close(
    make_house: MakeHouse, fails: str
) -> None:
    """One surface must not stop a run; whatever fails on the way, the close is tried once."""
    board = Board(fails)
    async with make_house(_stream, delivery_policy=BOARD).open() as opened:
        on_board(opened, board)
        story = await opened.say()

    assert story.runs[0].status == "completed"
    assert [call[:2] for call in board.calls if call[0] == "close"] == [("close", "one two three")]
    assert story.deliveries[0].status == "sent"


async def test_surface_that_fails_at_the_close_is_listed(make_house: MakeHouse) -> None:
    """A message that could not be shown is `failed`, with a dead letter that says why."""
    async with make_house(_stream, delivery_policy=BOARD).open() as opened:
        on_board(opened, Board("close"))
        story = await opened.say()
        listed = await letters(opened)

    assert story.deliveries[0].status == "failed"
    assert listed == [("delivery.failed", "ConnectionError: close failed")]


async def test_place_that_cannot_stream_gets_one_message(make_house: MakeHouse) -> None:
    """A surface that cannot stream gets one message, also where another target streams."""
    board = Board(streams=False)
    policy = {"targets": ["reply", *BOARD["targets"]]}
    async with make_house(_stream, delivery_policy=policy).open() as opened:
        on_board(opened, board)
        frames, _story = await opened.listen()

    assert frames[0].kind == "open"
    assert board.calls == [("close", "one two three", False)]


class Blanks:
    """Takes each message's text away."""

    @hookimpl
    def output_prepared(self, run: Any, message: Any) -> Any:
        """Give an empty message."""
        return message.model_copy(update={"content": ""})


async def test_message_that_was_begun_is_closed_even_if_nothing_is_left_of_it(make_house: MakeHouse) -> None:
    """A close comes for each open, also where a hook leaves nothing of the message."""
    async with make_house(_stream, plugins={"blanks": Blanks()}).open() as opened:
        frames, _story = await opened.listen()

    assert [frame.content for frame in frames if frame.kind == "close" and frame.message_id == "main"] == [""]


async def test_fault_of_the_host_closes_what_was_begun_and_tells(make_house: MakeHouse) -> None:
    """Where the host itself fails in a run, the run is `failed`, and what was begun is closed once."""
    async with make_house(_stream).open() as opened:
        original = opened.host.parts.facts.clock
        calls = []

        def clock() -> float:
            calls.append(1)
            if len(calls) > 2:
                raise ZeroDivisionError
            return original()

        object.__setattr__(opened.host.parts.facts, "clock", clock)
        frames, story = await opened.listen()
        object.__setattr__(opened.host.parts.facts, "clock", original)
        after = await opened.say(conversation_id="person_2")

    assert (story.runs[0].status, story.runs[0].code) == ("failed", "host.fault")
    assert [frame.content for frame in frames if frame.kind == "close"] == ["one two ", HINT]
    assert after.runs[0].status == "completed"


async def test_one_place_named_twice_gets_one_message(make_house: MakeHouse) -> None:
    """Nobody gets an answer twice, however often a policy names the place."""
    board = Board()
    async with make_house(_stream, delivery_policy={"targets": BOARD["targets"] * 2}).open() as opened:
        on_board(opened, board)
        story = await opened.say()

    assert len(story.deliveries) == 1
    assert [call[0] for call in board.calls].count("close") == 1
