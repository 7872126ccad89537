"""The models that a binding names, against those that are declared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import Finding, LoadedDocument, Path, is_reference, nearest
from ..texts import t

SELECTORS = frozenset(
    {"llm-model-selector", "model-fallback-selector", "rerank-model-selector", "embedding-model-selector"}
)
NO_MODEL = frozenset({"", "__none__", "__none"})
"""How LangBot writes that no model is chosen."""


def check_models(
    document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor, declared: Sequence[str]
) -> list[Finding]:
    """A finding for each name that nobody declared: an error where the runner would call it."""
    findings = []
    schema = runner.config_schema
    for place, name in dict(_selected(schema, binding.runner_config, schema, ("runner_config",))).items():
        if name not in declared and name not in NO_MODEL and not is_reference(name):
            findings.append(_undeclared(document, place, name, declared))
    for index, name in enumerate(binding.resource_policy.models or ()):
        if "*" not in name and name not in declared:
            place = ("resource_policy", "models", index)
            findings.append(_undeclared(document, place, name, declared, severity="warning"))
    return findings


def _undeclared(
    document: LoadedDocument, place: Path, name: str, declared: Sequence[str], **fields: Any
) -> Finding:
    near = nearest(name, declared)
    if near is not None:
        remedy = t("did you mean {near!r}?", near=near)
    else:
        remedy = t(
            "declare it under `models` in langbot-agents.yaml; declared: {names}",
            names=", ".join(declared) or "-",
        )
    message = t("no model {name!r} is declared", name=name)
    return document.source.finding("LBA304", place, message, remedy=remedy, value=name, **fields)


def _selected(
    schema: Any,
    value: Any,
    root: Mapping[str, Any],
    place: Path,
    seen: frozenset[tuple[str, int]] = frozenset(),
) -> Iterator[tuple[Path, str]]:
    """Each name in a field that selects models, with its place."""
    if not isinstance(schema, Mapping) or value is None:
        return
    if schema.get("x-selector") in SELECTORS:
        yield from _names(value, place)
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and (reference, id(value)) not in seen:
        yield from _selected(_referred(root, reference), value, root, place, seen | {(reference, id(value))})
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(key) or ():
            yield from _selected(branch, value, root, place, seen)
    if isinstance(value, Mapping):
        for name, field in (schema.get("properties") or {}).items():
            yield from _selected(field, value.get(name), root, (*place, name), seen)
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _selected(schema.get("items"), item, root, (*place, index), seen)


def _names(value: Any, place: Path) -> Iterator[tuple[Path, str]]:
    """One name, a list of them, or {primary, fallbacks}."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key in ("primary", "fallbacks"):
            yield from _names(value.get(key), (*place, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _names(item, (*place, index))


def _referred(root: Mapping[str, Any], reference: str) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
