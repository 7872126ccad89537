"""LangBot's form lists as JSON Schema."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from langbot_agents.schemas.runners import SELECTOR_TYPES
from langbot_agents.sdk import schema_from_form

FORM: list[dict[str, Any]] = [
    {
        "name": "model",
        "type": "select-llm-model",
        "required": True,
        "label": {"en_US": "Model", "zh_Hans": "模型"},
    },
    {"name": "bases", "type": "select-knowledge-bases", "default": []},
    {"name": "fallback", "type": "model-fallback-selector"},
    {
        "name": "mode",
        "type": "select",
        "options": [{"name": "a", "label": {"en_US": "A"}}, "b"],
        "default": "a",
    },
    {"name": "limit", "type": "integer", "default": 3, "required": True, "description": {"en_US": "Most."}},
    {"name": "names", "type": "array[string]"},
    {"name": "key", "type": "secret"},
    {"name": "odd", "type": "some-type-of-tomorrow"},
]


def test_form() -> None:
    """Types, options, defaults and texts are kept; a field with a default is not required."""
    schema = schema_from_form(FORM)

    Draft202012Validator.check_schema(schema)
    assert schema["required"] == ["model"]
    assert schema["properties"] == {
        "model": {"type": "string", "x-selector": "llm-model-selector", "title": "Model"},
        "bases": {
            "type": "array",
            "items": {"type": "string"},
            "x-selector": "knowledge-base-multi-selector",
            "default": [],
        },
        "fallback": {"x-selector": "model-fallback-selector"},
        "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "limit": {"type": "integer", "default": 3, "description": "Most."},
        "names": {"type": "array", "items": {"type": "string"}},
        "key": {"type": "string", "x-selector": "secret"},
        "odd": {},
    }


@pytest.mark.parametrize("kind", SELECTOR_TYPES)
def test_selectors_are_kept(kind: str) -> None:
    """Each selector type stays as `x-selector`."""
    assert schema_from_form([{"name": "a", "type": kind}])["properties"]["a"]["x-selector"] == kind


@pytest.mark.parametrize("item", [{}, {"type": "string"}, {"name": 3}, "model"])
def test_a_field_without_a_name(item: Any) -> None:
    """A field without a name is refused by its number."""
    with pytest.raises(ValueError, match="form field 1 has no `name`"):
        schema_from_form([{"name": "a"}, item])
