"""Documents, runners and filters made into one checked set: what fails stays out alone, with its findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import (
    BindingFiles,
    Finding,
    LoadedDocument,
    Path,
    by_place,
    find_references,
    is_reference,
    is_secret_name,
    nearest,
)
from ..errors import RunnerError
from ..filters import CompiledFilter, FilterSyntaxError, compile_filter
from ..registry import AgentRunnerRegistry
from ..texts import t
from .model import BindingEntry, BindingSet, Quarantined
from .ties import Tie, find_ties

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


@dataclass(frozen=True, kw_only=True)
class CheckedBindings:
    """A set that can be routed, and everything that was found on the way."""

    set: BindingSet
    findings: tuple[Finding, ...]
    documents: int


def check_bindings(files: BindingFiles, registry: AgentRunnerRegistry, *, timezone: str) -> CheckedBindings:
    """Make the set of a project; a document that fails is quarantined, the others run."""
    findings: list[Finding] = list(files.findings)
    quarantined = [_broken(document) for document in files.quarantined]
    entries: dict[str, tuple[BindingEntry, LoadedDocument]] = {}
    for document in files.bindings:
        entry, own = _check(document, registry)
        findings += own
        if entry is None:
            quarantined.append(_quarantine(document, own))
            continue
        holder = entries.get(entry.binding_id)
        if holder is not None:
            clash = _repeated_id(document, holder[0])
            findings.append(clash)
            quarantined.append(_quarantine(document, [clash]))
            continue
        entries[entry.binding_id] = (entry, document)
    for tie in find_ties([entry for entry, _ in entries.values()]):
        if tie.first.binding_id in entries and tie.second.binding_id in entries:
            document = entries[tie.second.binding_id][1]
            finding = _tied(document, tie)
            findings.append(finding)
            if tie.decidable:
                del entries[tie.second.binding_id]
                quarantined.append(_quarantine(document, [finding]))
    return CheckedBindings(
        set=BindingSet((entry for entry, _ in entries.values()), quarantined, timezone=timezone),
        findings=by_place(findings),
        documents=len(files.documents),
    )


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
        filters=tuple(compile_filter(item.expr) for item in binding.filters),
    )


def _check(
    document: LoadedDocument, registry: AgentRunnerRegistry
) -> tuple[BindingEntry | None, list[Finding]]:
    binding = document.binding
    if binding is None or document.digest is None:
        raise AssertionError(f"{document.file}:{document.line}: not a binding")
    filters, findings = _filters(document, binding)
    runner: AgentRunnerDescriptor | None = None
    try:
        runner = registry.resolve(binding.runner_id).descriptor
    except RunnerError as error:
        findings.append(
            document.source.finding(
                "LBA301", ("runner_id",), error.message, remedy=error.remedy, value=binding.runner_id
            )
        )
    else:
        findings += _config(document, binding, runner)
    findings += _unfinished(document, binding)
    if runner is None or any(finding.severity == "error" for finding in findings):
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


def _filters(document: LoadedDocument, binding: AgentBinding) -> tuple[list[CompiledFilter], list[Finding]]:
    compiled: list[CompiledFilter] = []
    findings: list[Finding] = []
    for index, item in enumerate(binding.filters):
        try:
            compiled.append(compile_filter(item.expr))
        except FilterSyntaxError as error:
            written = document.source.data["filters"][index]
            path: Path = ("filters", index) if isinstance(written, str) else ("filters", index, "expr")
            findings.append(
                document.source.finding(
                    "LBA201",
                    path,
                    t("not a JMESPath expression: {cause}", cause=error.message),
                    remedy=t("text stands in single quotes, for example `input.text == 'hello'`"),
                    value=item.expr,
                    offset=error.offset,
                    width=error.width,
                )
            )
    return compiled, findings


@lru_cache(maxsize=256)
def _validator(runner_id: str, schema: Any) -> Draft202012Validator:
    return Draft202012Validator(thaw(schema))


def _config(document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor) -> list[Finding]:
    """`runner_config` against the runner's own schema; a secret reference passes for any value."""
    config = thaw(binding.runner_config)
    validator = _validator(runner.id, runner.config_schema)
    findings = []
    for error in sorted(
        validator.iter_errors(config), key=lambda item: [str(part) for part in item.absolute_path]
    ):
        if isinstance(error.instance, str) and is_reference(error.instance):
            continue
        place: Path = tuple(error.absolute_path)
        unknown = _unknown_key(error)
        remedy = None
        if unknown is not None:
            place = (*place, unknown)
            known = sorted(error.schema.get("properties", {}))
            near = nearest(unknown, known)
            remedy = (
                t("did you mean {near!r}?", near=near)
                if near
                else t("the runner knows: {names}", names=", ".join(known) or "-")
            )
            message = t("runner {runner} has no setting {name!r}", runner=runner.id, name=unknown)
        else:
            shown = (
                "***"
                if any(isinstance(part, str) and is_secret_name(part) for part in place)
                else repr(error.instance)
            )
            message = t(
                "{value} does not fit runner {runner}: {cause}",
                value=shown[:80],
                runner=runner.id,
                cause=_cause(error),
            )
        findings.append(
            document.source.finding(
                "LBA302", ("runner_config", *place), message, remedy=remedy, at_key=unknown is not None
            )
        )
    return findings


def _unknown_key(error: Any) -> str | None:
    if error.validator != "additionalProperties" or not isinstance(error.instance, dict):
        return None
    extra = [key for key in error.instance if key not in error.schema.get("properties", {})]
    return extra[0] if extra else None


def _cause(error: Any) -> str:
    if error.validator == "type":
        return t("expected {kind}", kind=error.validator_value)
    if error.validator in {"enum", "const"}:
        return t("allowed: {names}", names=error.validator_value)
    if error.validator in {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}:
        return f"{error.validator} {error.validator_value}"
    if error.validator == "required":
        return t(
            "missing: {names}", names=[name for name in error.validator_value if name not in error.instance]
        )
    return str(error.validator)


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


def _broken(document: LoadedDocument) -> Quarantined:
    return _quarantine(document, document.findings)


def _quarantine(document: LoadedDocument, findings: Sequence[Finding]) -> Quarantined:
    errors = [finding for finding in findings if finding.severity == "error"]
    first = (errors or list(findings))[0]
    return Quarantined(
        binding_id=document.binding_id,
        file=document.file,
        line=document.line,
        reason=first.headline(),
        revision=document.digest,
    )


def secret_references(bindings: Iterable[BindingEntry]) -> list[Any]:
    """Every secret reference of the live bindings, for listing the missing ones at once."""
    return [
        reference
        for entry in bindings
        for _, reference in find_references(thaw(entry.document.runner_config))
    ]
