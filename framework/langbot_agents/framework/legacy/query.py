"""A LangBot query as an event: who said what where, whatever shape the query has."""

import hashlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.base import freeze

_KINDS = {"person": "private", "group": "group"}


@dataclass(frozen=True, kw_only=True)
class ProjectedQuery:
    """The event of a query, and what it brings besides."""

    event: Mapping[str, Any]
    params: Mapping[str, Any]
    streams: bool


def pipeline_of(query: Any) -> str | None:
    """The Pipeline that a query belongs to."""
    return _text(_get(query, "pipeline_uuid"))


async def project_query(query: Any) -> ProjectedQuery:
    """The event of a query, which is LangBot's object or a mapping with the same names."""
    launcher_type = _text(_get(query, "launcher_type")) or "person"
    launcher_id = _text(_get(query, "launcher_id"))
    sender_id = _text(_get(query, "sender_id"))
    message_event = _get(query, "message_event")
    chain = list(_components(_get(query, "message_chain") or _get(message_event, "message_chain")))
    source: Any = next((item for item in chain if _kind(item) == "Source"), None)
    message_id = _text(_get(source, "id"))
    adapter = _get(query, "adapter")
    event = {
        "event_type": "message.received",
        "event_id": _event_id(query, adapter, message_id),
        "event_time": _time(_get(message_event, "time")),
        "bot_id": _text(_get(query, "bot_uuid")),
        "conversation_id": f"{launcher_type}_{launcher_id}" if launcher_id else None,
        "conversation_type": _KINDS.get(launcher_type),
        "actor": _actor(sender_id, _get(message_event, "sender")),
        "subject": {"subject_type": "message", "subject_id": message_id},
        "input": _input(_get(query, "user_message"), chain),
        "metadata": {
            "adapter": _name_of(adapter),
            "query_id": _text(_get(query, "query_id")),
            "pipeline_uuid": pipeline_of(query),
        },
    }
    return ProjectedQuery(
        event={key: value for key, value in event.items() if value is not None},
        params=_params(_get(query, "variables")),
        streams=await _streams(adapter),
    )


def _get(source: Any, name: str) -> Any:
    if isinstance(source, Mapping):
        return source.get(name)
    return getattr(source, name, None)


def _text(value: Any) -> str | None:
    value = getattr(value, "value", value)  # an enum of LangBot's
    return None if value is None or value == "" else str(value)


def _kind(component: Any) -> str:
    return _text(_get(component, "type")) or type(component).__name__


def _components(chain: Any) -> Iterable[Any]:
    found = getattr(chain, "root", chain)
    if isinstance(found, str):
        return [{"type": "Plain", "text": found}]
    return found if isinstance(found, Iterable) and not isinstance(found, Mapping) else []


def _time(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    while value > 1e10:  # some adapters give milliseconds
        value /= 1000
    return float(value)


def _event_id(query: Any, adapter: Any, message_id: str | None) -> str | None:
    """LangBot's own way to name the event of a query; none where the message has no id."""
    if message_id is None:
        return None
    names = ("pipeline_uuid", "bot_uuid", "launcher_type", "launcher_id", "sender_id")
    parts = [_name_of(adapter), *(_text(_get(query, name)) for name in names), message_id]
    return "host:" + hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()[:32]


def _name_of(adapter: Any) -> str | None:
    if adapter is None or isinstance(adapter, str):
        return adapter
    return _text(_get(adapter, "name")) or (None if isinstance(adapter, Mapping) else type(adapter).__name__)


def _actor(sender_id: str | None, sender: Any) -> dict[str, Any]:
    named = (_text(_get(sender, name)) for name in ("nickname", "member_name", "name"))
    actor = {
        "actor_id": sender_id or _text(_get(sender, "id")),
        "actor_name": next(filter(None, named), None),
    }
    return {"actor_type": "user", **{key: value for key, value in actor.items() if value is not None}}


async def _streams(adapter: Any) -> bool:
    """Whether the adapter shows an answer as it grows; where nobody says, the caller decides by reading."""
    answer = _get(adapter, "is_stream_output_supported")
    if callable(answer):
        answer = answer()
    if inspect.isawaitable(answer):
        answer = await answer
    return answer is not False


def _params(variables: Any) -> Mapping[str, Any]:
    """The variables that are data; what is not has no place in a context."""
    found: dict[str, Any] = {}
    for key, value in variables.items() if isinstance(variables, Mapping) else ():
        try:
            found[str(key)] = freeze(value)
        except ValueError:
            continue
    return found


def _input(user_message: Any, chain: Iterable[Any]) -> dict[str, Any]:
    content = user_message if isinstance(user_message, str) else _get(user_message, "content")
    if isinstance(content, str):
        return {"text": content}
    elements = _components(content)
    parts = [part for item in elements if (part := _element(item)) is not None]
    if not parts:
        parts = [part for item in chain if (part := _component(item)) is not None]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    given: dict[str, Any] = {"text": "".join(texts)} if texts else {}
    return given if len(texts) == len(parts) else {**given, "contents": parts}


def _element(element: Any) -> dict[str, Any] | None:
    """A part of a message of a model, as LangBot's user message has them."""
    url = _get(element, "image_url")
    match _kind(element):
        case "text":
            return {"type": "text", "text": _text(_get(element, "text")) or ""}
        case "image_url":
            return _media("image", url if isinstance(url, str) else _get(url, "url"), None)
        case "image_base64":
            return _media("image", None, _get(element, "image_base64"))
        case "file_url" | "file_base64":
            file = _media("file", _get(element, "file_url"), _get(element, "file_base64"))
            return file and _named(file, _get(element, "file_name"))
    return None


def _component(component: Any) -> dict[str, Any] | None:
    """A part of a message of a platform."""
    url, data = _get(component, "url"), _get(component, "base64")
    match _kind(component):
        case "Plain":
            return {"type": "text", "text": _text(_get(component, "text")) or ""}
        case "Image":
            return _media("image", url, data)
        case "Voice":
            return _media("audio", url, data)
        case "File":
            file = _media("file", url, data)
            return file and _named(file, _get(component, "name"))
        case "At":
            target = _text(_get(component, "target"))
            actor = {"actor_type": "user", "actor_id": target}
            return {"type": "mention", "actor": actor} if target else None
        case "Quote":
            inner = [_component(item) for item in _components(_get(component, "origin"))]
            quote = {"type": "quote", "contents": [part for part in inner if part is not None]}
            message_id = _text(_get(component, "id"))
            return quote | ({"message_id": message_id} if message_id else {})
    return None


_TYPES = {"image": "image/jpeg", "audio": "audio/mpeg", "file": "application/octet-stream"}


def _media(kind: str, url: Any, data: Any) -> dict[str, Any] | None:
    if isinstance(data, str) and data:
        url = data if data.startswith("data:") else f"data:{_TYPES[kind]};base64,{data}"
    return {"type": kind, "url": url} if isinstance(url, str) and url else None


def _named(part: dict[str, Any], name: Any) -> dict[str, Any]:
    return part | ({"name": str(name)} if name else {})
