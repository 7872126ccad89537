"""What a run costs, beside what the machine can do at the most; one JSON object on stdout.

    python benchmarks/engine.py [--quick] [--only NAME ...]

Absolute figures are reported; what counts are the ratios, measured side by side in one run.
"""

import argparse
import asyncio
import gc
import json
import queue
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from local_agent import bench_local_agent

from langbot_agents.framework import collector
from langbot_agents.framework.access import Caller
from langbot_agents.framework.app import Host, open_host
from langbot_agents.framework.platforms import TERMINAL_SURFACE
from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.store import events
from langbot_agents.framework.store.database import Database
from langbot_agents.framework.telemetry import configure
from langbot_agents.schemas import AgentEventEnvelope, AgentRunnerManifest, AgentRunResult
from langbot_agents.sdk import AgentRunContext, AgentRunner, completed, delta, hookimpl

ROOT = "apiVersion: langbot-agents/v1\nkind: Host\nlimits: {max_pending: 1000000}\n"
BINDING = """
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: {name}
event_types: [message.received]
scope: {{source_name: {name}}}
runner_id: {runner}
runner_config: {config}
"""
CALLER = Caller(name="bench", surface=TERMINAL_SURFACE, impersonate=True)


class Flood(AgentRunner):
    """Gives as many pieces as its input says; with `paced` the loop turns after each, as with a real one."""

    manifest = AgentRunnerManifest(id="plugin:bench/flood/default", label="Flood")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Yield them one by one."""
        paced = bool(ctx.config.model_dump().get("paced"))
        for _ in range(int(ctx.input.to_text())):
            yield delta("word ")
            if paced:
                await anyio.lowlevel.checkpoint()
        yield completed()


class BenchPlugin:
    """Registers the runners of this benchmark."""

    @hookimpl
    def register_runners(self, register: Any) -> None:
        """Offer `flood`."""
        register(Flood, aliases=("flood",))


def project(root: Path) -> Project:
    """A project of two bindings on an empty store."""
    (root / "bindings").mkdir(parents=True)
    (root / "langbot-agents.yaml").write_text(ROOT)
    documents = [("echo", "echo", "{}"), ("flood", "flood", "{}"), ("paced", "flood", "{paced: true}")]
    text = "---".join(
        BINDING.format(name=name, runner=runner, config=config) for name, runner, config in documents
    )
    (root / "bindings/all.yaml").write_text(text)
    return load_project(root, plugins={"bench": BenchPlugin()})


def event(source: str, conversation: int, text: str) -> dict[str, Any]:
    """One message."""
    return {
        "event_type": "message.received",
        "source": {"kind": "platform_adapter", "name": source},
        "bot_id": "bot-1",
        "conversation_id": f"person_{conversation}",
        "actor": {"actor_id": str(conversation), "actor_name": "A person"},
        "subject": {"subject_type": "message", "subject_id": "m-1"},
        "input": {"text": text},
        "metadata": {"chat_type": "private", "platform_event": "message.private.friend"},
    }


async def timed(work: Callable[[], Awaitable[Any]]) -> float:
    """Seconds that the work takes."""
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started


async def floor_appends(root: Path, count: int, producers: int = 64) -> float:
    """Appends a second of the same row by plain sqlite3 with group commit: the limit of this machine."""
    database = Database.open("sqlite:///floor.db", root=root)
    await database.writer.flush()
    path = database.path
    await database.close()
    envelope = events.stamped(
        AgentEventEnvelope.model_validate(
            event("echo", 1, "hello big world")
            | {"delivery": {"surface": "terminal"}, "workspace_id": "default"}
        )
    )
    columns, values = _event_row(path, envelope)
    sql = f"INSERT INTO event ({','.join(columns)}) VALUES ({','.join('?' * len(columns))})"
    place = columns.index("event_uid")
    waiting: queue.SimpleQueue[tuple[tuple[Any, ...], asyncio.Future[None]] | None] = queue.SimpleQueue()
    loop = asyncio.get_running_loop()

    def settle(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)

    def write() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        while True:
            first = waiting.get()
            if first is None:
                return
            batch = [first]
            while len(batch) < 512 and not waiting.empty():
                item = waiting.get()
                if item is None:
                    return
                batch.append(item)
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(sql, [row for row, _ in batch])
            connection.execute("COMMIT")
            loop.call_soon_threadsafe(settle, [future for _, future in batch])

    thread = threading.Thread(target=write)
    thread.start()

    async def produce(start: int) -> None:
        for number in range(start, count, producers):
            row = (*values[:place], f"evt_{number:032d}", *values[place + 1 :])
            future: asyncio.Future[None] = loop.create_future()
            waiting.put((row, future))
            await future

    async def all_of_them() -> None:
        async with anyio.create_task_group() as tasks:
            for start in range(producers):
                tasks.start_soon(produce, start)

    seconds = await timed(all_of_them)
    waiting.put(None)
    await anyio.to_thread.run_sync(thread.join)
    return count / seconds


def _event_row(path: Path, envelope: AgentEventEnvelope) -> tuple[list[str], tuple[Any, ...]]:
    """The columns and values of an event as the store writes it, taken from the store itself."""

    async def write() -> None:
        async with Database.open(f"sqlite:///{path}", root=path.parent) as database:
            await events.append(database.writer, envelope)

    thread = threading.Thread(target=lambda: anyio.run(write))
    thread.start()
    thread.join()
    with sqlite3.connect(path) as connection:
        cursor = connection.execute("SELECT * FROM event")
        names = [item[0] for item in cursor.description]
        row = cursor.fetchone()
        connection.execute("DELETE FROM event")
    kept = [(name, value) for name, value in zip(names, row, strict=True) if name != "seq"]
    return [name for name, _ in kept], tuple(value for _, value in kept)


async def drive(host: Host, count: int, conversations: int, text: str = "hello big world") -> None:
    """So many runs of `echo`, at most one a conversation at a time; each ended before its next is sent."""

    async def say(conversation: int) -> None:
        ended = anyio.Event()

        def listen(event_uid: str) -> None:
            ends[event_uid] = ended

        await host.run_from_event(event("echo", conversation, text), CALLER, before_append=listen)
        await ended.wait()

    async def talk(conversation: int) -> None:
        for _ in range(count // conversations):
            await say(conversation)

    ends: dict[str, anyio.Event] = {}
    end = type(host.surfaces).end

    def note(event_uid: str) -> None:
        end(host.surfaces, event_uid)
        ends.pop(event_uid).set()

    host.surfaces.end = note  # type: ignore[method-assign]
    async with anyio.create_task_group() as tasks:
        for conversation in range(conversations):
            tasks.start_soon(talk, conversation)
    await host.settled()


async def bench_runs(root: Path, quick: bool) -> dict[str, Any]:
    """Durable runs at 50 conversations beside plain group-commit appends."""
    count = 1_000 if quick else 5_000
    rounds = []
    async with open_host(project(root / "runs")) as host:
        collector.settle()  # as `lba serve` does
        await drive(host, 200, 50)
        for number in range(3):
            appends = await floor_appends(root / f"floor{number}", count * 4)
            seconds = await timed(lambda: drive(host, count, 50))
            rounds.append((appends, count / seconds))
    ratios = sorted(runs / appends for appends, runs in rounds)
    return {
        "appends_per_second": [round(appends) for appends, _ in rounds],
        "runs_per_second": [round(runs) for _, runs in rounds],
        "runs_to_appends_median": round(ratios[1], 4),
        "wanted": ">= 1/20 (0.05)",
        "holds": ratios[1] >= 0.05,
    }


async def bench_commits(root: Path, quick: bool) -> dict[str, Any]:
    """Commits that one run waits for, with and without somebody who watches it grow."""
    async with open_host(project(root)) as host:
        waited = 0
        submit, append = host.db.writer.submit, host.db.writer.append

        async def counted_submit(*args: Any, **kwargs: Any) -> Any:
            nonlocal waited
            waited += 1
            return await submit(*args, **kwargs)

        async def counted_append(*args: Any, **kwargs: Any) -> Any:
            nonlocal waited
            waited += 1
            return await append(*args, **kwargs)

        writer: Any = host.db.writer
        writer.submit, writer.append = counted_submit, counted_append
        await host.run_from_event(event("flood", 1, "3"), CALLER)
        await host.dispatcher.idle()
        sequential, waited = waited, 0
        box = host.surfaces.mailboxes[TERMINAL_SURFACE]
        listened = []

        def listen(uid: str) -> None:
            context = box.listen(uid)
            context.__enter__()
            listened.append(context)

        await host.run_from_event(event("paced", 1, "300"), CALLER, before_append=listen)
        await host.dispatcher.idle()
        streamed = waited
        for context in listened:
            context.__exit__(None, None, None)
    return {
        "sequential": sequential,
        "streamed": streamed,
        "wanted": "<= 3 and <= 4",
        "holds": sequential <= 3 and streamed <= 4,
    }


async def queue_hop(count: int) -> float:
    """Seconds a hop of a bare `asyncio.Queue(100)`."""
    hops: asyncio.Queue[int] = asyncio.Queue(100)  # noqa: TID251 - it is the yardstick

    async def put() -> None:
        for number in range(count):
            await hops.put(number)

    async with anyio.create_task_group() as tasks:
        started = time.perf_counter()
        tasks.start_soon(put)
        for _ in range(count):
            await hops.get()
        seconds = time.perf_counter() - started
    return seconds / count


async def runner_alone(pieces: int, *, paced: bool) -> float:
    """Seconds that the runner takes to give its pieces to nobody."""
    started = time.process_time()
    for _ in range(pieces):
        delta("word ")
        if paced:
            await anyio.lowlevel.checkpoint()
    return time.process_time() - started


async def delta_cost(host: Host, source: str, count: int) -> float:
    """Seconds of the processor that the host spends on one piece; the runner's own are taken off."""

    async def run(pieces: int) -> float:
        started = time.process_time()
        await host.run_from_event(event(source, 1, str(pieces)), CALLER)
        await host.dispatcher.idle()
        return time.process_time() - started

    own = await runner_alone(count, paced=source == "paced") + await run(1)
    return (await run(count) - own) / count


async def bench_deltas(root: Path, quick: bool) -> dict[str, Any]:
    """What a piece of a message costs the host, beside a hop of a queue.

    What counts is a runner that gives as fast as the queue of the yardstick is fed; `paced`, where the
    loop turns after each piece, is reported beside it.
    """
    count = 5_000 if quick else 40_000
    rounds: list[tuple[float, float, float]] = []
    async with open_host(project(root)) as host:
        for _ in range(3):
            hop = await queue_hop(count)
            rounds.append(
                (hop, await delta_cost(host, "flood", count), await delta_cost(host, "paced", count))
            )
    hops = sorted(cost / hop for hop, cost, _ in rounds)
    paced = sorted(cost / hop for hop, _, cost in rounds)
    return {
        "hop_us": [round(hop * 1e6, 2) for hop, _, _ in rounds],
        "delta_us": [round(cost * 1e6, 2) for _, cost, _ in rounds],
        "paced_delta_us": [round(cost * 1e6, 2) for _, _, cost in rounds],
        "hops_a_delta_median": round(hops[1], 1),
        "hops_a_paced_delta_median": round(paced[1], 1),
        "wanted": "<= 30",
        "holds": hops[1] <= 30,
    }


async def bench_memory(root: Path, quick: bool) -> dict[str, Any]:
    """Growth of the process over many runs."""
    count = 2_000 if quick else 20_000
    async with open_host(project(root)) as host:
        await drive(host, 2_000, 50)
        gc.collect()
        before = _resident()
        await drive(host, count, 50)
        gc.collect()
        after = _resident()
    grown = (after - before) / 2**20
    return {
        "runs": count,
        "grown_mib": round(grown, 1),
        "peak_mib": round(_peak() / 2**20),
        "wanted": "< 10 MiB",
        "holds": grown < 10,
    }


def _resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


async def bench_help(root: Path, quick: bool) -> dict[str, Any]:
    """What `lba --help` imports of the heavy libraries."""
    code = (
        "import sys\nfrom langbot_agents.framework.cli.entry import run\nrun(['--help'])\n"
        "print([n for n in ('openai','sqlalchemy','starlette','mcp') if n in sys.modules], file=sys.stderr)"
    )
    done = await anyio.to_thread.run_sync(
        lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    )
    imported = json.loads(done.stderr.replace("'", '"'))
    return {
        "imported": imported,
        "wanted": "none of openai, sqlalchemy, starlette, mcp",
        "holds": imported == [],
    }


BENCHMARKS: dict[str, Callable[[Path, bool], Awaitable[dict[str, Any]]]] = {
    "runs": bench_runs,
    "commits": bench_commits,
    "deltas": bench_deltas,
    "memory": bench_memory,
    "help": bench_help,
    "local-agent": bench_local_agent,
}


def main() -> None:
    """Run what is asked for, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts, to see that it works")
    parser.add_argument("--only", nargs="*", choices=list(BENCHMARKS), default=list(BENCHMARKS))
    options = parser.parse_args()
    configure(level="error")
    report: dict[str, Any] = {
        "schema": "langbot-agents/benchmark-engine/v1",
        "python": sys.version.split()[0],
    }
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="lba-bench-") as folder:
            print(f"{name} …", file=sys.stderr, flush=True)
            report[name] = anyio.run(BENCHMARKS[name], Path(folder), options.quick)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
