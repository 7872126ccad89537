"""The catalogue of standard event types: a contract, a sample and a schema for each.

The contracts and their samples are read at the first question, not at import.
"""

import copy
import re
from functools import cache
from typing import Any

from .base import thaw
from .contracts.model import EventTypeContract, MetadataField
from .events import AgentEventEnvelope

__all__ = [
    "EventTypeContract",
    "MetadataField",
    "canonical_type",
    "contract",
    "event_schema",
    "sample",
    "standard_types",
]


@cache
def standard_types() -> tuple[EventTypeContract, ...]:
    """Every contract in the order of the catalogue; the last is the family `platform.<adapter>.<action>`."""
    from .contracts import hosting, messages, people

    return (*messages.CONTRACTS, *people.CONTRACTS, *hosting.CONTRACTS)


@cache
def _by_name() -> dict[str, EventTypeContract]:
    return {name: found for found in standard_types() for name in (found.name, *found.aliases)}


def contract(event_type: str) -> EventTypeContract | None:
    """The contract of an event type, of an alias, or of a type of a family; else None."""
    found = _by_name().get(event_type)
    if found is not None:
        return found
    families = (each for each in standard_types() if each.pattern is not None)
    return next((each for each in families if re.fullmatch(each.pattern or "", event_type)), None)


def canonical_type(event_type: str) -> str:
    """The name that an alias stands for; any other type is its own."""
    found = _by_name().get(event_type)
    return event_type if found is None or found.pattern else found.name


def sample(event_type: str) -> dict[str, Any]:
    """A typical event as the JSON data of a whole envelope, a new one at each call.

    For another type of a family than the one in its sample, type and platform event are the asked
    one's. Raises `LookupError` for a type that the catalogue does not have.
    """
    found = contract(event_type)
    if found is None:
        names = ", ".join(each.name for each in standard_types())
        raise LookupError(f"no sample for event type {event_type!r}; the catalogue has {names}")
    data: dict[str, Any] = thaw(found.sample)
    if found.pattern is not None and event_type not in (found.name, data["event_type"]):
        data["event_type"] = event_type
        data["metadata"]["platform_event"] = event_type.split(".", 2)[2]
    return AgentEventEnvelope.model_validate(data).model_dump(mode="json")


@cache
def _envelope_schema() -> dict[str, Any]:
    schema = AgentEventEnvelope.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def event_schema(event_type: str) -> dict[str, Any]:
    """The JSON Schema of the envelope, narrowed by the type's contract, a new one at each call.

    Metadata keys are named, but further ones stay allowed. A type without a contract gets the plain
    envelope.
    """
    schema = copy.deepcopy(_envelope_schema())
    properties, definitions = schema["properties"], schema["$defs"]
    found = contract(event_type)
    if found is None:
        properties["event_type"]["const"] = event_type
        return schema
    schema |= {
        "title": found.name,
        "description": found.description["en_US"],
        "examples": [thaw(found.sample)],
    }
    if found.pattern is None:
        properties["event_type"]["enum"] = [found.name, *found.aliases]
    elif event_type == found.name:
        properties["event_type"]["pattern"] = found.pattern
    else:
        properties["event_type"]["const"] = event_type
    if found.subject_types:
        definitions["SubjectRef"]["properties"]["subject_type"]["enum"] = list(found.subject_types)
    properties["metadata"]["properties"] = {
        name: field.json_schema() for name, field in found.metadata.items()
    }
    said = definitions["AgentInput"]["properties"]
    for name, used in (
        ("text", found.text != "never"),
        ("data", found.data),
        ("interaction", found.interaction),
    ):
        if not used:
            said[name] = {"type": "null", "default": None, "description": f"Always null in {found.name}."}
    return schema
