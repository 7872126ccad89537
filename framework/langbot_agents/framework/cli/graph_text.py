"""The graph of the bindings, as a tree for a terminal and in Graphviz' language."""

import json
import math
from typing import Any

from ..bindings import BindingEntry
from ..texts import t
from . import counts
from .graph import Graph, Stop, scope_of, targets_of
from .output import Output, Part, clean


def print_graph(out: Output, graph: Graph) -> None:
    """Each event type with its bindings, then what takes no part, and what nobody took."""
    for lane in graph.lanes:
        out.line((lane.event_type, "bold"))
        out.table([_row(stop) for stop in lane.stops], indent=2)
    idle = [entry for entry in graph.bindings.entries if entry.state != "live"]
    if idle:
        out.line((t("Take no part"), "bold"))
        rows: list[tuple[Part, ...]] = [
            ((entry.state, "dim"), entry.binding_id, (entry.origin, "dim")) for entry in idle
        ]
        out.table(rows, indent=2)
    traffic = graph.traffic
    if traffic is None:
        return
    out.line(
        t(
            "{events} since {since}, {unmatched} of them unmatched",
            events=counts.events(traffic.events),
            since=f"{graph.since or '':.19}Z",
            unmatched=traffic.unmatched,
        )
    )


def _row(stop: Stop) -> tuple[Part, ...]:
    entry = stop.entry
    mark: Part = ("+", "cyan") if stop.place is None else (f"{stop.place}.", "green")
    won = "" if stop.won is None else t("won {count}", count=stop.won)
    behind = "" if stop.behind is None else t("below: {why}", why=stop.behind.sentence())
    return (
        mark,
        entry.binding_id,
        f"→ {_end(entry)}",
        (won, "bold"),
        (_conditions(entry), "dim"),
        (behind, "dim"),
    )


def _end(entry: BindingEntry) -> str:
    """The runner, and where its output goes."""
    targets = targets_of(entry)
    return f"{_runner(entry)} → {', '.join(targets)}" if targets else _runner(entry)


def _runner(entry: BindingEntry) -> str:
    return entry.runner.aliases[0] if entry.runner.aliases else entry.runner.id


def _conditions(entry: BindingEntry) -> str:
    document = entry.document
    parts = [f"{name}={_short(value)}" for name, value in scope_of(entry).items()]
    if document.filters:
        parts.append(counts.filters(len(document.filters)))
    if document.active is not None:
        parts.append(t("at times"))
    if document.priority:
        parts.append(t("priority {number}", number=document.priority))
    return ", ".join(parts)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else "|".join(map(str, value))


def dot(graph: Graph) -> str:
    """The graph in Graphviz' language; lines are wider where more events went."""
    lines = [
        "digraph bindings {",
        "  rankdir=LR;",
        '  node [fontname="sans-serif", fontsize=10];',
        '  edge [fontname="sans-serif", fontsize=9];',
    ]
    live = graph.bindings.live
    for entry in live:
        label = "\n".join(filter(None, (entry.binding_id, _conditions(entry))))
        style = ', style="dashed"' if entry.document.mode == "observe" else ""
        lines.append(f"  {_id('binding', entry.binding_id)} [shape=box, label={_quoted(label)}{style}];")
    for runner in sorted({entry.runner.id for entry in live}):
        shown = next(_runner(entry) for entry in live if entry.runner.id == runner)
        lines.append(f"  {_id('runner', runner)} [shape=component, label={_quoted(shown)}];")
    targets = sorted({target for entry in live for target in targets_of(entry)})
    lines += [f"  {_id('target', target)} [shape=cds, label={_quoted(target)}];" for target in targets]
    for lane in graph.lanes:
        source = _id("type", lane.event_type)
        lines.append(f"  {source} [shape=oval, label={_quoted(lane.event_type)}];")
        for stop in lane.stops:
            end = _id("binding", stop.entry.binding_id)
            lines.append(f"  {source} -> {end}{_weight(stop.won, stop.entry)};")
        for one, other in zip(lane.stops, lane.stops[1:], strict=False):
            if other.behind is not None:
                ends = (_id("binding", item.entry.binding_id) for item in (one, other))
                told = _quoted(other.behind.sentence())
                lines.append(
                    f"  {' -> '.join(ends)} [style=dotted, constraint=false, color=gray, tooltip={told}];"
                )
    for entry in live:
        binding, runner = _id("binding", entry.binding_id), _id("runner", entry.runner.id)
        lines.append(f"  {binding} -> {runner}{_weight(graph.won(entry), entry)};")
    for entry in live:
        start = _id("runner", entry.runner.id)
        told = f"[color=gray, tooltip={_quoted(entry.binding_id)}]"
        lines += [f"  {start} -> {_id('target', target)} {told};" for target in targets_of(entry)]
    return "\n".join([*dict.fromkeys(lines), "}"]) + "\n"


def _weight(count: int | None, entry: BindingEntry) -> str:
    parts = []
    if count is not None:
        parts += [f'label="{count}"', f"penwidth={1 + math.log10(1 + count):.2f}"]
    if entry.document.mode == "observe":
        parts.append("style=dashed")
    return f" [{', '.join(parts)}]" if parts else ""


def _id(kind: str, name: str) -> str:
    return _quoted(f"{kind}:{name}")


def _quoted(text: str) -> str:
    """A text as Graphviz reads it; JSON's escapes of quotes, backslashes and line ends are its own."""
    return json.dumps("\n".join(map(clean, text.split("\n"))), ensure_ascii=False)
