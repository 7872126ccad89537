"""Mutants of a binding: small changes that a good set of cases should notice."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from langbot_agents.schemas.bindings import AgentBinding

from ..bindings import SCOPE_FIELDS, BindingEntry, BindingSet
from ..documents import Path as KeyPath
from ..explanation import Place, Places
from ..filters import CompiledFilter, FilterSyntaxError, Node, compile_filter, conjuncts, parse
from ..texts import t

Kind = Literal["disabled", "filter", "event_type", "scope", "priority", "mode", "active"]

_SWAPPED = {"eq": "!=", "ne": "==", "lt": "<=", "lte": "<", "gt": ">=", "gte": ">"}
_WRITTEN = {"eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_CONDITIONS = frozenset(
    {"comparator", "function_expression", "not_expression", "and_expression", "or_expression"}
)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A binding with one change."""

    kind: Kind
    change: str
    """What was changed, in words."""
    place: Place
    original: BindingEntry
    entry: BindingEntry

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "binding_id": self.original.binding_id,
            "kind": self.kind,
            "change": self.change,
            **self.place.as_dict(),
        }


def mutants_of(entry: BindingEntry, bindings: BindingSet, places: Places) -> Iterator[Mutant]:
    """The mutants of a binding that takes part; the first is the one without it."""
    for kind, path, offset, change, mutated in _changes(entry, bindings):
        yield Mutant(
            kind=kind, change=change, place=places.at(entry, path, offset), original=entry, entry=mutated
        )


_Change = tuple[Kind, KeyPath, int | None, str, BindingEntry]


def _changes(entry: BindingEntry, bindings: BindingSet) -> Iterator[_Change]:
    document = entry.document
    yield "disabled", (), None, t("the binding is left out"), _with(entry, enabled=False)
    yield from _filter_changes(entry)
    if len(document.event_types) > 1:
        for index, name in enumerate(document.event_types):
            rest = tuple(item for item in document.event_types if item != name)
            change = t("event type {name!r} is left out", name=name)
            yield "event_type", ("event_types", index), None, change, _with(entry, event_types=rest)
    for name in SCOPE_FIELDS:
        if name != "workspace_id" and getattr(document.scope, name) is not None:
            scope = document.scope.model_copy(update={name: None})
            change = t("scope.{field} is left out", field=name)
            yield "scope", ("scope", name), None, change, _with(entry, scope=scope)
    if document.priority != 0 and _outranks_otherwise(entry, bindings):
        yield "priority", ("priority",), None, t("priority is left out"), _with(entry, priority=0)
    if document.mode == "respond":
        yield "mode", ("mode",), None, t("it observes instead of answering"), _with(entry, mode="observe")
    else:
        yield "mode", ("mode",), None, t("it answers instead of observing"), _with(entry, mode="respond")
    if document.active is not None:
        yield "active", ("active",), None, t("it is always active"), _with(entry, active=None)


def _with(entry: BindingEntry, **values: Any) -> BindingEntry:
    document: AgentBinding = entry.document.model_copy(update=values)
    return replace(entry, document=document)


def _outranks_otherwise(entry: BindingEntry, bindings: BindingSet) -> bool:
    """Whether a priority of 0 may change who comes before whom, among those that answer the same types."""
    scope = tuple(-value for value in entry.scope_rank)
    before, after = (-entry.document.priority, scope), (0, scope)
    for other in bindings.live:
        if (
            other.binding_id == entry.binding_id
            or other.document.mode != "respond"
            or not _share_types(entry, other)
        ):
            continue
        theirs = (-other.document.priority, tuple(-value for value in other.scope_rank))
        if (before < theirs, before > theirs) != (after < theirs, after > theirs):
            return True
    return False


def _share_types(one: BindingEntry, other: BindingEntry) -> bool:
    return (
        any(other.type_rank(name) is not None for name in one.exact)
        or any(one.type_rank(name) is not None for name in other.exact)
        or any(a.startswith(b) or b.startswith(a) for a in one.prefixes for b in other.prefixes)
    )


def _filter_changes(entry: BindingEntry) -> Iterator[_Change]:
    for index, compiled in enumerate(entry.filters):
        for offset, change, text in _texts(compiled.expr):
            changed = _compiled(text)
            if changed is not None:
                kept = (*entry.filters[:index], *changed, *entry.filters[index + 1 :])
                yield "filter", ("filters", index), offset, change, replace(entry, filters=kept)


def _compiled(text: str | None) -> tuple[CompiledFilter, ...] | None:
    """The filter of a changed text, none for no text; None where a package's function is not known here."""
    if text is None:
        return ()
    try:
        return (compile_filter(text),)
    except FilterSyntaxError:
        return None


def _texts(expr: str) -> Iterator[tuple[int, str, str | None]]:
    """Where an expression is changed, what is changed, and the text that comes of it."""
    legs = conjuncts(parse(expr))
    written = [_wrapped(expr[leg.start : leg.end]) for leg in legs]
    for number, leg in enumerate(legs):
        text = expr[leg.start : leg.end]
        before, after = written[:number], written[number + 1 :]
        yield leg.start, t("{leg} is left out", leg=text), " && ".join([*before, *after]) or None
        yield leg.start, t("{leg} is negated", leg=text), " && ".join([*before, f"!({text})", *after])
        for node in leg.walk():
            for start, end, new, change in _replacements(node, expr, whole=node is leg):
                yield start, change, expr[:start] + new + expr[end:]


def _wrapped(text: str) -> str:
    return f"({text})"


def _replacements(node: Node, expr: str, *, whole: bool) -> Iterator[tuple[int, int, str, str]]:
    """Parts `[start, end)` of the text, what takes their place, and that in words."""
    if node.kind == "comparator" and not (whole and node.value in {"eq", "ne"}):
        left, right = node.children
        written, new = _WRITTEN[node.value], _SWAPPED[node.value]
        start = expr.find(written, left.end, right.start)
        if start >= 0:
            change = t("{old} becomes {new}", old=expr[node.start : node.end], new=f"… {new} …")
            yield start, start + len(written), new, change
    elif node.kind == "literal":
        other = _other(node.value)
        if other is not None:
            old = expr[node.start : node.end]
            yield node.start, node.end, other, t("{old} becomes {new}", old=old, new=other)
    elif node.kind == "or_expression" and all(child.kind in _CONDITIONS for child in node.children):
        texts = [expr[child.start : child.end] for child in node.children]
        for dropped, kept in (texts, texts[::-1]):
            change = t("{part} is left out of the `||`", part=dropped)
            yield node.start, node.end, _wrapped(kept), change


def _other(value: Any) -> str | None:
    """Another literal of the same kind; an empty one is a default, which nothing needs to notice."""
    if value in ("", None, [], {}):
        return None
    if isinstance(value, bool):
        return f"`{json.dumps(not value)}`"
    if isinstance(value, int | float):
        return f"`{json.dumps(value + 1)}`"
    if isinstance(value, str):
        if "'" not in value and "\\" not in value:
            return f"'{value}~'"
        return "`" + json.dumps(value + "~", ensure_ascii=False).replace("`", "\\`") + "`"
    return None
