"""The composition root: a host opens, takes up what was left, says how it is, and stops."""

import json
import os
import stat
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest

from langbot_agents.framework.app import HostFile, new_local_token, open_host
from langbot_agents.framework.errors import StoreError, StoreLockedError
from langbot_agents.framework.orchestrator.recovery import restarted
from langbot_agents.sdk import AgentRunContext, completed, hookimpl

from .conftest import CALLER, MakeHouse

Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
ECHO = [{"runner_id": "echo"}]


@pytest.mark.anyio
async def test_error_of_the_block_comes_out_as_it_is(make_house: MakeHouse) -> None:
    """What is raised while a host runs is not wrapped in a group, and the host is closed."""
    house = make_house(bindings=ECHO)
    with pytest.raises(ZeroDivisionError):
        async with house.open():
            raise ZeroDivisionError
    async with house.open() as opened:
        assert (await opened.say("a")).runs[0].status == "completed"


@pytest.mark.anyio
async def test_second_host_is_refused(make_house: MakeHouse) -> None:
    """One host a SQLite file, by lock."""
    house = make_house(bindings=ECHO)
    async with house.open():
        with pytest.raises(StoreLockedError):
            async with open_host(house.project()):
                pass


class BrokenStart:
    """Breaks the store while the host starts."""

    @hookimpl
    async def host_started(self, host: Any) -> None:
        """Close the writer."""
        await host.db.writer.close()


@pytest.mark.anyio
async def test_store_error_comes_out_as_it_is(make_house: MakeHouse) -> None:
    """An event that cannot be kept is not acknowledged: its bringer gets the store's error."""
    house = make_house(bindings=ECHO, plugins={"broken": BrokenStart()})
    async with open_host(house.project()) as host:
        with pytest.raises(StoreError):
            await host.run_from_event({"event_type": "message.received"}, CALLER)
        with pytest.raises(StoreError):
            await host.settled()
        assert host.dispatcher.pending == 0


@pytest.mark.anyio
async def test_record_that_cannot_be_read_does_not_keep_the_host_from_starting(
    make_house: MakeHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad thing stays alone: what cannot be taken up is logged, and the rest goes on."""

    async def _wait(ctx: Ctx) -> Results:
        await anyio.sleep(0.2)
        yield completed("ok")

    house = make_house(_wait, settings={"limits": {"shutdown_grace": 0.01}})
    async with house.open() as opened:
        bad = (await opened.accept("a")).event_uid
        good = (await opened.accept("b", conversation_id="person_2")).event_uid
        await anyio.sleep(0.05)

    def broken(run: Any) -> Any:
        if run.event_uid == bad:
            raise ZeroDivisionError
        return restarted(run)

    monkeypatch.setattr("langbot_agents.framework.recovery.restarted", broken)
    async with house.open() as opened:
        await opened.host.settled()
        assert (await opened.story(good)).runs[0].status == "completed"
        assert (await opened.story(bad)).runs[0].status == "running"


@pytest.mark.anyio
async def test_story_tells_how_an_event_ended(make_house: MakeHouse) -> None:
    """The summary has each outcome, its run, and what was delivered."""
    async with make_house(bindings=ECHO).open() as opened:
        summary = (await opened.say("hi")).summary()

    assert json.loads(json.dumps(summary)) == summary
    assert summary["outcome"] == "matched"
    assert [item["outcome"] for item in summary["dispatches"]] == ["started"]
    assert [item["status"] for item in summary["runs"]] == ["completed"]
    assert [item["content"] for item in summary["deliveries"]] == ["hi"]


@pytest.mark.anyio
async def test_host_that_works_is_ready(make_house: MakeHouse) -> None:
    """A host without complaints is ready, and knows that nothing was left open."""
    async with make_house(bindings=ECHO).open() as opened:
        assert opened.host.readiness() == ("ready", [])
        assert not opened.host.recovered.any


def test_host_file_is_for_its_owner_and_found_while_its_process_lives(tmp_path: Path) -> None:
    """`host.json` has mode 0600, and names the running host or nothing."""
    path = tmp_path / "data/host.json"
    written = HostFile(url="http://127.0.0.1:1", pid=os.getpid(), token=new_local_token())
    written.write(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert HostFile.read(path) == written
    HostFile.remove(path)
    HostFile.remove(path)
    assert HostFile.read(path) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"url": "x"}',
        '{"url": "x", "pid": "no", "token": "t", "version": "1"}',
        '{"url": "x", "pid": 99999999, "token": "t", "version": "1"}',
        '{"url": "x", "pid": 1e300, "token": "t", "version": "1"}',
        '{"url": "x", "pid": 1e400, "token": "t", "version": "1"}',
    ],
)
def test_host_file_of_no_host_is_nothing(tmp_path: Path, text: str) -> None:
    """A `host.json` that is broken or whose process is gone names no host."""
    path = tmp_path / "host.json"
    path.write_text(text)

    assert HostFile.read(path) is None


def test_a_copied_project_does_not_find_the_originals_host(tmp_path: Path) -> None:
    """A copy of a project's folder has a copy of `host.json`, which leads nobody to the original's host."""
    original, copied = tmp_path / "a/host.json", tmp_path / "b/host.json"
    HostFile(url="http://127.0.0.1:1", pid=os.getpid(), token="t").write(original)
    copied.parent.mkdir()
    copied.write_text(original.read_text())

    assert HostFile.read(original) is not None
    assert HostFile.read(copied) is None
