"""Files are watched: every way of writing them is noticed, and none is believed half done."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from langbot_agents.framework.reload import FileWatch

from .conftest import Opened, until
from .reloading import Files, binding, live

pytestmark = pytest.mark.anyio


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A project without bindings."""
    return Files(tmp_path)


@asynccontextmanager
async def watched(files: Files) -> AsyncIterator[Opened]:
    """A host whose files are watched."""
    async with files.open() as opened, anyio.create_task_group() as tasks:
        tasks.start_soon(FileWatch(opened.host.reloader).run)
        await anyio.sleep(0.1)
        yield opened
        tasks.cancel_scope.cancel()


async def test_edits_are_noticed(files: Files) -> None:
    """However a file is changed: replaced, written in place, linked, moved with its folder, made anew."""
    bindings = files.root / "bindings"
    files.write("a.yaml", binding("a"))
    async with watched(files) as opened:
        host = opened.host

        async def becomes(wanted: dict[str, str]) -> None:
            await until(lambda: live(host) == wanted)

        files.write("a.yaml", binding("a", "2"))
        await becomes({"a": "2"})
        (bindings / "a.yaml").write_text(json.dumps(binding("a", "3")))
        await becomes({"a": "3"})
        # vim without backupcopy: the file is away for a moment
        (bindings / "a.yaml").rename(bindings / "a.yaml~")
        await anyio.sleep(0.05)
        (bindings / "a.yaml").write_text(json.dumps(binding("a", "4")))
        await becomes({"a": "4"})
        # a mounted config map: a link to a folder is turned round
        for name, says in (("v1", "5"), ("v2", "6")):
            (files.root / name).mkdir()
            (files.root / name / "b.yaml").write_text(json.dumps(binding("b", says, priority=1)))
        (bindings / "..data").symlink_to(files.root / "v1")
        (bindings / "b.yaml").symlink_to("..data/b.yaml")
        await becomes({"a": "4", "b": "5"})
        (bindings / "..tmp").symlink_to(files.root / "v2")
        (bindings / "..tmp").rename(bindings / "..data")
        await becomes({"a": "4", "b": "6"})
        # what a link leads to is written in place
        (files.root / "v2/b.yaml").write_text(json.dumps(binding("b", "7", priority=1)))
        await becomes({"a": "4", "b": "7"})
        shutil.rmtree(bindings)
        await becomes({})
        files.write("deep/er/c.yaml", binding("c", "8"))
        await becomes({"c": "8"})
        files.write("deep/er/c.yaml", binding("c", "9"))
        await becomes({"c": "9"})


async def test_half_written_file_takes_nothing_away(files: Files) -> None:
    """A file that is written bit by bit, or away for a moment, is loaded once it is whole."""
    files.write("a.yaml", binding("a"), binding("b", scope={"conversation_id": "b"}))
    heard = []
    async with watched(files) as opened:
        opened.host.reloader.tell(lambda change, _root: heard.append(change))
        text = "\n---\n".join(
            [json.dumps(binding("a", "2")), json.dumps(binding("b", "2", scope={"conversation_id": "b"}))]
        )
        with (files.root / "bindings/a.yaml").open("w") as file:
            for start in range(0, len(text), 40):
                file.write(text[start : start + 40])
                file.flush()
                await anyio.sleep(0.01)
        await until(lambda: live(opened.host) == {"a": "2", "b": "2"})

    assert [(change.changed, change.removed, change.failed) for change in heard] == [(("a", "b"), (), ())]


async def test_flood_of_changes_ends(files: Files) -> None:
    """Changes that do not cease are loaded all the same, and the last one is what is live."""
    files.write("a.yaml", binding("a"))
    heard = []
    async with watched(files) as opened:
        opened.host.reloader.tell(lambda change, _root: heard.append(change))
        number = 1
        with anyio.fail_after(20):
            while not heard:
                number += 1
                files.write("a.yaml", binding("a", str(number)))
                files.write(f"noise-{number % 5}.txt", "x")
                await anyio.sleep(0.002)
        early = number
        await until(lambda: live(opened.host) == {"a": str(number)})

    assert early > 10 * len(heard)


async def test_asked_for_it_loads_at_once(files: Files) -> None:
    """Who asks for a load gets one, also of what cannot be seen to have changed."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened, anyio.create_task_group() as tasks:
        watch = FileWatch(opened.host.reloader)
        tasks.start_soon(watch.run)
        await anyio.sleep(0.1)
        was = opened.host.parts.models
        watch.now()
        await until(lambda: opened.host.parts.models is not was)
        tasks.cancel_scope.cancel()
