"""What routing costs, and loading what is routed, beside plainer ways to do it; one JSON object on stdout.

    python benchmarks/routing.py [--quick] [--only NAME ...]

Absolute figures are reported; what counts are the ratios, measured side by side in one run.
"""

import argparse
import asyncio
import gc
import json
import re
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jmespath
import yaml

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework import collector
from langbot_agents.framework.bindings import BindingEntry, BindingSet, check_bindings, entry_of
from langbot_agents.framework.documents import load_bindings, model_digest
from langbot_agents.framework.documents.loader import load_file
from langbot_agents.framework.filters import Frame, compile_filter, evaluate_all
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import EventRouter, RoutedEvent
from langbot_agents.framework.telemetry import configure
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope

GLOBAL = 10
"""Bindings of every world that take each of its events; half of them have a text filter."""

EACH = 4
"""Bindings that take the events of one conversation, each by another kind of condition."""

CLOCK = 1_772_625_600.0

COLLECTOR = gc.get_threshold()
"""How Python sets the garbage collector, which a process that serves changes only after it has loaded."""

EXPRESSION = (
    "event_type == 'message.received' && conversation_type == 'group' && actor.actor_id != 'bot' "
    "&& contains(input.text || '', 'help')"
)

DOCUMENT = """\
# The room of customer {number}.
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: support-{number}
description: Answers people in one chat room, and hands over to a person where it cannot.
labels: {{team: support, stage: production}}
event_types: [message.received]
scope:
  source_kind: platform_adapter
  bot_id: bot-{bot}
  conversation_id: group_{number}
{filters}priority: 10
runner_id: echo
runner_config: {{}}
resource_policy:
  models: []
  tools: []
  history: conversation
state_policy:
  scopes: [conversation, actor]
delivery_policy:
  streaming: auto
  on_error: hint
  hint_text: Something went wrong, please try again in a minute or ask a person for help.
limits:
  timeout: 60s
  retry: {{max_attempts: 2, backoff: 1s}}
flow:
  overlap: queue
  max_queue: 20
"""
FILTERS = """\
filters:
  - name: asks for help with an order
    expr: "actor.actor_id != 'bot' && contains(input.text || '', 'order {number}')"
"""


def registry() -> AgentRunnerRegistry:
    """A registry with one runner."""
    made = AgentRunnerRegistry()
    plugin = PluginInfo(name="bench", distribution="bench", version="1", state="ready")
    made.add(Echo, aliases=("echo",), plugin=plugin)
    return made


def documents(count: int) -> Iterator[dict[str, Any]]:
    """The data of so many bindings."""
    for number in range(count):
        yield _global(number) if number < GLOBAL else _local(number - GLOBAL)


def _global(number: int) -> dict[str, Any]:
    data: dict[str, Any] = {
        "binding_id": f"global-{number}",
        "event_types": ["message.*"],
        "runner_id": "echo",
        "mode": "observe" if number % 3 else "respond",
    }
    if number % 2:
        data["filters"] = [f"contains(input.text || '', 'help') && actor.actor_id != 'bot-{number}'"]
    return data


def _local(number: int) -> dict[str, Any]:
    conversation, kind = divmod(number, EACH)
    data: dict[str, Any] = {
        "binding_id": f"local-{conversation}-{kind}",
        "event_types": ["message.received"],
        "runner_id": "echo",
        "priority": kind,
    }
    if kind == 0:
        data["scope"] = {"bot_id": "bot-1", "conversation_id": f"group_{conversation}"}
    elif kind == 1:
        data["scope"] = {"conversation_id": f"group_{conversation}"}
        data["filters"] = [f"contains(input.text || '', 'order {conversation}')"]
    elif kind == 2:
        data["filters"] = [f"metadata.room == 'room-{conversation}' && contains(input.text || '', 'order')"]
    else:
        data["scope"] = {"actor_id": [f"u-{conversation}", f"v-{conversation}"], "conversation_id": "group_*"}
    return data


@cache
def world(count: int) -> BindingSet:
    """A set of so many bindings, ready to decide."""
    runners = registry()
    made = BindingSet(_entry(data, runners) for data in documents(count))
    assert made.digest
    assert made.index
    return made


def _entry(data: dict[str, Any], runners: AgentRunnerRegistry) -> BindingEntry:
    document = AgentBinding.model_validate(data)
    return entry_of(document, model_digest(document), runners)


def envelopes(bindings: int, count: int) -> list[AgentEventEnvelope]:
    """Messages of so many conversations, spread over all that a world of bindings knows."""
    conversations = max((bindings - GLOBAL) // EACH, 1)
    return [_envelope(number * 7919 % conversations) for number in range(count)]


def _envelope(conversation: int) -> AgentEventEnvelope:
    return AgentEventEnvelope.model_validate(
        {
            "event_uid": f"evt_{conversation}",
            "event_type": "message.received",
            "event_time": CLOCK,
            "source": {"kind": "platform_adapter", "name": "telegram"},
            "bot_id": "bot-1",
            "conversation_id": f"group_{conversation}",
            "conversation_type": "group",
            "actor": {"actor_id": f"u-{conversation}", "actor_name": "A person"},
            "subject": {"subject_type": "message", "subject_id": "m-1"},
            "input": {"text": f"please help me with order {conversation} of last week"},
            "delivery": {
                "surface": "telegram",
                "reply_target": {"target_type": "group", "target_id": f"group_{conversation}"},
            },
            "metadata": {"room": f"room-{conversation}", "platform_event": "message"},
        }
    )


def times_of(work: Callable[[AgentEventEnvelope], Any], events: Iterable[AgentEventEnvelope]) -> list[float]:
    """Seconds for each event."""
    taken = []
    for event in events:
        started = time.perf_counter()
        work(event)
        taken.append(time.perf_counter() - started)
    return taken


def seconds(work: Callable[[], Any], rounds: int = 1) -> float:
    """The least time of some rounds."""
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def by_index(bindings: BindingSet) -> Callable[[AgentEventEnvelope], Any]:
    """The router, with all that it costs for an event that it has never seen."""
    router = EventRouter()
    return lambda event: router.decide(RoutedEvent(event), bindings, CLOCK)


def by_line(bindings: BindingSet) -> Callable[[AgentEventEnvelope], Any]:
    """The router asking every binding."""
    router = EventRouter()
    return lambda event: router.decide_linearly(RoutedEvent(event), bindings, CLOCK)


def naively(bindings: BindingSet) -> Callable[[AgentEventEnvelope], Any]:
    """Every binding asked, its filters by jmespath itself."""

    def decide(event: AgentEventEnvelope) -> list[str]:
        routed = RoutedEvent(event)
        document = {**routed.json, "now": CLOCK}
        return [
            entry.binding_id
            for entry in bindings.live
            if entry.type_rank(routed.event_type) is not None
            and all(term.matches(value) for term, value in zip(entry.scope, routed.scope, strict=True))
            and all(jmespath.compile(item.expr).search(document) is True for item in entry.document.filters)
        ]

    return decide


def bench_decisions(_root: Path, quick: bool) -> dict[str, Any]:
    """Time of one decision by the number of bindings, the same number of which match."""
    sizes = (10, 1_000, 10_000) if quick else (10, 1_000, 10_000, 100_000)
    rounds: dict[int, list[float]] = {size: [] for size in sizes}
    matching = {}
    for size in sizes:
        matching[size] = len(by_index(world(size))(_envelope(1)).entries)
    collector.settle()
    for _ in range(3):  # by turns, so that a busy moment of the machine meets all sizes
        for size in sizes:
            rounds[size] += times_of(by_index(world(size)), envelopes(size, 500 if quick else 2_000))
    median = {size: statistics.median(taken) for size, taken in rounds.items()}
    ratio = median[sizes[-1]] / median[1_000]
    return {
        "matching": matching,
        "p50_us": {size: round(value * 1e6, 1) for size, value in median.items()},
        "p99_us": {size: round(_percentile(taken, 0.99) * 1e6, 1) for size, taken in rounds.items()},
        "largest_to_1000": round(ratio, 2),
        "wanted": "p50 at 100,000 bindings within 4 times that at 1,000, the same number matching",
        "holds": ratio <= 4 and len({matching[size] for size in sizes if size >= 1_000}) == 1,
    }


def _percentile(taken: Sequence[float], part: float) -> float:
    return sorted(taken)[int(len(taken) * part)]


def bench_events(_root: Path, quick: bool) -> dict[str, Any]:
    """Events a second, beside a floor, a router without the index, and jmespath's own interpreter."""
    sizes = (10, 1_000) if quick else (10, 1_000, 10_000, 100_000)
    for size in sizes:
        world(size)
    collector.settle()
    report: dict[str, Any] = {"floor": round(_floor(20_000 if quick else 200_000))}
    rates: dict[int, dict[str, float]] = {}
    for size in sizes:
        bindings = world(size)
        count = max(2, min(1_000, 20_000 // size))
        rates[size] = {"index": _rate(by_index(bindings), envelopes(size, 1_000 if quick else 3_000))}
        if size <= 10_000:
            rates[size]["linear"] = _rate(by_line(bindings), envelopes(size, count))
            rates[size]["naive"] = _rate(naively(bindings), envelopes(size, count))
        _agree(bindings, size)
    largest = max(size for size in sizes if size <= 10_000)
    of_linear = rates[largest]["index"] / rates[largest]["linear"]
    of_naive = rates[largest]["index"] / rates[largest]["naive"]
    report["per_second"] = {
        size: {name: round(value, 1) for name, value in found.items()} for size, found in rates.items()
    }
    report |= {
        "compared_at": largest,
        "of_floor": round(rates[largest]["index"] / report["floor"], 5),
        "of_linear": round(of_linear, 1),
        "of_naive": round(of_naive, 1),
        "wanted": "at 10,000 bindings at least 10 times the linear router and 50 times the naive one",
        "holds": of_linear >= 10 and of_naive >= 50,
    }
    return report


def _rate(work: Callable[[AgentEventEnvelope], Any], events: list[AgentEventEnvelope]) -> float:
    return len(events) / seconds(lambda: times_of(work, events))


def _floor(count: int) -> float:
    """Events a second of a router that only looks the conversation up and awaits the answer."""
    table = {f"group_{number}": number for number in range(1_000)}
    events = envelopes(1_000, 100)

    async def answer(event: AgentEventEnvelope) -> int | None:
        return table.get(event.conversation_id or "")

    async def all_of_them() -> None:
        for number in range(count):
            await answer(events[number % 100])

    return count / seconds(lambda: asyncio.run(all_of_them()))


def _agree(bindings: BindingSet, size: int) -> None:
    """What is measured is the same decision."""
    router = EventRouter()
    for event in envelopes(size, 2):
        indexed = router.decide(RoutedEvent(event), bindings, CLOCK)
        if indexed != router.decide_linearly(RoutedEvent(event), bindings, CLOCK):
            raise AssertionError(f"the index changes the decision on {event!r}")


def bench_filter(_root: Path, quick: bool) -> dict[str, Any]:
    """One filter: its function beside `jmespath.compile(expr).search`."""
    count = 2_000 if quick else 20_000
    document = {**RoutedEvent(_envelope(1)).json, "now": CLOCK}
    compiled = (compile_filter(EXPRESSION),)
    naive = jmespath.compile(EXPRESSION).search

    def ours() -> None:
        for _ in range(count):
            evaluate_all(compiled, document, Frame(document, now=CLOCK))

    def theirs() -> None:
        for _ in range(count):
            naive(document)

    mine, other = seconds(ours, 5) / count, seconds(theirs, 3) / count
    return {
        "expression": EXPRESSION,
        "naive_us": round(other * 1e6, 2),
        "ours_us": round(mine * 1e6, 2),
        "times_faster": round(other / mine, 1),
        "wanted": ">= 8",
        "holds": other / mine >= 8,
    }


def bench_memory(_root: Path, quick: bool) -> dict[str, Any]:
    """Memory of one binding of the documents of `load`: as a document, and what routing adds to it."""
    count = 3_000 if quick else 100_000
    runners = registry()
    texts = [text.replace("support-", "s-") for _, text in _texts(GLOBAL)]
    for text in texts:  # what all share is there before
        _entry(yaml.load(text, yaml.CSafeLoader), runners)
    gc.collect()
    tracemalloc.start()
    models = [AgentBinding.model_validate(yaml.load(text, yaml.CSafeLoader)) for _, text in _texts(count)]
    gc.collect()
    documents_alone = tracemalloc.get_traced_memory()[0]
    bindings = BindingSet(entry_of(model, model_digest(model), runners) for model in models)
    assert bindings.index
    assert bindings.digest
    del models
    gc.collect()
    everything = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    entry, whole = (everything - documents_alone) / count, everything / count
    return {
        "bindings": count,
        "document_bytes_of_yaml": round(sum(len(text) for _, text in _texts(100)) / 100),
        "entry_bytes": round(entry),
        "entry_with_document_bytes": round(whole),
        "wanted": "< 2,048 bytes an entry (filters and index included), < 12,288 with its document",
        "holds": entry < 2_048 and whole < 12_288,
    }


def _texts(count: int) -> Iterator[tuple[str, str]]:
    """Names and texts of so many documents of about 0.9 KB, half of them with a text filter."""
    for number in range(count):
        filters = FILTERS.format(number=number) if number % 2 else "# takes every message of the room\n" * 3
        yield f"{number:06d}", DOCUMENT.format(number=number, bot=number % 20, filters=filters)


def _written(folder: Path, count: int, each: int) -> list[str]:
    """Files of `each` documents; gives back their texts."""
    folder.mkdir(parents=True)
    texts = list(_texts(count))
    made = []
    for start in range(0, count, each):
        text = "---\n".join(text for _, text in texts[start : start + each])
        (folder / f"{texts[start][0]}.yaml").write_text(text)
        made.append(text)
    return made


def _load(root: Path, runners: AgentRunnerRegistry) -> BindingSet:
    files = load_bindings(root, ["bindings/*.yaml"])
    checked = check_bindings(files, runners, timezone="UTC")
    errors = [item.render() for item in checked.findings if item.severity == "error"]
    if errors:
        raise AssertionError("\n".join(errors[:3]))
    return checked.set


def _compose(root: Path) -> None:
    for file in sorted((root / "bindings").glob("*.yaml")):
        for _ in yaml.compose_all(file.read_text(), Loader=yaml.CSafeLoader):
            pass


def bench_load(root: Path, quick: bool) -> dict[str, Any]:
    """Files to a set that can be routed, beside composing the same YAML in C and doing nothing with it."""
    count = 500 if quick else 10_000
    runners = registry()
    report: dict[str, Any] = {"bindings": count}
    ratios = []
    for each in (1, 100):
        folder = root / f"each-{each}"
        texts = _written(folder / "bindings", count, each)
        composing, loading = [], []
        for _ in range(3):  # by turns; the least of each, so that no hiccup of the yardstick flatters us
            gc.collect()
            composing.append(seconds(lambda folder=folder: _compose(folder)))  # type: ignore[misc]
            gc.collect()
            loading.append(seconds(lambda folder=folder: _load(folder, runners)))  # type: ignore[misc]
        composed, loaded = min(composing), min(loading)
        ratio = loaded / composed
        ratios.append(ratio)
        report[f"{each}_a_file"] = {
            "files": len(texts),
            "compose_seconds": round(composed, 3),
            "load_seconds": round(loaded, 3),
            "load_to_compose": round(ratio, 2),
        }
    report |= {"wanted": "< 6 times compose", "holds": max(ratios) < 6}
    return report


def bench_change(root: Path, quick: bool) -> dict[str, Any]:
    """One changed document among many live ones: its file read, its set changed; beside loading them all."""
    count = 500 if quick else 10_000
    runners = registry()
    _written(root / "bindings", count, 1)
    made = _load(root, runners)

    def ready(bindings: BindingSet) -> BindingSet:
        assert bindings.digest
        assert bindings.index
        return bindings

    full = seconds(lambda: ready(_load(root, runners)))
    ready(made)
    name = f"bindings/{count // 2:06d}.yaml"
    taken, swaps, digests = [], [], {made.digest}
    for number in range(1, 6):
        text = (root / name).read_text()
        (root / name).write_text(re.sub(r"priority: \d+", f"priority: {number}", text))
        started = time.perf_counter()
        (document,) = load_file(root / name, shown=name).documents
        if document.binding is None or document.digest is None:
            raise AssertionError(f"{name} is not a binding")
        entry = entry_of(document.binding, document.digest, runners, file=name, line=1)
        swapped = time.perf_counter()
        made = ready(made.changed([entry]))
        ended = time.perf_counter()
        taken.append(ended - started)
        swaps.append(ended - swapped)
        digests.add(made.digest)
    if len(digests) != 6:
        raise AssertionError("not every change is one")
    ratio = statistics.median(taken) / full
    return {
        "bindings": count,
        "full_load_seconds": round(full, 3),
        "change_ms": round(statistics.median(taken) * 1e3, 3),
        "of_which_set_ms": round(statistics.median(swaps) * 1e3, 3),
        "change_to_full_load": round(ratio, 5),
        "wanted": "<= 1/20 (0.05)",
        "holds": ratio <= 0.05,
    }


def bench_explain(_root: Path, quick: bool) -> dict[str, Any]:
    """A reason for every binding, beside the linear router, which only finds those that match."""
    size = 1_000 if quick else 10_000
    bindings, event = world(size), _envelope(1)
    collector.settle()  # as `lba serve` does
    router = EventRouter()
    linear = seconds(lambda: by_line(bindings)(event), 3)
    explained = seconds(lambda: router.explain(RoutedEvent(event), bindings, CLOCK), 3)
    return {
        "bindings": size,
        "linear_ms": round(linear * 1e3, 1),
        "explain_ms": round(explained * 1e3, 1),
        "explain_to_linear": round(explained / linear, 2),
        "wanted": "<= 1 s for 10,000",
        "holds": explained <= 1,
    }


BENCHMARKS: dict[str, Callable[[Path, bool], dict[str, Any]]] = {
    "decisions": bench_decisions,
    "events": bench_events,
    "filter": bench_filter,
    "explain": bench_explain,
    "load": bench_load,
    "change": bench_change,
    "memory": bench_memory,
}


def _start_afresh() -> None:
    """Nothing of one benchmark weighs on the next, neither its worlds nor its garbage collector."""
    world.cache_clear()
    gc.unfreeze()
    gc.set_threshold(*COLLECTOR)
    gc.collect()


def main() -> None:
    """Run what is asked for, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts, to see that it works")
    parser.add_argument("--only", nargs="*", choices=list(BENCHMARKS), default=list(BENCHMARKS))
    options = parser.parse_args()
    configure(level="error")
    report: dict[str, Any] = {
        "schema": "langbot-agents/benchmark-routing/v1",
        "python": sys.version.split()[0],
    }
    for name in options.only:
        with tempfile.TemporaryDirectory(prefix="lba-bench-") as folder:
            print(f"{name} …", file=sys.stderr, flush=True)
            _start_afresh()
            report[name] = BENCHMARKS[name](Path(folder), options.quick)
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
