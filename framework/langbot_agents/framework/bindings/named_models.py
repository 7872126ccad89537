"""The models that a binding names, against those that are declared."""

from collections.abc import Sequence
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import Finding, LoadedDocument, Path, is_reference, nearest
from ..texts import t
from .selectors import names_in, selections

NO_MODEL = frozenset({"", "__none__", "__none"})
"""How LangBot writes that no model is chosen."""


def check_models(
    document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor, declared: Sequence[str]
) -> list[Finding]:
    """A finding for each name that nobody declared: an error where the runner would call it."""
    findings = []
    selected = {
        place: name
        for held_at, value in selections(runner.config_schema, binding.runner_config, "models")
        for place, name in names_in(value, ("runner_config", *held_at))
    }
    for place, name in selected.items():
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
