"""What comparing two sets of bindings costs beside reading the events and deciding once; JSON on stdout.

    python benchmarks/comparison.py [--quick]

Absolute figures are reported; what counts is the ratio, measured side by side in one run.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework import collector
from langbot_agents.framework.bindings import BindingEntry, BindingSet, entry_of
from langbot_agents.framework.cli.logged import routed
from langbot_agents.framework.comparison import Comparison, Side
from langbot_agents.framework.documents import model_digest
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import EventRouter, RoutedEvent
from langbot_agents.framework.store import Cursor, Database, events
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope

BINDINGS = 1_000
PAGE = 500
REGISTRY = AgentRunnerRegistry()
REGISTRY.add(
    Echo,
    aliases=("echo",),
    plugin=PluginInfo(name="bench", distribution="langbot-agents", version="1", state="ready"),
)


def binding(number: int, **fields: Any) -> BindingEntry:
    """The binding of one room."""
    values: dict[str, Any] = {
        "binding_id": f"room-{number}",
        "event_types": ["message.received"],
        "scope": {"conversation_id": f"group_{number}"},
        "filters": ["contains(input.text, 'help')"],
        "runner_id": "echo",
    }
    document = AgentBinding.model_validate(values | fields)
    return entry_of(document, model_digest(document), REGISTRY)


def envelope(number: int) -> AgentEventEnvelope:
    """A message in one of the rooms."""
    return AgentEventEnvelope.model_validate(
        {
            "event_id": f"e{number}",
            "event_type": "message.received",
            "source": {"kind": "platform_adapter", "name": "qq"},
            "delivery": {"surface": "qq"},
            "bot_id": "bot-1",
            "conversation_id": f"group_{number % BINDINGS}",
            "conversation_type": "group",
            "actor": {"actor_id": f"u{number % 97}", "actor_name": "somebody"},
            "subject": {"subject_type": "message"},
            "input": {"text": "I need help with an order", "contents": []},
            "metadata": {"chat_type": "group"},
        }
    )


async def fill(url: str, root: Path, size: int) -> None:
    """A log of that many events."""
    async with Database.open(url, root=root) as database:
        for start in range(0, size, 5_000):
            rows = [envelope(number) for number in range(start, min(start + 5_000, size))]
            await database.writer.submit(insert_all, rows)


def insert_all(cursor: Cursor, rows: list[AgentEventEnvelope]) -> None:
    """Put events on disk."""
    for row in rows:
        events.insert(cursor, row)


def log(url: str, root: Path) -> Iterator[tuple[RoutedEvent, float, str]]:
    """The log, page by page."""
    database = Database.open(url, root=root, lock=False, read_only=True)
    place = 0
    while page := database.read_now(events.page, "default", after=place, limit=PAGE):
        yield from (routed(item) for item in page)
        place = page[-1].seq


def once(url: str, root: Path, bindings: BindingSet) -> None:
    """Read each event and decide it once."""
    router = EventRouter()
    for event, clock, _ in log(url, root):
        router.decide(event, bindings, clock)


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compared(url: str, root: Path, old: BindingSet, new: BindingSet) -> Comparison:
    """The whole log through both sets."""
    comparison = Comparison(Side.of(old, root), Side.of(new, root))
    comparison.add_all(log(url, root))
    return comparison


def bench_diff(root: Path, quick: bool) -> dict[str, Any]:
    """One binding changed, a tenth, and all, so that every event moves; best of some runs, interleaved."""
    size, rounds = (2_000, 2) if quick else (100_000, 3)
    url = "sqlite:///bench.db"
    asyncio.run(fill(url, root, size))
    entries = [binding(number) for number in range(BINDINGS)]
    old = BindingSet(entries)
    lower = {"filters": ["contains(input.text, 'refund')"]}
    sets = {
        name: BindingSet([binding(n, **lower) if n % step == 0 else entries[n] for n in range(BINDINGS)])
        for name, step in (("one", BINDINGS), ("a_tenth", 10), ("all", 1))
    }
    collector.settle()
    best: dict[str, float] = {}
    moved: dict[str, int] = {}
    for _ in range(rounds):
        took = timed(lambda: once(url, root, old))
        best["once"] = min(took, best.get("once", took))
        for name, new in sets.items():
            start = time.perf_counter()
            found = compared(url, root, old, new)
            took = time.perf_counter() - start
            best[name] = min(took, best.get(name, took))
            moved[name] = found.moved
    ratios = {name: round(best[name] / best["once"], 2) for name in sets}
    return {
        "events": size,
        "bindings": BINDINGS,
        "moved": moved,
        "seconds": {name: round(value, 3) for name, value in best.items()},
        "diff_to_once": ratios,
        "peak_mib": round(peak(url, root, old, sets["a_tenth"]) / 2**20, 1),
        "wanted": "<= 2 times reading and deciding once",
        "holds": max(ratios.values()) <= 2,
    }


def peak(url: str, root: Path, old: BindingSet, new: BindingSet) -> int:
    """Bytes that a comparison holds at most, of the first events of the log."""
    comparison = Comparison(Side.of(old, root), Side.of(new, root))
    tracemalloc.start()
    for (event, clock, name), number in zip(log(url, root), count(), strict=False):
        comparison.add(event, clock, name)
        if number >= 10_000:
            break
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def main() -> None:
    """Run it, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts, to see that it works")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lba-bench-") as folder:
        report = {
            "schema": "langbot-agents/benchmark-comparison/v1",
            "python": sys.version.split()[0],
            "diff": bench_diff(Path(folder), options.quick),
        }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
