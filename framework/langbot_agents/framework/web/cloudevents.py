"""CloudEvents 1.0 in and out: structured and binary, as events of ours.

The attributes become fields of the envelope: `type` the event type, `(source, id)` the `event_id`
`<source>#<id>` with `metadata.ce_source`, `time` the event time, `subject` the subject's id. The data
is the payload, `input.data`; with `dataschema` naming our envelope it is the envelope itself.

Source: CloudEvents 1.0.2 core, JSON format and HTTP protocol binding.
"""

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from langbot_agents.schemas.events import AgentEventEnvelope

from ..clock import rfc3339
from ..texts import t
from .json_body import read_json
from .problems import ProblemError

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
ENVELOPE_SCHEMA = "urn:langbot-agents:v1:AgentEventEnvelope"
_REQUIRED = ("specversion", "id", "source", "type")


def from_structured(document: Any) -> dict[str, Any]:
    """An event's data from a structured CloudEvent. Raises `ProblemError` that names the attribute."""
    if not isinstance(document, dict):
        raise _invalid("event", t("a CloudEvent is an object, got {kind}", kind=type(document).__name__))
    attributes = {key: value for key, value in document.items() if key not in {"data", "data_base64"}}
    if "data_base64" in document:
        if "data" in document:
            raise _invalid("data_base64", t("give data or data_base64, not both"))
        data: Any = _binary(document["data_base64"])
    else:
        data = document.get("data")
    return _event(attributes, data)


def from_binary(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """An event's data from a binary-mode request: `ce-` headers and the body. Raises `ProblemError`."""
    attributes: dict[str, Any] = {
        name[3:]: unquote(value) for name, value in headers.items() if name.startswith("ce-")
    }
    content_type = headers.get("content-type", "application/json")
    attributes["datacontenttype"] = content_type
    media = content_type.partition(";")[0].strip().lower()
    if not body:
        data: Any = None
    elif media == "application/json" or media.endswith("+json"):
        data = read_json(body)
    elif media.startswith("text/"):
        try:
            data = body.decode()
        except UnicodeDecodeError:
            raise _invalid("data", t("the text is not UTF-8")) from None
    else:
        data = {"data_base64": base64.b64encode(body).decode()}
    return _event(attributes, data)


def to_structured(event: AgentEventEnvelope) -> dict[str, Any]:
    """A structured CloudEvent of one of our events, which `from_structured` reads back as the same."""
    stated = event.metadata.get("ce_source")
    source = (
        stated if isinstance(stated, str) else f"urn:langbot-agents:{event.source.kind}:{event.source.name}"
    )
    identity = event.event_id or event.event_uid or ""
    if isinstance(stated, str):
        identity = identity.removeprefix(f"{stated}#")
    document: dict[str, Any] = {
        "specversion": "1.0",
        "id": identity,
        "source": source,
        "type": event.event_type,
        "datacontenttype": "application/json",
        "dataschema": ENVELOPE_SCHEMA,
        "data": event.model_dump(mode="json", exclude_unset=True),
    }
    if event.event_time is not None:
        document["time"] = rfc3339(event.event_time)
    if event.subject is not None and event.subject.subject_id is not None:
        document["subject"] = event.subject.subject_id
    if event.traceparent is not None:
        document["traceparent"] = event.traceparent
    return document


def _event(attributes: Mapping[str, Any], data: Any) -> dict[str, Any]:
    for name in _REQUIRED:
        value = attributes.get(name)
        if not isinstance(value, str) or not value:
            raise _invalid(name, t("a CloudEvent needs the attribute {name!r} as text", name=name))
    if attributes["specversion"] != "1.0":
        raise _invalid(
            "specversion", t("{value!r} is not spoken here; send 1.0", value=attributes["specversion"])
        )
    event: dict[str, Any] = {}
    if attributes.get("dataschema") == ENVELOPE_SCHEMA:
        if not isinstance(data, dict):
            raise _invalid("data", t("with our dataschema the data is an envelope"))
        event.update(data)
    elif data is not None:
        event["input"] = {"data": data}
    metadata = event.get("metadata")
    event["metadata"] = {
        **(metadata if isinstance(metadata, dict) else {}),
        "ce_source": attributes["source"],
    }
    event["event_type"] = attributes["type"]
    event["event_id"] = f"{attributes['source']}#{attributes['id']}"
    if "time" in attributes:
        event["event_time"] = _time(attributes["time"])
    if isinstance(attributes.get("subject"), str) and "subject" not in event:
        event["subject"] = {"subject_type": "event", "subject_id": attributes["subject"]}
    if "traceparent" in attributes:
        event["traceparent"] = attributes["traceparent"]
    return event


def _time(value: Any) -> float:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise _invalid("time", t("{value!r} is not an RFC 3339 time", value=value)) from None
    if moment.tzinfo is None:
        raise _invalid("time", t("{value!r} has no time zone", value=value))
    return moment.timestamp()


def _binary(value: Any) -> dict[str, str]:
    try:
        base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise _invalid("data_base64", t("it is not base64")) from None
    return {"data_base64": value}


def _invalid(path: str, message: str) -> ProblemError:
    return ProblemError(
        400, "invalid_event", f"{path}: {message}", errors=[{"path": path, "message": message}]
    )
