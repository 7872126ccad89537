"""A legacy runner block as `runner_config`: spellings, types and old shapes made those of the runner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from langbot_agents.schemas.base import freeze, thaw
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..bindings import NO_MODEL
from ..texts import t
from .notes import LegacyNote

LOCAL_AGENT = "plugin:langbot-agents/local-agent/default"
MAX_ROUNDS = 1000


@dataclass(kw_only=True)
class RunnerSettings:
    """What a runner is given, and what of its block is not."""

    config: dict[str, Any] = field(default_factory=dict)
    history_rounds: int | None = None
    notes: list[LegacyNote] = field(default_factory=list)

    def note(self, key: str, reason: str, remedy: str) -> None:
        """Say why a key has no effect."""
        self.notes.append(LegacyNote(key=key, reason=reason, remedy=remedy))


def runner_settings(
    block: Mapping[str, Any], runner: AgentRunnerDescriptor, place: str, models: Sequence[str]
) -> RunnerSettings:
    """The settings of a block, whose keys are hyphened; a runner of another package gets them as they are."""
    made = RunnerSettings()
    if runner.id != LOCAL_AGENT:
        made.config = {key: escaped(_unwrapped(key, value)) for key, value in block.items()}
        return made
    schema = runner.config_schema
    properties = schema.get("properties") or {}
    for key, value in _local_agent(block).items():
        if key == "max-round":
            made.history_rounds = _rounds(value, f"{place}.{key}", made)
            continue
        if key not in properties:
            remedy = t("see the runner's settings with `lba runners show local-agent`")
            made.note(f"{place}.{key}", t("the runner has no such setting in this version"), remedy)
            continue
        coerced = _coerced(value, properties[key])
        if key == "model":
            coerced = _model(coerced, place, made, models)
        cause = _misfit(key, coerced, schema)
        if cause is not None:
            made.note(f"{place}.{key}", t("this version cannot use it: {cause}", cause=cause), t("change it"))
        else:
            made.config[key] = escaped(coerced)
    if "model" not in made.config:
        made.config["model"] = ""
    return made


def _local_agent(block: Mapping[str, Any]) -> dict[str, Any]:
    """Old shapes as today's: `base-prompt`, a prompt of bare texts, `knowledge-base` for one."""
    found = {key: _unwrapped(key, value) for key, value in block.items()}
    if "base-prompt" in found and not found.get("prompt"):
        found["prompt"] = found.pop("base-prompt")
    if isinstance(prompt := found.get("prompt"), list | tuple):
        found["prompt"] = [
            {"role": "system", "content": item} if isinstance(item, str) else item for item in prompt
        ]
    if "knowledge-base" in found and "knowledge-bases" not in found:
        found["knowledge-bases"] = [found.pop("knowledge-base")]
    if isinstance(bases := found.get("knowledge-bases"), list | tuple):
        found["knowledge-bases"] = [item for item in bases if item not in NO_MODEL]
    if found.get("rerank-model") in NO_MODEL:
        found["rerank-model"] = ""
    return found


def _unwrapped(key: str, value: Any) -> Any:
    """LangBot 4.5.0 wrote `base-prompt` as a list of one text."""
    if key == "base-prompt" and isinstance(value, list | tuple) and len(value) == 1:
        return value[0]
    return value


def _rounds(value: Any, place: str, made: RunnerSettings) -> int | None:
    number = _coerced(value, {"type": "integer"})
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MAX_ROUNDS:
        made.note(place, t("it is no number from 0 to {limit}", limit=MAX_ROUNDS), t("change it"))
        return None
    return number


def _model(value: Any, place: str, made: RunnerSettings, models: Sequence[str]) -> Any:
    """A name, or {primary, fallbacks}; names that nobody declared are noted."""
    if isinstance(value, Mapping):
        for key in value.keys() - {"primary", "fallbacks"}:
            made.note(
                f"{place}.model.{key}", t("the runner has no such setting in this version"), t("remove it")
            )
        fallbacks = value.get("fallbacks")
        listed = (
            [item for item in fallbacks if item not in NO_MODEL]
            if isinstance(fallbacks, list | tuple)
            else []
        )
        value = {"primary": value.get("primary") or "", "fallbacks": listed}
        names = [value["primary"], *listed]
    else:
        names = [value]
    for name in names:
        if isinstance(name, str) and name not in NO_MODEL and name not in models:
            remedy = t(
                "declare it under `models` in langbot-agents.yaml; declared: {names}",
                names=", ".join(models) or "-",
            )
            made.note(f"{place}.model", t("no model {name!r} is declared", name=name), remedy)
    return value


def _coerced(value: Any, schema: Mapping[str, Any]) -> Any:
    """Numbers and truth values that a row holds as text."""
    if not isinstance(value, str):
        return value
    kinds = {schema.get("type"), *(branch.get("type") for branch in schema.get("anyOf", ()))}
    text = value.strip()
    if "boolean" in kinds and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for kind, read in (("integer", int), ("number", float)):
        if kind in kinds:
            try:
                return read(text)
            except ValueError:
                continue
    return value


def _misfit(key: str, value: Any, schema: Mapping[str, Any]) -> str | None:
    """Why a value does not fit its setting."""
    try:
        freeze(value)
    except ValueError as error:
        return str(error)
    alone = {**thaw(schema), "required": []}
    found = next(Draft202012Validator(alone).iter_errors({key: thaw(value)}), None)
    return None if found is None else found.message[:200]


def escaped(value: Any) -> Any:
    """Text of a legacy source is never interpolated."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, Mapping):
        return {key: escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [escaped(item) for item in value]
    return value
