"""JSON Schemas of a project's documents for editors, with the installed runners and their settings."""

import json
from collections.abc import Mapping
from typing import Any

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.host import PluginSettings
from langbot_agents.schemas.json_schema import json_schema
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import KINDS
from ..plugins import PluginHost
from ..registry import AgentRunnerRegistry

FOLDER = ".langbot-agents/schema"
"""Where a project has them; `# yaml-language-server: $schema=…` in a document leads there."""

REFERENCE = {"type": "string", "pattern": r"^\$\{(env|file):[^}]+\}$"}
"""A secret, which may stand for any setting."""


def editor_schemas(runners: AgentRunnerRegistry | None = None) -> dict[str, str]:
    """File name to text; without a registry the runners are those of packages that ship."""
    registry = _shipped() if runners is None else runners
    found = {}
    for name in KINDS:
        schema = json_schema(name)
        schema["required"] = sorted({"apiVersion", "kind", *schema.get("required", ())})
        if name == "AgentBinding":
            _name_runners(schema, [item for item in registry.descriptors() if item.state == "ready"])
        found[f"{name}.json"] = json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return found


def _shipped() -> AgentRunnerRegistry:
    plugins = PluginHost(PluginSettings())
    plugins.discover()
    registry = AgentRunnerRegistry()
    registry.discover(plugins)
    return registry


def _name_runners(schema: dict[str, Any], runners: list[AgentRunnerDescriptor]) -> None:
    """Offer the runners, and check the settings of each; a runner that is not installed is no error here."""
    names = [name for runner in runners for name in (*runner.aliases, runner.id)]
    written = schema["properties"]["runner_id"]
    shared = {key: written.pop(key) for key in ("description", "examples") if key in written}
    schema["properties"]["runner_id"] = {"anyOf": [{"enum": names}, written], **shared}
    rules = []
    for runner in runners:
        config = _settings(runner, schema)
        if config is not None:
            named = {"properties": {"runner_id": {"enum": [*runner.aliases, runner.id]}}}
            rules.append(
                {
                    "if": {**named, "required": ["runner_id"]},
                    "then": {"properties": {"runner_config": config}},
                }
            )
    schema["allOf"] = rules


def _settings(runner: AgentRunnerDescriptor, schema: dict[str, Any]) -> dict[str, Any] | None:
    """The config schema of a runner as a part of the whole; None where a reference in it would break."""
    config: dict[str, Any] = thaw(runner.config_schema)
    definitions: Mapping[str, Any] = config.pop("$defs", {})
    own = {f"#/$defs/{name}": f"{runner.id}.{name}".replace("/", ".") for name in definitions}
    moved = _moved(config, own)
    parts = {own[f"#/$defs/{name}"]: _moved(part, own) for name, part in definitions.items()}
    if moved is None or any(part is None for part in parts.values()):
        return None
    schema["$defs"] |= parts
    properties = moved.get("properties", {})
    moved["properties"] = {name: _or_secret(part) for name, part in properties.items()}
    return {key: value for key, value in moved.items() if key not in ("$schema", "$id", "title")}


def _or_secret(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    if part.get("type") == "string" and not {"enum", "pattern"} & part.keys():
        return part
    shown = {key: part[key] for key in ("description", "title", "default", "examples") if key in part}
    return {**shown, "anyOf": [part, REFERENCE]}


def _moved(value: Any, places: Mapping[str, str]) -> Any:
    """The value with its references led to the new places; None where one leads elsewhere."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"] not in places:
            return None
        made = {
            key: f"#/$defs/{places[item]}"
            if key == "$ref" and isinstance(item, str)
            else _moved(item, places)
            for key, item in value.items()
        }
        lost = any(made[key] is None and value[key] is not None for key in made)
        return None if lost else made
    if isinstance(value, list):
        items = [_moved(item, places) for item in value]
        return None if any(a is None and b is not None for a, b in zip(items, value, strict=True)) else items
    return value
