"""What somebody meant who wrote something else: fields by other names, texts without quotes, other kinds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from .functions import FunctionSet
from .shapes import Shape, paths_of

MEANT: Mapping[str, str] = {
    "sender_id": "actor.actor_id",
    "user_id": "actor.actor_id",
    "from_id": "actor.actor_id",
    "sender": "actor.actor_id",
    "user": "actor.actor_id",
    "sender_name": "actor.actor_name",
    "nickname": "actor.actor_name",
    "group_id": "conversation_id",
    "chat_id": "conversation_id",
    "channel_id": "conversation_id",
    "launcher_id": "conversation_id",
    "launcher_type": "conversation_type",
    "chat_type": "conversation_type",
    "message_type": "conversation_type",
    "text": "input.text",
    "message": "input.text",
    "msg": "input.text",
    "content": "input.text",
    "message.text": "input.text",
    "message.content": "input.text",
    **dict.fromkeys(("user.id", "sender.id", "from.id", "author.id", "member.id"), "actor.actor_id"),
    **dict.fromkeys(("user.name", "sender.name", "from.name", "author.name"), "actor.actor_name"),
    **dict.fromkeys(("chat.id", "group.id", "channel.id", "conversation.id"), "conversation_id"),
    **dict.fromkeys(("chat.type", "conversation.type"), "conversation_type"),
    "message_chain": "input.contents",
    "type": "event_type",
    "platform": "source.name",
    "adapter": "source.name",
    "bot": "bot_id",
    "bot_uuid": "bot_id",
    "time": "now",
    "timestamp": "event_time",
}
"""Names that people write, from LangBot and elsewhere, and the field that they mean."""

_ROOTS = ("ctx.event.", "ctx.", "event.", "$.", "body.", "envelope.")
_COMMON = (
    *("event_type", "actor", "input", "conversation_id", "conversation_type", "bot_id", "source", "subject"),
    *("metadata", "now"),
)
"""The fields of an event that filters look at."""


def meant_path(path: str, root: Shape) -> str | None:
    """The field that a path most likely means."""
    for prefix in _ROOTS:
        if path.startswith(prefix):
            path = path[len(prefix) :]
            break
    known = dict.fromkeys(paths_of(root))
    plain = _snake(path)
    for candidate in (path, plain, MEANT.get(plain), MEANT.get(plain.rpartition(".")[2])):
        if candidate in known:
            return candidate
    ends = [item for item in known if item.endswith(f".{plain}")]
    if len(ends) == 1:
        return ends[0]
    return _by_parts(plain, root) or _nearest(plain, known)


def _nearest(path: str, known: Mapping[str, None]) -> str | None:
    near = process.extractOne(path, list(known), scorer=fuzz.ratio, score_cutoff=75)
    return None if near is None else str(near[0])


def _by_parts(path: str, root: Shape) -> str | None:
    """The path whose parts are nearest, one after the other: `actr.id` is `actor.actor_id`."""
    shape, found = root, []
    for place, part in enumerate(path.split(".")):
        scorer = fuzz.WRatio if place else fuzz.ratio
        near = process.extractOne(part, list(shape.properties), scorer=scorer, score_cutoff=75)
        if near is None:
            return None
        found.append(str(near[0]))
        shape = shape.properties[found[-1]]
    return ".".join(found) if len(found) > 1 else None


def fields_near(prefix: str, root: Shape) -> str:
    """The fields beside a place, as people list them; at the top those that filters look at."""
    shape = root
    for name in prefix.split(".") if prefix else ():
        shape = shape.properties.get(name, shape)
    names = [name for name in (shape.properties if prefix else _COMMON) if name in shape.properties]
    listed = [f"{prefix}.{name}" if prefix else name for name in names]
    return ", ".join(listed[:12]) + (", …" if len(listed) > 12 or not prefix else "")


def near_function(name: str, functions: FunctionSet) -> str | None:
    """The function that a name most likely means."""
    said = FUNCTIONS_MEANT.get(name.lower().replace("_", ""))
    if said is not None:
        return said
    found = process.extractOne(name, functions.names(), score_cutoff=60)
    return None if found is None else str(found[0])


FUNCTIONS_MEANT: Mapping[str, str] = {
    "len": "length",
    "size": "length",
    "count": "length",
    "includes": "contains",
    "indexof": "contains",
    "startswith": "starts_with",
    "hasprefix": "starts_with",
    "endswith": "ends_with",
    "hassuffix": "ends_with",
    "tolower": "lower",
    "lowercase": "lower",
    "toupper": "upper",
    "uppercase": "upper",
    "match": "matches",
    "regex": "matches",
    "search": "matches",
    "test": "matches",
    "in": "one_of",
    "anyof": "one_of",
    "int": "to_number",
    "str": "to_string",
    "string": "to_string",
}
"""Functions by the names that other languages have for them, in small letters without `_`."""


def _snake(path: str) -> str:
    return "".join(
        f"_{char.lower()}" if char.isupper() and place and path[place - 1] != "." else char.lower()
        for place, char in enumerate(path)
    )


def quoted(text: str) -> str:
    """A text as a filter writes it."""
    return "'" + text.replace("'", "\\'") + "'"


def as_kind(literal: Any, shape: Shape) -> str | None:
    """A literal written as the kind that a field has, if it can be one."""
    if "string" in shape.types and isinstance(literal, int | float):
        return quoted(str(literal).lower())
    if "number" in shape.types and isinstance(literal, str):
        try:
            number = float(literal)
        except ValueError:
            return None
        return f"`{literal}`" if math.isfinite(number) else None
    if "boolean" in shape.types and literal in {"true", "false"}:
        return f"`{literal}`"
    return None


def as_text(text: str) -> str:
    """An argument in single quotes, if it was in double ones."""
    return quoted(text[1:-1]) if text.startswith('"') else text


def called(name: str, arguments: Sequence[str], *, of_text: bool) -> str:
    """A call; of a text that may be null by the function that takes null, where there is one."""
    instead = {"contains": "contains_any", "starts_with": "starts_with_any"}.get(name)
    if instead is not None and of_text and len(arguments) == 2 and arguments[1].startswith("'"):
        return f"{instead}({arguments[0]}, [{arguments[1]}])"
    return f"{name}({', '.join(arguments)})"
