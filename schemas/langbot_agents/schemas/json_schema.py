"""The JSON Schema of every public model, for editors and for other languages."""

from functools import cache
from inspect import isclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

import langbot_agents.schemas as package

BASES = {"Document", "Model"}
"""What models are made from; they describe nothing by themselves."""


class _Generator(GenerateJsonSchema):
    """Draft 2020-12, without the titles that only repeat a field's name."""

    def field_title_should_be_set(self, _schema: Any) -> bool:
        return False


@cache
def _models() -> dict[str, type[BaseModel]]:
    exported = {name: getattr(package, name) for name in package.__all__}
    return {
        name: value
        for name, value in sorted(exported.items())
        if isclass(value) and issubclass(value, BaseModel) and name not in BASES
    }


def model_names() -> tuple[str, ...]:
    """The names that `json_schema` knows, sorted."""
    return tuple(_models())


def json_schema(name: str) -> dict[str, Any]:
    """The schema of what the model `name` accepts; raises `KeyError` for a name that is not public."""
    schema = _models()[name].model_json_schema(mode="validation", schema_generator=_Generator)
    return {
        "$schema": _Generator.schema_dialect,
        "$id": f"urn:langbot-agents:v1:{name}",
        "title": name,
        **schema,
    }
