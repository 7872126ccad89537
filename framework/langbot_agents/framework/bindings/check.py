"""Documents, runners and filters made into one checked set: what fails stays out alone, with its findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.catalogue import contract, standard_types
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..collector import paused
from ..documents import (
    BindingFiles,
    Finding,
    LoadedDocument,
    LoadedFile,
    Path,
    by_place,
    nearest,
)
from ..errors import RunnerError
from ..filters import compile_filter
from ..registry import AgentRunnerRegistry
from ..texts import t
from .config import check_config
from .entry import SCOPE_FIELDS, BindingEntry
from .filter_check import compile_filters
from .index import Crowd
from .lint import Names, check_names, lint
from .model import BindingSet, Quarantined
from .named_models import check_models
from .outdone import Outdone, find_outdone
from .possible import CLOSED, is_possible
from .ties import Tie, find_ties
from .wildcard import Wildcard

UNFINISHED: Mapping[str, tuple[Any, ...]] = {
    "flow.overlap": ("queue", "parallel", "drop"),
    "flow.key": (None,),
    "flow.debounce": (None,),
    "flow.rate_limit": (None,),
    "flow.join_actors": (False,),
    "delivery_policy.at_sender": (False,),
    "delivery_policy.quote_origin": (False,),
    "delivery_policy.remove_think": (False,),
    "delivery_policy.show_tool_calls": (False,),
    "delivery_policy.delay": (None,),
    "delivery_policy.quiet_hours": ((),),
    "delivery_policy.long_text.strategy": ("split",),
    "resource_policy.actions": (None,),
    "resource_policy.restrict": ((),),
}
"""Fields that this version of the host reads only with these values; any other is an error, never ignored."""


MANY = 4
"""A set is made anew where more than one in so many of its bindings has changed."""


@dataclass(frozen=True, kw_only=True)
class CheckedBindings:
    """A set that can be routed, and everything that was found on the way."""

    set: BindingSet
    findings: tuple[Finding, ...]
    documents: int
    each: Mapping[int, "CheckedDocument"] = field(default_factory=dict, repr=False)
    """What each document came out as by itself, by the identity of the document, for the next check."""
    by: tuple[object, ...] = ()
    """What the documents were checked against."""


class CheckedDocument(NamedTuple):
    """One document by itself: its entry, unless it must stay out, and what is wrong with it."""

    document: LoadedDocument
    entry: BindingEntry | None
    findings: Sequence[Finding]


def check_bindings(
    files: BindingFiles,
    registry: AgentRunnerRegistry,
    *,
    timezone: str,
    models: Sequence[str] | None = None,
    names: Names = MappingProxyType({}),
    previous: CheckedBindings | None = None,
) -> CheckedBindings:
    """Make the set of a project; a document that fails is quarantined, the others run.

    `models` are the names that are declared; None where nobody can say. `names` are those of `tools`,
    `knowledge_bases` and `surfaces`, where somebody can. Documents that the `previous` check had too, against
    the same runners and names, are not looked at again.
    """
    by: tuple[object, ...] = (
        registry,
        tuple((item.id, item.state) for item in registry.descriptors()),
        None if models is None else tuple(models),
        {kind: tuple(known) for kind, known in names.items()},
    )
    known = previous.each if previous is not None and previous.by == by else {}
    with paused():
        before = previous.set if previous is not None and previous.set.timezone == timezone else None
        against = _Against(registry, models, names)
        return _checked(files, against, timezone=timezone, known=known, by=by, before=before)


class _Against(NamedTuple):
    """What documents are checked against."""

    registry: AgentRunnerRegistry
    models: Sequence[str] | None
    names: Names


def _checked(
    files: BindingFiles,
    against: _Against,
    *,
    timezone: str,
    known: Mapping[int, CheckedDocument],
    by: tuple[object, ...],
    before: BindingSet | None,
) -> CheckedBindings:
    findings: list[Finding] = list(files.findings)
    quarantined = [_unreadable(file) for file in files.files if not file.documents and _errors(file.findings)]
    quarantined += [_quarantine(document, document.findings) for document in files.quarantined]
    entries: dict[str, tuple[BindingEntry, LoadedDocument]] = {}
    each: dict[int, CheckedDocument] = {}
    for document in files.bindings:
        checked = known.get(id(document))
        if checked is None:  # each document that is known is held, so that no other can have its identity
            checked = CheckedDocument(document, *_check(document, against))
        each[id(document)] = checked
        _, entry, own = checked
        findings += own
        if entry is None:
            quarantined.append(_quarantine(document, own))
            continue
        name = entry.document.binding_id
        holder = entries.get(name)
        if holder is not None:
            clash = _repeated_id(document, holder[0])
            findings.append(clash)
            quarantined.append(_quarantine(document, [clash]))
            continue
        entries[name] = (entry, document)
    for tie in find_ties([entry for entry, _ in entries.values()]):
        if tie.first.binding_id in entries and tie.second.binding_id in entries:
            document = entries[tie.second.binding_id][1]
            finding = _tied(document, tie)
            findings.append(finding)
            if tie.decidable:
                del entries[tie.second.binding_id]
                quarantined.append(_quarantine(document, [finding]))
    findings += [
        _outdone(entries[item.entry.binding_id][1], item)
        for item in find_outdone([entry for entry, _ in entries.values()])
    ]
    made = _set_of(
        {name: entry for name, (entry, _) in entries.items()},
        quarantined,
        timezone=timezone,
        function_set=against.registry.filter_functions.version,
        before=before,
    )
    findings += [_crowded(entries[crowd.first.binding_id][1], crowd) for crowd in made.index.crowds()]
    return CheckedBindings(
        set=made,
        findings=by_place(findings),
        documents=len(files.documents),
        each=each,
        by=by,
    )


def _set_of(
    entries: Mapping[str, BindingEntry],
    quarantined: Sequence[Quarantined],
    *,
    timezone: str,
    function_set: str,
    before: BindingSet | None,
) -> BindingSet:
    """The set of these, made of the one before where most of it is the same, so that its index is too."""
    if before is not None:
        come = [entry for name, entry in entries.items() if before.get(name) is not entry]
        new = sum(before.get(entry.binding_id) is None for entry in come)
        left: list[str] = []
        if len(before) + new > len(entries):
            left = [entry.binding_id for entry in before.entries if entry.binding_id not in entries]
        if MANY * (len(come) + len(left)) < len(entries):
            return before.changed(come, left, quarantined=quarantined)
    return BindingSet(entries.values(), quarantined, timezone=timezone, function_set=function_set)


def entry_of(
    binding: AgentBinding, revision: str, registry: AgentRunnerRegistry, *, file: str = "-", line: int = 1
) -> BindingEntry:
    """An entry from a document that is known to be good, such as a stored revision. Raises `RunnerError`."""
    return BindingEntry(
        document=binding,
        revision=revision,
        file=file,
        line=line,
        runner=registry.resolve(binding.runner_id).descriptor,
        filters=tuple(compile_filter(item.expr, registry.filter_functions) for item in binding.filters),
    )


def _check(document: LoadedDocument, against: _Against) -> tuple[BindingEntry | None, list[Finding]]:
    binding = document.binding
    if binding is None or document.digest is None:
        raise AssertionError(f"{document.file}:{document.line}: not a binding")
    filters, findings = compile_filters(document, binding, against.registry.filter_functions)
    runner: AgentRunnerDescriptor | None = None
    try:
        runner = against.registry.resolve(binding.runner_id).descriptor
    except RunnerError as error:
        findings.append(
            document.source.finding(
                "LBA301", ("runner_id",), error.message, remedy=error.remedy, value=binding.runner_id
            )
        )
    else:
        findings += check_config(document, binding, runner)
        if against.models is not None and binding.enabled:
            findings += check_models(document, binding, runner, against.models)
        findings += lint(document, binding, runner)
        findings += check_names(document, binding, against.names)
    findings += [*_event_types(document, binding), *_scope(document, binding)]
    findings += _unfinished(document, binding)
    if runner is None or _errors(findings):
        return None, findings
    entry = BindingEntry(
        document=binding,
        revision=document.digest,
        file=document.file,
        line=document.line,
        runner=runner,
        filters=tuple(filters),
    )
    return entry, findings


def _event_types(document: LoadedDocument, binding: AgentBinding) -> list[Finding]:
    """A type that nobody knows is taken as it is; one that is nearly a known one is worth a word."""
    known = [name for found in standard_types() if not found.pattern for name in (found.name, *found.aliases)]
    findings = []
    for index, name in enumerate(binding.event_types):
        near = nearest(name, known) if "*" not in name and contract(name) is None else None
        if near is not None:
            findings.append(
                document.source.finding(
                    "LBA149",
                    ("event_types", index),
                    t("{value!r} is no standard event type", value=name),
                    remedy=t("did you mean {near!r}?", near=near),
                    value=name,
                    severity="warning",
                )
            )
    return findings


def _scope(document: LoadedDocument, binding: AgentBinding) -> list[Finding]:
    """A value that no event can have would keep the binding silent for ever."""
    findings = []
    for name in SCOPE_FIELDS:
        stated = getattr(binding.scope, name)
        for index, value in enumerate((stated,) if isinstance(stated, str) else stated or ()):
            if "*" in value:
                allowed = CLOSED.get(name)
                possible = allowed is None or any(Wildcard(value).matches(each) for each in allowed)
            else:
                possible = is_possible(name, value)
            if possible:
                continue
            path: Path = ("scope", name) if isinstance(stated, str) else ("scope", name, index)
            near = nearest(value, CLOSED.get(name, ()))
            remedy = None
            if near is not None:
                remedy = t("did you mean {near!r}?", near=near)
            elif name in CLOSED:
                remedy = t("allowed: {names}", names=", ".join(CLOSED[name]))
            message = t("no event has {name} {value!r}", name=name, value=value)
            findings.append(document.source.finding("LBA144", path, message, remedy=remedy, value=value))
    return findings


def _unfinished(document: LoadedDocument, binding: AgentBinding) -> list[Finding]:
    findings = []
    for name, allowed in UNFINISHED.items():
        value: Any = binding
        path = tuple(name.split("."))
        for part in path:
            value = getattr(value, part)
        if value not in allowed:
            findings.append(
                document.source.finding(
                    "LBA390",
                    path,
                    t("this version of the host does not do this yet"),
                    remedy=t("remove it, or wait for a version that does; nothing is ignored silently"),
                )
            )
    return findings


def _repeated_id(document: LoadedDocument, holder: BindingEntry) -> Finding:
    return document.source.finding(
        "LBA310",
        ("binding_id",),
        t("{name!r} is already the binding at {origin}", name=holder.binding_id, origin=holder.origin),
        remedy=t("give one of them another binding_id; the first stays live"),
        value=holder.binding_id,
    )


def _tied(document: LoadedDocument, tie: Tie) -> Finding:
    shown = ", ".join(f"{name}={value!r}" for name, value in tie.witness.items())
    if tie.decidable:
        message = t(
            "ties with {name!r} ({origin}): both would answer {event}",
            name=tie.first.binding_id,
            origin=tie.first.origin,
            event=shown,
        )
        remedy = t(
            "change priority, scope or event_types, or make one `mode: observe`; {name!r} stays live",
            name=tie.first.binding_id,
        )
        return document.source.finding("LBA311", ("binding_id",), message, remedy=remedy)
    return document.source.finding(
        "LBA312",
        ("binding_id",),
        t(
            "may tie with {name!r} ({origin}) where both filters hold, for example {event}",
            name=tie.first.binding_id,
            origin=tie.first.origin,
            event=shown,
        ),
        remedy=t(
            "change priority, so that it is said which one answers; now {name!r} does",
            name=tie.first.binding_id,
        ),
        severity="warning",
    )


def _outdone(document: LoadedDocument, item: Outdone) -> Finding:
    return document.source.finding(
        "LBA314",
        ("binding_id",),
        t(
            "it never answers: {name!r} ({origin}) takes every event that this one takes, and comes first",
            name=item.by.binding_id,
            origin=item.by.origin,
        ),
        remedy=t(
            "give it a priority over {priority}, let {name!r} take less, or write `on_failure: next` there",
            priority=item.by.document.priority,
            name=item.by.binding_id,
        ),
        severity="warning",
    )


def _crowded(document: LoadedDocument, crowd: Crowd) -> Finding:
    return document.source.finding(
        "LBA313",
        ("filters",),
        t(
            "{count} bindings with filters take {event_type!r} and differ in nothing that can be looked up",
            count=len(crowd.entries),
            event_type=crowd.event_type,
        ),
        remedy=t(
            "each such event is tested against all of their filters; let each of them name a value of its "
            "own in `scope`, or demand one in a filter, as in `metadata.room == 'a' && …`"
        ),
        severity="warning",
        at_key=True,
    )


def _errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _unreadable(file: LoadedFile) -> Quarantined:
    """A file that cannot be read stays out like a document: nobody knows what is in it."""
    first = _errors(file.findings)[0]
    return Quarantined(binding_id=None, file=file.file, line=first.line, reason=first.headline())


def _quarantine(document: LoadedDocument, findings: Sequence[Finding]) -> Quarantined:
    first = (_errors(findings) or list(findings))[0]
    return Quarantined(
        binding_id=document.binding_id,
        file=document.file,
        line=document.line,
        reason=first.headline(),
        revision=document.digest,
        workspace_id=_workspace(document.source.data),
    )


def _workspace(data: Any) -> str | None:
    """The one workspace that a document says it takes, as far as it can be read."""
    scope = data.get("scope", {}) if isinstance(data, dict) else None
    stated = scope.get("workspace_id", "default") if isinstance(scope, dict) else None
    return stated if isinstance(stated, str) and "*" not in stated else None
