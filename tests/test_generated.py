"""Files in the tree that are made from code."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from langbot_agents.schemas.json_schema import json_schema, model_names

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("AgentBinding", "BindingTest", "Host")


def references(value: Any) -> set[str]:
    """Every `$ref` in a schema."""
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(references(item) for item in value))
    return set()


@pytest.mark.parametrize(
    "script", ["gen_schemas.py", "gen_openapi.py", "gen_events_doc.py", "gen_filters_doc.py"]
)
def test_up_to_date(script: str) -> None:
    """What a generator would write is what is checked in."""
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, "--check"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", model_names())
def test_schema(name: str) -> None:
    """Each schema is valid draft 2020-12, has its own id and title, and holds all that it refers to."""
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["$id"], schema["title"]) == (f"urn:langbot-agents:v1:{name}", name)
    assert references(schema) <= {f"#/$defs/{known}" for known in schema.get("$defs", {})}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_refuse_unknown_keys(name: str) -> None:
    """An editor marks a key that a document does not have."""
    errors = Draft202012Validator(json_schema(name)).iter_errors({"fliters": []})

    assert any("'fliters'" in error.message for error in errors)


def test_unknown_model() -> None:
    """A name that is not a public model is a `KeyError`, also for the classes that models are made from."""
    with pytest.raises(KeyError):
        json_schema("Document")
