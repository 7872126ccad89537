"""A Pipeline's config as a binding, and a note for every key that has no effect here."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..errors import RunnerError, RunnerNotFoundError
from ..texts import t
from .notes import LegacyNote, leaves, spelled
from .settings import runner_settings

FindRunner = Callable[[str], AgentRunnerDescriptor]
LATER = frozenset(
    {
        "dify-service-api",
        "n8n-service-api",
        "coze-api",
        "tbox-app-api",
        "dashscope-app-api",
        "langflow-api",
        "weknora-api",
        "deerflow-api",
    }
)
"""LangBot's runners that a later version brings."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,100}")


@dataclass(kw_only=True)
class ProjectedPipeline:
    """The binding of a Pipeline, or why there is none."""

    binding: AgentBinding | None = None
    problem: RunnerError | None = None
    notes: list[LegacyNote] = field(default_factory=list)


def project_pipeline(
    config: Any,
    find_runner: FindRunner,
    *,
    models: Sequence[str] = (),
    pipeline_uuid: str | None = None,
) -> ProjectedPipeline:
    """The binding of a Pipeline's config: an object, JSON text, or a row that holds either as `config`."""
    made = ProjectedPipeline()
    whole = _whole(config)
    ai = spelled(whole.get("ai"))
    runner = ai.get("runner")
    chosen = spelled(runner if isinstance(runner, Mapping) else {"runner": runner})
    name, block_key = _chosen(chosen, made)
    descriptor = None
    try:
        if name:
            descriptor = find_runner(name)
        else:
            made.problem = RunnerNotFoundError(
                t("the Pipeline names no runner"), remedy=t("set ai.runner.id, or ai.runner.runner")
            )
    except RunnerError as error:
        made.problem = _later(name, error)
        made.notes.append(
            LegacyNote(key=block_key, reason=made.problem.message, remedy=made.problem.remedy or "")
        )
    used = _note_the_rest(whole, ai, chosen, name, made, has_think="remove-think" in _properties(descriptor))
    if descriptor is None:
        return made
    block = _block(ai, name, block_key)
    if used is not None:
        block = {"remove-think": used, **block}
    place = f"ai.runner_config.{name}" if block_key == "ai.runner.id" else f"ai.{name}"
    settings = runner_settings(block, descriptor, place, models)
    made.notes += settings.notes
    label = _name(pipeline_uuid, whole)
    limits = {} if settings.history_rounds is None else {"history_rounds": settings.history_rounds}
    made.binding = AgentBinding.model_validate(
        {
            "binding_id": f"pipeline-{label}",
            "labels": {"origin": "langbot", **({"pipeline_id": pipeline_uuid} if pipeline_uuid else {})},
            "event_types": ["message.received"],
            "runner_id": descriptor.id,
            "runner_config": settings.config,
            "limits": limits,
        }
    )
    return made


def _whole(config: Any) -> Mapping[str, Any]:
    if not isinstance(config, str | Mapping):
        config = getattr(config, "config", None)
    elif (
        isinstance(config, Mapping) and "ai" not in config and isinstance(config.get("config"), str | Mapping)
    ):
        config = config["config"]
    if isinstance(config, str):
        try:
            config = json.loads(config)
        except ValueError:
            config = None
    return config if isinstance(config, Mapping) else {}


def _chosen(runner: Mapping[str, Any], made: ProjectedPipeline) -> tuple[str, str]:
    """The runner's name, and the key that says it."""
    stated, legacy = runner.get("id"), runner.get("runner")
    if isinstance(stated, str) and stated:
        if legacy and legacy != stated:
            reason = t("ai.runner.id is set, and decides")
            made.notes.append(LegacyNote(key="ai.runner.runner", reason=reason, remedy=t("remove it")))
        return stated, "ai.runner.id"
    return (legacy if isinstance(legacy, str) else ""), "ai.runner.runner"


def _later(name: str, error: RunnerError) -> RunnerError:
    if name not in LATER:
        return error
    return RunnerNotFoundError(
        t("this version has no runner {name!r} yet", name=name),
        remedy=t(
            "it comes with a later version; until then use local-agent, or a package that offers this name"
        ),
    )


def _block(ai: Mapping[str, Any], name: str, block_key: str) -> dict[str, Any]:
    """The settings of the runner that is used."""
    by_id = ai.get("runner-config")
    found = by_id.get(name) if isinstance(by_id, Mapping) else None
    if found is None and block_key != "ai.runner.id":
        found = ai.get(name)
    return spelled(found)


def _properties(descriptor: AgentRunnerDescriptor | None) -> Mapping[str, Any]:
    return {} if descriptor is None else descriptor.config_schema.get("properties") or {}


def _note_the_rest(
    whole: Mapping[str, Any],
    ai: Mapping[str, Any],
    runner: Mapping[str, Any],
    name: str,
    made: ProjectedPipeline,
    *,
    has_think: bool,
) -> Any:
    """A note for each key outside of the runner's block; gives `output.misc.remove-think`, which is used."""
    think = None
    for stage, data in whole.items():
        if stage == "ai":
            continue
        reason, remedy = _stage(stage)
        for place in leaves(data, stage):
            if place.replace("_", "-") == "output.misc.remove-think" and has_think:
                think = spelled(spelled(spelled(whole)["output"])["misc"])["remove-think"]
            else:
                made.notes.append(LegacyNote(key=place, reason=reason, remedy=remedy))
    for key in runner:
        if key not in {"runner", "id"}:
            reason = t("a conversation does not expire in this version")
            made.notes.append(LegacyNote(key=f"ai.runner.{key}", reason=reason, remedy=t("nothing to do")))
    unused = t("this runner is not the one that is used")
    for key, data in ai.items():
        if key == "runner-config":
            others = [other for other in data if other != name] if isinstance(data, Mapping) else [""]
            made.notes += [
                LegacyNote(key=f"ai.runner_config.{other}", reason=unused, remedy=t("nothing to do"))
                for other in others
            ]
        elif key not in {"runner", name}:
            made.notes.append(LegacyNote(key=f"ai.{key}", reason=unused, remedy=t("nothing to do")))
    return think


def _stage(stage: str) -> tuple[str, str]:
    if stage in {"trigger", "safety"}:
        return t("it was decided before there was a query"), t("it stays with the host that made the query")
    if stage == "output":
        return t("whoever reads the results shows them"), t("it stays with the host that made the query")
    return t("no part of a Pipeline that is known here"), t("remove it")


def _name(pipeline_uuid: str | None, whole: Mapping[str, Any]) -> str:
    """What the binding is called by: the Pipeline's id, else a digest of its config."""
    if pipeline_uuid is not None and _NAME.fullmatch(pipeline_uuid):
        return pipeline_uuid
    text = pipeline_uuid or json.dumps(whole, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
