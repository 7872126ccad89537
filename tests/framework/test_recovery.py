"""Nothing is lost and nothing is doubled: a real host is killed with SIGKILL, and opened again."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from langbot_agents.framework.app import EventStory
from langbot_agents.framework.store import dead_letters, events
from langbot_agents.schemas.records import DeadLetter
from langbot_agents.sdk import AgentRunContext, completed, failed

from .conftest import MakeHouse, Opened, until
from .crash_host import MOMENTS
from .crash_host import make_house as crash_house

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
ROOT = Path(__file__).parents[2]
HINT = "Something went wrong. Please try again later."


def killed_host(root: Path, moment: str, *, after: float | None = None) -> list[str]:
    """Run a host until it is killed; gives the event_uids that it acknowledged."""
    lines = []
    with subprocess.Popen(
        [sys.executable, "-m", "tests.framework.crash_host", str(root), moment],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            if after is not None and len(lines) == 1:
                threading.Timer(after, process.send_signal, [signal.SIGKILL]).start()
    assert process.returncode == -signal.SIGKILL
    return lines


async def everything(opened: Opened) -> list[EventStory]:
    """The stories of all events, in the order of the log."""
    found = await opened.host.db.read(events.page, "default", limit=10_000)
    return [await opened.story(item.envelope.event_uid or "") for item in sorted(found, key=lambda x: x.seq)]


def assert_all_ended(stories: list[EventStory]) -> None:
    """Each event has its decision, each chosen binding its outcome, each run its end, each delivery too."""
    for story in stories:
        assert story.stored.outcome == "matched"
        assert [item.outcome for item in story.dispatches] == ["started"]
        assert {run.status for run in story.runs} <= {"completed", "interrupted"}
        assert len(story.runs) == 1
        assert {item.status for item in story.deliveries} <= {"sent", "unknown"}
        shown = Counter(item.message_id for item in story.deliveries if item.status == "sent")
        assert set(shown.values()) <= {1}


def starts(root: Path) -> list[list[str]]:
    """Conversation, text and run of each call of the runner, over all processes."""
    log = root / "starts.log"
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


async def letters(opened: Opened) -> list[DeadLetter]:
    """The dead letters."""
    return list(await opened.host.db.read(dead_letters.page, "default"))


@pytest.mark.parametrize("moment", MOMENTS)
async def test_host_that_is_killed_ends_everything_at_its_next_start(tmp_path: Path, moment: str) -> None:
    """Whenever the host dies, each acknowledged event ends after the next start, in order, and once."""
    acknowledged = killed_host(tmp_path, moment)
    async with crash_house(tmp_path).open() as opened:
        await opened.host.settled()
        stories = await everything(opened)
        listed = await letters(opened)
        recovered = opened.host.recovered

    assert recovered.any
    assert stories
    assert_all_ended(stories)
    uids = [story.stored.envelope.event_uid for story in stories]
    assert set(acknowledged) <= set(uids)
    begun = list(dict.fromkeys(text for _, text, _ in starts(tmp_path)))
    assert begun == [story.stored.envelope.input.text for story in stories]
    assert max(Counter(run for _, _, run in starts(tmp_path)).values()) <= 2
    first = stories[0]
    if moment == "streamed":
        assert first.runs[0].status == "interrupted"
        assert {(item.message_id, item.content, item.status) for item in first.deliveries} == {
            ("main", None, "unknown"),
            ("host.error", HINT, "sent"),
        }
        assert sorted(item.code for item in listed) == ["delivery.unknown", "run.interrupted"]
    else:
        assert [item.content for item in first.deliveries] == ["you said 0"]
        assert first.runs[0].status == "completed"
        assert listed == []
    if moment in {"running", "emitting"}:
        assert (first.runs[0].attempt, first.runs[0].crash_restarts) == (2, 1)


async def test_run_that_takes_the_host_down_each_time_is_given_up(tmp_path: Path) -> None:
    """A run starts again at most `crash_restarts` times; then it is `interrupted`, listed and told."""
    killed_host(tmp_path, "running")
    killed_host(tmp_path, "running")
    async with crash_house(tmp_path).open() as opened:
        await opened.host.settled()
        stories = await everything(opened)
        listed = await letters(opened)

    first = stories[0]
    assert first.runs[0].status == "interrupted"
    assert [item.content for item in first.deliveries] == [HINT]
    assert [(item.kind, item.code) for item in listed] == [("run", "run.interrupted")]
    assert Counter(run for _, _, run in starts(tmp_path))[first.runs[0].run_id] == 2


@pytest.mark.parametrize("commits", range(1, 9))
async def test_host_that_is_killed_after_any_commit(tmp_path: Path, commits: int) -> None:
    """Between any two commits of a streamed reply the host may die; what it acknowledged still ends."""
    acknowledged = killed_host(tmp_path, f"commit-{commits}")
    async with crash_house(tmp_path).open() as opened:
        await opened.host.settled()
        stories = await everything(opened)

    assert_all_ended(stories)
    assert set(acknowledged) <= {story.stored.envelope.event_uid for story in stories}
    for story in stories:
        contents = {item.message_id: item.content for item in story.deliveries}
        said = f"you said {story.stored.envelope.input.text}"
        assert contents in ({"main": said}, {"main": None, "host.error": HINT})


@pytest.mark.parametrize("after", [0.05, 0.3, 0.8])
async def test_host_that_is_killed_at_any_moment(tmp_path: Path, after: float) -> None:
    """A busy host that is killed at a random moment loses nothing and doubles nothing."""
    acknowledged = killed_host(tmp_path, "random", after=after)
    async with crash_house(tmp_path).open() as opened:
        await opened.host.settled()
        stories = await everything(opened)

    assert_all_ended(stories)
    assert set(acknowledged) <= {story.stored.envelope.event_uid for story in stories}
    by_conversation: dict[str, list[str]] = {}
    for conversation, text, _run in starts(tmp_path):
        by_conversation.setdefault(conversation, []).append(text)
    for texts in by_conversation.values():
        begun = [int(text) for text in dict.fromkeys(texts)]
        assert begun == sorted(begun)


async def test_current_message_is_not_in_the_history_of_a_run_that_starts_again(tmp_path: Path) -> None:
    """The user's turn is in the transcript once, also when its run began twice."""
    killed_host(tmp_path, "running")
    async with crash_house(tmp_path).open() as opened:
        await opened.host.settled()
        history = await opened.history()

    assert [item.content for item in history][:2] == ["0", "you said 0"]
    assert len({item.content for item in history}) == len(history)


async def test_fallback_survives_a_stop_between_the_two_runs(make_house: MakeHouse) -> None:
    """What is tried next is written down with the failure, so a stop in between does not lose it."""

    async def _fail(ctx: Ctx) -> Results:
        yield failed("no")

    calls: list[str] = []

    async def _never(ctx: Ctx) -> Results:
        calls.append(ctx.run_id)
        if len(calls) == 1:
            await anyio.sleep_forever()
        yield failed("still no")

    house = make_house(
        _fail,
        _never,
        bindings=[
            {"priority": 2, "on_failure": "next"},
            {"priority": 1, "on_failure": "next", "runner_id": "never"},
            {"runner_id": "echo"},
        ],
        settings={"limits": {"shutdown_grace": 0.05}},
    )
    async with house.open() as opened:
        accepted = await opened.accept("hi")
        await until(lambda: calls)
    async with house.open() as opened:
        await opened.host.settled()
        story = await opened.story(accepted.event_uid)

    assert [run.status for run in story.runs] == ["failed", "failed", "completed"]
    assert [item.content for item in story.deliveries] == ["hi"]


async def test_run_keeps_the_revision_it_began_with(make_house: MakeHouse) -> None:
    """What a stop cut off goes on with the binding as it was, though the file has changed or is gone."""
    gate = anyio.Event()

    async def _wait(ctx: Ctx) -> Results:
        await gate.wait()
        yield completed(str(dict(ctx.config.model_extra or {})))

    settings = {"limits": {"shutdown_grace": 0.05}}
    house = make_house(_wait, runner_config={"tone": "old"}, settings=settings)
    async with house.open() as opened:
        accepted = await opened.accept("hi")
        await anyio.sleep(0.05)
    gate.set()
    house.bindings = [{**house.bindings[0], "binding_id": "other", "runner_config": {"tone": "new"}}]
    async with house.open() as opened:
        await opened.host.settled()
        story = await opened.story(accepted.event_uid)

    assert [item.content for item in story.deliveries] == ["{'tone': 'old'}"]


async def test_what_waits_for_a_runner_that_is_gone_ends_with_a_reason(make_house: MakeHouse) -> None:
    """Without its runner a waiting event is `expired` with the reason, and a cut-off run is `interrupted`."""

    async def _wait(ctx: Ctx) -> Results:
        await anyio.sleep_forever()
        yield completed()

    house = make_house(_wait, settings={"limits": {"shutdown_grace": 0.05}})
    async with house.open() as opened:
        uids = [(await opened.accept(text)).event_uid for text in "ab"]
        await anyio.sleep(0.05)
    house.runners, house.bindings = [], [{**house.bindings[0], "runner_id": "echo"}]
    async with house.open() as opened:
        await opened.host.settled()
        first, second = [await opened.story(uid) for uid in uids]

    assert first.runs[0].status == "interrupted"
    assert [item.content for item in first.deliveries] == [HINT]
    assert second.dispatches[0].outcome == "expired"
    assert second.dispatches[0].reason == "the binding or its runner is no longer there"


async def test_what_waited_before_a_stop_counts_as_waiting(make_house: MakeHouse) -> None:
    """An event that waited longer than `max_wait`, a stop of the host included, is `expired`."""

    pauses = [10.0]

    async def _wait(ctx: Ctx) -> Results:
        await anyio.sleep(pauses.pop() if pauses else 0)
        yield completed("ok")

    house = make_house(_wait, flow={"max_wait": 0.2}, settings={"limits": {"shutdown_grace": 0.01}})
    async with house.open() as opened:
        uids = [(await opened.accept(text)).event_uid for text in "ab"]
        await anyio.sleep(0.02)
    await anyio.sleep(0.25)
    async with house.open() as opened:
        await opened.host.settled()
        stories = [await opened.story(uid) for uid in uids]

    assert [story.dispatches[0].outcome for story in stories] == ["started", "expired"]
    assert stories[0].runs[0].status == "completed"
