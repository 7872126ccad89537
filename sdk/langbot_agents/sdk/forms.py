"""LangBot's form lists as JSON Schema."""

from collections.abc import Iterable, Mapping
from typing import Any

from langbot_agents.schemas.runners import SELECTOR_TYPES
from langbot_agents.schemas.text import localized

_TYPES: Mapping[str, Mapping[str, Any]] = {
    "string": {"type": "string"},
    "text": {"type": "string"},
    "textarea": {"type": "string"},
    "integer": {"type": "integer"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "bool": {"type": "boolean"},
    "array[string]": {"type": "array", "items": {"type": "string"}},
    "select": {"type": "string"},
    "secret": {"type": "string"},
    "llm-model-selector": {"type": "string"},
    "rerank-model-selector": {"type": "string"},
    "embedding-model-selector": {"type": "string"},
    "file-selector": {"type": "string"},
    "knowledge-base-multi-selector": {"type": "array", "items": {"type": "string"}},
    "tool-multi-selector": {"type": "array", "items": {"type": "string"}},
}
_ALIASES = {
    "select-llm-model": "llm-model-selector",
    "select-knowledge-bases": "knowledge-base-multi-selector",
}


def schema_from_form(items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Turn a LangBot form (a list of `{name, type, label, default, required, options}`) into JSON Schema.

    Selector types stay as `x-selector`; kinds we do not know accept any value. Raises `ValueError` for
    a field without a name.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    for index, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            raise ValueError(f"form field {index} has no `name`")
        name = item["name"]
        kind = _ALIASES.get(str(item.get("type", "string")), str(item.get("type", "string")))
        field: dict[str, Any] = dict(_TYPES.get(kind, {}))
        if kind in SELECTOR_TYPES:
            field["x-selector"] = kind
        options = item.get("options")
        if kind == "select" and isinstance(options, list):
            field["enum"] = [
                option.get("name") if isinstance(option, Mapping) else option for option in options
            ]
        if label := localized(item.get("label")):
            field["title"] = label
        if description := localized(item.get("description")):
            field["description"] = description
        if "default" in item:
            field["default"] = item["default"]
        elif item.get("required"):
            required.append(name)
        properties[name] = field
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema
