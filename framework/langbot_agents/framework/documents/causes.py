"""What a validation error of pydantic means to the person who wrote the document."""

import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from langbot_agents.framework.texts import t
from langbot_agents.schemas.base import EVENT_TYPE_PATTERN, NAME_PATTERN, Document

from .findings import Path
from .masking import MASK, is_secret_name
from .references import is_reference
from .shapes import annotations_at, homes, key_names, model_at, nearest

_MAX_SHOWN = 60
_ALLOWED = re.compile(r"'((?:[^'\\]|\\.)*)'|\b(True|False|None|-?\d+)\b")
_WIDE_COLON = re.compile(r"[\w-]+\s*：")
_YAML_WORDS = {"True": "true", "False": "false", "None": "null"}
_TRUE_WORDS = frozenset({"yes", "on", "y", "true", "1"})
_FALSE_WORDS = frozenset({"no", "off", "n", "false", "0"})


class Cause(NamedTuple):
    """A code, the cause in words, and what to do."""

    code: str
    message: str
    remedy: str | None = None


class Mistake(NamedTuple):
    """One validation error with what stands at its place in the document."""

    error: ErrorDetails
    path: Path
    value: Any
    raw: str
    root: type[BaseModel]
    event_types: Collection[str]

    @property
    def secret(self) -> bool:
        """Whether the value must not be shown."""
        return any(isinstance(key, str) and is_secret_name(key) for key in self.path)

    @property
    def context(self) -> dict[str, Any]:
        """The bounds and choices that pydantic names."""
        return self.error.get("ctx") or {}

    def shown(self) -> str:
        """The value as it may stand in a message."""
        return MASK if self.secret else show(self.value)


def show(value: Any) -> str:
    """A value as YAML would write it, on one line and not too long."""
    if value is None:
        return t("nothing")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return t("a list")
    if isinstance(value, dict):
        return t("a mapping")
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 4] + "..." + text[-1]


def cause_of(mistake: Mistake) -> Cause:
    """The cause of a validation error, in the words of the document."""
    kind = mistake.error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(mistake)
    if kind == "missing":
        return Cause("LBA141", t("this key is missing"), t("add `{key}: ...`", key=mistake.path[-1]))
    if isinstance(mistake.value, str) and is_reference(mistake.value):
        return Cause(
            "LBA161",
            t("a secret reference cannot stand here"),
            t("write the value itself; only text may be a secret"),
        )
    handler = _HANDLERS.get(kind)
    if handler is not None:
        return handler(mistake)
    if kind.startswith(("datetime", "timezone", "date_")):
        return _no_time(mistake)
    if kind.startswith("url"):
        remedy = t("write for example {example}", example="https://api.example.com/v1")
        return Cause("LBA148", t("{value} is not a URL", value=mistake.shown()), remedy)
    return Cause(
        "LBA148", t("{value} is refused: {reason}", value=mistake.shown(), reason=mistake.error["msg"])
    )


def suggestion(mistake: Mistake) -> str | None:
    """The key that an unknown key was probably meant to be, at the same place."""
    model = model_at(mistake.root, mistake.path[:-1])
    return nearest(str(mistake.path[-1]), key_names(model)) if model else None


def choose(names: Collection[str], near: str | None) -> str:
    """The remedy that lists what is allowed and points at the nearest."""
    listed = ", ".join(names)
    if near is None:
        return t("allowed: {names}", names=listed)
    return t("allowed: {names}  (did you mean {near!r}?)", names=listed, near=near)


def _unknown_key(mistake: Mistake) -> Cause:
    key = str(mistake.path[-1])
    message = t("unknown key {key!r}", key=key)
    near = suggestion(mistake)
    if near is not None:
        return Cause("LBA140", message, t("did you mean {near!r}?", near=near))
    home = homes(mistake.root).get(key)
    if home:
        return Cause("LBA140", message, t("did you mean {near!r}?", near=home[0]))
    model = model_at(mistake.root, mistake.path[:-1])
    return Cause(
        "LBA140", message, t("allowed: {names}", names=", ".join(key_names(model))) if model else None
    )


def _no_text(mistake: Mistake) -> Cause:
    if isinstance(mistake.value, bool | int | float):
        shown = MASK if mistake.secret else mistake.raw or show(mistake.value)
        kind = t("a truth value") if isinstance(mistake.value, bool) else t("a number")
        return Cause(
            "LBA143",
            t("{value} is {kind}, not text", value=shown, kind=kind),
            t('quote it: "{text}"', text=shown),
        )
    return _wrong_type(mistake, t("text"))


def _wrong_type(mistake: Mistake, expected: str) -> Cause:
    message = t("expected {expected}, got {value}", expected=expected, value=mistake.shown())
    if mistake.value is None:
        return Cause("LBA142", message, t("give a value, or remove the key"))
    return Cause("LBA142", message)


def _no_list(mistake: Mistake) -> Cause:
    or_text = str in annotations_at(mistake.root, mistake.path)
    cause = _wrong_type(mistake, t("text or a list") if or_text else t("a list"))
    if isinstance(mistake.value, str | int | float) and not mistake.secret:
        return cause._replace(remedy=t("write it in brackets: [{value}]", value=mistake.raw))
    return cause


def _no_mapping(mistake: Mistake) -> Cause:
    if isinstance(mistake.value, str) and _WIDE_COLON.match(mistake.value):
        message = t("a full-width colon stands after this key")
        return Cause("LBA112", message, t("write a colon and a blank, `: `, with half-width characters"))
    cause = _wrong_type(mistake, t("a mapping"))
    model = model_at(mistake.root, mistake.path)
    if mistake.value is None:
        return cause
    if model is None:
        lines = issubclass(mistake.root, Document)
        return cause._replace(remedy=t("write `key: value` lines") if lines else None)
    return cause._replace(remedy=t("its keys: {names}", names=", ".join(key_names(model))))


def _no_truth(mistake: Mistake) -> Cause:
    cause = _wrong_type(mistake, t("true or false"))
    word = str(mistake.value).lower()
    if word in _TRUE_WORDS:
        return cause._replace(remedy=t("write {word}", word="true"))
    return cause._replace(remedy=t("write {word}", word="false")) if word in _FALSE_WORDS else cause


def _no_number(mistake: Mistake) -> Cause:
    whole = mistake.error["type"].startswith("int")
    cause = _wrong_type(mistake, t("a whole number") if whole else t("a number"))
    if isinstance(mistake.value, str) and re.fullmatch(r"[-+]?\d+", mistake.value):
        return cause._replace(remedy=t("write it without quotes: {text}", text=mistake.value))
    if mistake.value is None:
        return cause
    return cause._replace(
        remedy=t("write a whole number such as 10") if whole else t("write a number such as 1.5")
    )


def _not_allowed(mistake: Mistake) -> Cause:
    expected = str(mistake.context.get("expected", ""))
    names = [text or _YAML_WORDS.get(word, word) for text, word in _ALLOWED.findall(expected)]
    near = nearest(mistake.value, names) if isinstance(mistake.value, str) else None
    return Cause("LBA144", t("unknown value {value}", value=mistake.shown()), choose(names, near))


def _no_kind(mistake: Mistake) -> Cause:
    """A union whose alternatives are told apart by a key, `type`, that is missing or names none of them."""
    if mistake.error["type"] == "union_tag_not_found":
        return Cause("LBA141", t("this key is missing"), t("add `{key}: ...`", key=mistake.path[-1]))
    names = re.findall(r"'(\w+)'", str(mistake.context.get("expected_tags", "")))
    near = nearest(mistake.value, names) if isinstance(mistake.value, str) else None
    return Cause("LBA144", t("unknown value {value}", value=mistake.shown()), choose(names, near))


def _no_json(mistake: Mistake) -> Cause:
    return Cause("LBA148", t("{value} is nothing that JSON can hold", value=mistake.shown()))


def _no_unicode(mistake: Mistake) -> Cause:
    return Cause("LBA148", t("the text holds half of a character, which nobody can store"))


def _malformed(mistake: Mistake) -> Cause:
    pattern = mistake.context.get("pattern")
    value = mistake.shown()
    if pattern == NAME_PATTERN:
        remedy = t("a letter or digit, then letters, digits and . _ : / -, at most 128 characters")
        return Cause("LBA145", t("{value} is not a name", value=value), remedy)
    if pattern == EVENT_TYPE_PATTERN or mistake.path[:1] == ("event_types",):
        near = nearest(str(mistake.value), mistake.event_types)
        remedy = t("two to five parts in lower case, such as {example}", example="message.received")
        if pattern != EVENT_TYPE_PATTERN:
            remedy = t(
                "two to five parts in lower case, such as {example}; or `message.*`, or `*`",
                example="message.received",
            )
        if near is not None:
            remedy += "  " + t("(did you mean {near!r}?)", near=near)
        return Cause("LBA146", t("{value} is not an event type", value=value), remedy)
    return Cause(
        "LBA148", t("{value} is malformed", value=value), t("it must match {pattern}", pattern=pattern)
    )


def _bound(mistake: Mistake) -> Cause:
    context, value = mistake.context, mistake.shown()
    if "le" in context:
        return Cause(
            "LBA147", t("{value} is too large", value=value), t("at most {bound}", bound=context["le"])
        )
    if "lt" in context:
        return Cause(
            "LBA147", t("{value} is too large", value=value), t("less than {bound}", bound=context["lt"])
        )
    if "ge" in context:
        return Cause(
            "LBA147", t("{value} is too small", value=value), t("at least {bound:g}", bound=context["ge"])
        )
    return Cause(
        "LBA147", t("{value} is too small", value=value), t("more than {bound:g}", bound=context["gt"])
    )


def _length(mistake: Mistake) -> Cause:
    size = len(mistake.value) if isinstance(mistake.value, str | list) else 0
    if "max_length" in mistake.context:
        bound = mistake.context["max_length"]
        message = t("{count} characters are too many", count=size)
        return Cause("LBA147", message, t("at most {bound}", bound=bound))
    if not size:
        message = t("the list is empty") if isinstance(mistake.value, list) else t("the text is empty")
        return Cause(
            "LBA147",
            message,
            t("give a value, or remove the key") if len(mistake.path) > 1 else t("give a value"),
        )
    return Cause(
        "LBA147",
        t("{value} is too short", value=mistake.shown()),
        t("at least {bound:g}", bound=mistake.context["min_length"]),
    )


def _no_time(mistake: Mistake) -> Cause:
    message = t("{value} is not a time with a zone", value=mistake.shown())
    return Cause("LBA148", message, t("write for example {example}", example="2026-01-31T08:00:00Z"))


def _own_rule(mistake: Mistake) -> Cause:
    """An error that our schemas raise: they speak English, the catalogue knows their sentences."""
    text = mistake.error["msg"].removeprefix("Value error, ")
    if text.startswith("expected an object"):
        return _no_mapping(mistake)
    if "must be text" in text:
        return _no_text(mistake)
    if text.startswith("unknown key"):
        return _unknown_key(mistake)
    if mistake.secret:
        return Cause("LBA148", t("{value} is malformed", value=MASK))
    for pattern, cause in _OWN_RULES:
        match = pattern.fullmatch(text)
        if match is not None:
            return cause(
                *(mistake.shown() if group == repr(mistake.value) else group for group in match.groups())
            )
    problem, _, remedy = text.rpartition("; ")
    return Cause("LBA148", problem or remedy, remedy if problem else None)


_OWN_RULES: tuple[tuple[re.Pattern[str], Callable[..., Cause]], ...] = (
    (
        re.compile(r"(.+) is not a duration; .+", re.DOTALL),
        lambda value: Cause(
            "LBA148",
            t("{value} is not a duration", value=value),
            t("write seconds, or for example {example}", example="90s, 10m, 24h, 7d"),
        ),
    ),
    (
        re.compile(r"(.+) is not a size; .+", re.DOTALL),
        lambda value: Cause(
            "LBA148",
            t("{value} is not a size", value=value),
            t("write bytes, or for example {example}", example="64KiB, 1MiB"),
        ),
    ),
    (
        re.compile(r"(.+) is not a span of hours; .+", re.DOTALL),
        lambda value: Cause(
            "LBA148",
            t("{value} is not a span of hours", value=value),
            t("write for example {example}", example='"22:00-07:00"'),
        ),
    ),
    (
        re.compile(r"(.+) is not a time zone; .+", re.DOTALL),
        lambda value: Cause(
            "LBA148",
            t("{value} is not a time zone", value=value),
            t("write an IANA name such as {example}", example="Asia/Shanghai"),
        ),
    ),
    (
        re.compile(r"max (.+) is shorter than min (.+)"),
        lambda high, low: Cause(
            "LBA148",
            t("max {high} is shorter than min {low}", high=high, low=low),
            t("make max at least as long as min"),
        ),
    ),
    (
        re.compile(r"`none` stands alone; .+"),
        lambda: Cause("LBA148", t("`none` stands alone"), t("remove it or the other targets")),
    ),
    (
        re.compile(r"give exact, contains or matches"),
        lambda: Cause("LBA148", t("give at least one of {names}", names="exact, contains, matches")),
    ),
    (
        re.compile(r"nothing is expected; give for example winner"),
        lambda: Cause(
            "LBA148", t("nothing is expected"), t("write for example {example}", example="winner: none")
        ),
    ),
    (
        re.compile(r"(\w+) has no value; leave it out, or write `none` for nobody"),
        lambda name: Cause(
            "LBA148", t("{name} has no value", name=name), t("leave it out, or write `none` for nobody")
        ),
    ),
    (
        re.compile(r"give exactly one of artifact and url"),
        lambda: Cause("LBA148", t("give exactly one of {names}", names="artifact, url")),
    ),
    (
        re.compile(r"text is (\d+) bytes, over (\d+); .+"),
        lambda size, limit: Cause(
            "LBA147",
            t("the text has {size} bytes, over {limit}", size=size, limit=limit),
            t("send more as an attachment"),
        ),
    ),
    (
        re.compile(r"conversation_type (.+) and metadata.chat_type (.+) differ; .+"),
        lambda stated, chat_type: Cause(
            "LBA148",
            t("{stated} and metadata.chat_type {other} differ", stated=stated, other=chat_type),
            t("state one of them"),
        ),
    ),
    (
        re.compile(r"(.+) is not a JSON (?:number|value)"),
        lambda value: Cause("LBA148", t("{value} is nothing that JSON can hold", value=value)),
    ),
    (
        re.compile(r"nested deeper than (\d+) levels"),
        lambda limit: Cause("LBA147", t("nested deeper than {limit} levels", limit=limit)),
    ),
    (
        re.compile(r"text with a lone surrogate is not valid Unicode"),
        lambda: Cause("LBA148", t("the text holds half of a character, which nobody can store")),
    ),
    (
        re.compile(r"\w+: name (.+) is given twice"),
        lambda name: Cause(
            "LBA148", t("the name {name} is given twice", name=name), t("give each its own name")
        ),
    ),
)

_HANDLERS: dict[str, Callable[[Mistake], Cause]] = {
    "string_type": _no_text,
    "tuple_type": _no_list,
    "list_type": _no_list,
    "model_type": _no_mapping,
    "model_attributes_type": _no_mapping,
    "dict_type": _no_mapping,
    "bool_type": _no_truth,
    "bool_parsing": _no_truth,
    "int_type": _no_number,
    "int_parsing": _no_number,
    "int_from_float": _no_number,
    "float_type": _no_number,
    "float_parsing": _no_number,
    "finite_number": _no_json,
    "string_unicode": _no_unicode,
    "union_tag_invalid": _no_kind,
    "union_tag_not_found": _no_kind,
    "literal_error": _not_allowed,
    "string_pattern_mismatch": _malformed,
    "greater_than": _bound,
    "greater_than_equal": _bound,
    "less_than": _bound,
    "less_than_equal": _bound,
    "too_short": _length,
    "too_long": _length,
    "string_too_short": _length,
    "string_too_long": _length,
    "value_error": _own_rule,
}


def place_of_own_rule(error: ErrorDetails, path: Path, value: Any) -> list[Path]:
    """The places that an error about a whole mapping is really about; itself where nothing is nearer."""
    if error["type"].startswith("union_tag_"):
        return [(*path, error["ctx"]["discriminator"].strip("'"))]
    if error["type"] != "value_error" or not isinstance(value, dict):
        return [path]
    text = error["msg"]
    if "conversation_type " in text:
        return [(*path, "conversation_type")]
    if "must be text" in text:
        return [(*path, key) for key, item in value.items() if not isinstance(item, str)]
    empty = re.search(r"(\w+) has no value; ", text)
    if empty is not None:
        return [(*path, empty[1])]
    unknown = re.search(r"unknown key '(.+)'; ", text)
    if unknown is not None:
        return [(*path, unknown[1])]
    twice = re.search(r"(\w+): name '(.+)' is given twice$", text)
    if twice is None:
        return [path]
    items = value.get(twice[1])
    named = [
        n for n, item in enumerate(items or ()) if isinstance(item, dict) and item.get("name") == twice[2]
    ]
    return [(*path, twice[1], named[1], "name")] if len(named) > 1 else [path]
