"""What a binding says that is right by the rules and still a mistake: warnings, which keep nothing out."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding, NamedTarget
from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import Finding, LoadedDocument, Path, check_literal_secrets, nearest
from ..texts import t
from .entry import SCOPE_FIELDS
from .selectors import SELECTORS, selections

_WORDS = frozenset({"yes", "no", "on", "off", "y", "n"})
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_MARKED = re.compile(r"[0-9]+(?:_[0-9]+)+")
_CLOCK = re.compile(r"[0-9]{1,2}(?::[0-9]{2}){1,2}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")

Names = Mapping[str, Sequence[str]]
"""The names that are declared, by kind of resource; of a kind that is not there nobody can say."""


def lint(document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor) -> list[Finding]:
    """All warnings about one binding by itself."""
    findings = [*_repeated(document, binding), *_when(document, binding), *_traps(document, binding, runner)]
    findings += check_literal_secrets(document.source)
    if binding.mode == "observe":
        findings += _observer(document)
    findings += _grants(document, binding, runner)
    return findings


def _warn(
    document: LoadedDocument, code: str, path: Path, message: str, remedy: str, **fields: Any
) -> Finding:
    return document.source.finding(code, path, message, remedy=remedy, severity="warning", **fields)


# what is there twice


def _repeated(document: LoadedDocument, binding: AgentBinding) -> Iterator[Finding]:
    for path, values in _lists(binding):
        if len(values) < 2:
            continue
        seen: dict[Any, str] = {}
        for index, value in enumerate(values):
            known = canonical_type(value) if path == ("event_types",) else value
            first = seen.setdefault(known, str(value))
            if len(seen) <= index:
                seen[index, known] = ""  # one finding for each that repeats another
                message = t("{value} is in the list twice", value=repr(value))
                if first != value:
                    message = t("{value} is another name of {first}", value=repr(value), first=repr(first))
                yield _warn(document, "LBA115", (*path, index), message, t("remove one of them"))


def _lists(binding: AgentBinding) -> Iterator[tuple[Path, Sequence[Any]]]:
    yield ("event_types",), binding.event_types
    for name in SCOPE_FIELDS:
        value = getattr(binding.scope, name)
        if isinstance(value, tuple):
            yield ("scope", name), value
    yield ("filters",), [item.expr for item in binding.filters]
    for kind in SELECTORS:
        yield ("resource_policy", kind), getattr(binding.resource_policy, kind) or ()
    yield ("state_policy", "scopes"), binding.state_policy.scopes
    targets = binding.delivery_policy.targets
    yield ("delivery_policy", "targets"), [item for item in targets if isinstance(item, str)]


# when it is active


def _when(document: LoadedDocument, binding: AgentBinding) -> Iterator[Finding]:
    active = binding.active
    if active is None:
        return
    if active.from_ is not None and active.until is not None and active.until <= active.from_:
        yield _warn(
            document,
            "LBA150",
            ("active", "until"),
            t("it ends before it begins, so the binding is never active"),
            t("write a moment after `from`"),
        )
    elif active.until is not None and active.until.timestamp() <= time.time():
        yield _warn(
            document,
            "LBA150",
            ("active", "until"),
            t("this is in the past, so the binding is not active any more"),
            t("write a later moment, or remove the binding"),
        )
    for index, window in enumerate(active.hours):
        begin, end = window.bounds()
        if begin == end and window.hours != "00:00-24:00":
            yield _warn(
                document,
                "LBA152",
                ("active", "hours", index),
                t("{hours} is the whole day, not a moment", hours=window.hours),
                t("write another end, or `00:00-24:00` if the whole day is meant"),
            )


# what an observer has no use for

OBSERVER_UNUSED: Mapping[str, Callable[[], str]] = {
    "delivery_policy": lambda: t("what an observer says is recorded and never delivered"),
    "priority": lambda: t("an observer runs beside whatever answers, so that it has no rank"),
    "on_failure": lambda: t("nothing comes after an observer that fails"),
}


def _observer(document: LoadedDocument) -> Iterator[Finding]:
    for key, reason in OBSERVER_UNUSED.items():
        if key in document.source.data:
            remedy = t("remove it, or write `mode: respond`")
            yield _warn(document, "LBA151", (key,), reason(), remedy, at_key=True)


# what it grants


def _grants(
    document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor
) -> Iterator[Finding]:
    policy = binding.resource_policy
    for kind in SELECTORS:
        names: tuple[str, ...] = getattr(policy, kind) or ()
        if names and not getattr(runner.permissions, kind):
            yield _warn(
                document,
                "LBA308",
                ("resource_policy", kind),
                t("runner {runner} never asks for {kind}", runner=runner.id, kind=kind),
                t("remove it, or take a runner that asks for them"),
                at_key=True,
            )
        elif "*" in names and not any(selections(runner.config_schema, binding.runner_config, kind)):
            yield _warn(
                document,
                "LBA309",
                ("resource_policy", kind, names.index("*")),
                t("this grants all {kind} there are, and all that come later", kind=kind),
                t("name those that the runner needs; a pattern such as `search-*` is narrower, too"),
            )


MISSING: Mapping[str, Callable[[str], str]] = {
    "LBA305": lambda name: t("no tool {name!r} is declared", name=name),
    "LBA306": lambda name: t("no knowledge base {name!r} is declared", name=name),
    "LBA307": lambda name: t("no surface is called {name!r}", name=name),
}


def check_names(document: LoadedDocument, binding: AgentBinding, declared: Names) -> list[Finding]:
    """Names of tools, knowledge bases and surfaces that nobody declared."""
    findings = []
    for code, kind, path, name in _named(binding):
        known = declared.get(kind)
        if known is None or "*" in name or name in known:
            continue
        near = nearest(name, known)
        remedy = t("did you mean {near!r}?", near=near)
        if near is None:
            remedy = t("declared: {names}", names=", ".join(known) or "-")
        findings.append(_warn(document, code, path, MISSING[code](name), remedy, value=name))
    return findings


def _named(binding: AgentBinding) -> Iterable[tuple[str, str, Path, str]]:
    for code, kind in (("LBA305", "tools"), ("LBA306", "knowledge_bases")):
        for index, name in enumerate(getattr(binding.resource_policy, kind) or ()):
            yield code, kind, ("resource_policy", kind, index), name
    for index, item in enumerate(binding.delivery_policy.targets):
        if isinstance(item, NamedTarget):
            yield "LBA307", "surfaces", ("delivery_policy", "targets", index, "surface"), item.surface


# values that YAML readers do not agree on


def _traps(
    document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor
) -> Iterator[Finding]:
    """In `runner_config` alone: all other keys have one type, so that a mistake there is an error."""
    config = document.source.data.get("runner_config")
    if not config:
        return
    zeros = re.search(r"[\s\[:,][-+]?0[0-9]", document.source.text) is not None
    for path, value in _scalars(config, ()):
        message = _misread(value, zeros)
        if message is None:
            continue
        place: Path = ("runner_config", *path)
        raw = document.source.raw(place)
        if raw[:1] in {"'", '"', "|", ">"} or (isinstance(value, int) and not _LEADING_ZERO.fullmatch(raw)):
            continue
        if isinstance(value, str) and "string" in _types(runner.config_schema, path):
            continue
        remedy = t('quote it if it is text: "{text}"', text=raw)
        yield _warn(document, "LBA114", place, message(raw, value), remedy)


Told = Callable[[str, Any], str]


def _misread(value: Any, zeros: bool) -> Told | None:
    """What to say of a value that may be meant otherwise, given how it is written."""
    if isinstance(value, int) and not isinstance(value, bool) and zeros:
        return lambda raw, value: t(
            "{raw} is the number {value}: the zero before it is lost", raw=raw, value=value
        )
    if not isinstance(value, str) or len(value) > 40:
        return None
    if value.lower() in _WORDS:
        return lambda raw, value: t("{raw} is text here, not true or false", raw=raw)
    if _MARKED.fullmatch(value):
        return lambda raw, value: t("{raw} is text here, not a number", raw=raw)
    if _CLOCK.fullmatch(value) or _DATE.fullmatch(value):
        return lambda raw, value: t(
            "{raw} is text here; other readers of YAML take it as a number or a date", raw=raw
        )
    return None


def _scalars(data: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(data, dict):
        for key, item in data.items():
            yield from _scalars(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _scalars(item, (*path, index))
    else:
        yield path, data


def _types(schema: Any, path: Path) -> set[str]:
    """The types that the schema names for a place, as far as its `properties` lead there."""
    for step in path:
        inner = schema.get("properties") if isinstance(step, str) else schema.get("items")
        schema = inner.get(step) if isinstance(step, str) and isinstance(inner, Mapping) else inner
        if not isinstance(schema, Mapping):
            return set()
    branches = [schema, *(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    stated = [branch.get("type") for branch in branches if isinstance(branch, Mapping)]
    return {name for each in stated for name in ((each,) if isinstance(each, str) else each or ())}
