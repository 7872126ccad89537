"""The functions that a filter has beside jmespath's; a null subject is simply no match."""

import fnmatch
import hashlib
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import regex
from pydantic import ValidationError

from langbot_agents.schemas.units import TimeWindow

from ..hours import in_hours
from ..texts import t
from .frame import EvaluationError, Frame
from .functions import LIBRARY, FilterFunction, FunctionSet, Implementation, Parameter

VERSION = "langbot-agents-1"

_TEXT = Parameter(name="text", types=("string", "null"))
MAX_FOUND_PATTERN = 1_000
"""Characters of a pattern that does not stand in the filter: reading one takes its time too."""

_LONG = 1_000_000
"""Characters to look at, above which a `glob` has a limit of time, which costs more to begin with."""

_LIST_OF_TEXTS = Parameter(name="texts", types=("array",), element=("string",))


def _work(frame: Frame, text: str | None, factor: int = 1) -> None:
    if text:
        frame.spend(1 + factor * len(text) // 100)


def lower(frame: Frame, text: str | None) -> str | None:
    """The text in small letters."""
    _work(frame, text)
    return None if text is None else text.lower()


def upper(frame: Frame, text: str | None) -> str | None:
    """The text in capital letters."""
    _work(frame, text)
    return None if text is None else text.upper()


@lru_cache(maxsize=4096)
def compiled_pattern(pattern: str) -> Any:
    """A pattern of `matches`. Raises `ValueError` with the cause and its place in the pattern."""
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError(t("it is nested too deeply")) from None


def matches(frame: Frame, text: str | None, pattern: str) -> bool:
    """Whether the pattern is found in the text."""
    if text is None:
        return False
    try:
        compiled = compiled_pattern(_of_event("matches", pattern))
    except ValueError as error:
        raise EvaluationError(f"matches(): {error}") from None
    return _search("matches", frame, compiled, text)


def _matches_of(pattern: str) -> Implementation:
    compiled = compiled_pattern(pattern)
    return lambda frame, text: text is not None and _search("matches", frame, compiled, text)


def _search(name: str, frame: Frame, compiled: Any, text: str) -> bool:
    try:
        return compiled.search(text, timeout=frame.left()) is not None
    except TimeoutError:
        raise EvaluationError(t("{name}() takes too long on this text", name=name)) from None


def _of_event(name: str, pattern: str) -> str:
    if len(pattern) > MAX_FOUND_PATTERN:
        raise EvaluationError(
            t(
                "{name}() takes a pattern of the event only up to {count} characters",
                name=name,
                count=MAX_FOUND_PATTERN,
            )
        )
    return pattern


def starts_with_any(frame: Frame, text: str | None, texts: list[str]) -> bool:
    """Whether the text begins with one of the texts."""
    frame.spend(len(texts))
    return text is not None and text.startswith(tuple(texts))


def contains_any(frame: Frame, text: str | None, texts: list[str]) -> bool:
    """Whether one of the texts is in the text."""
    if text is None:
        return False
    for item in texts:
        frame.spend(1 + len(text) // 100)
        if item in text:
            return True
    return False


def one_of(frame: Frame, value: Any, values: list[Any]) -> bool:
    """Whether the value equals one of the values, as `==` does."""
    frame.spend(len(values))
    return any(item == value and isinstance(item, bool) == isinstance(value, bool) for item in values)


@lru_cache(maxsize=1024)
def _glob_of(pattern: str) -> Implementation:
    translated = fnmatch.translate(pattern)
    compiled, size = re.compile(translated), len(pattern)

    def whole(frame: Frame, text: str | None) -> bool:
        if text is None:
            return False
        # at each character of the text it may look at the whole pattern once
        if len(text) * size > _LONG:
            return _search("glob", frame, _glob_with_timeout(translated), text)
        _work(frame, text)
        return compiled.match(text) is not None

    return whole


@lru_cache(maxsize=64)
def _glob_with_timeout(translated: str) -> Any:
    return regex.compile(rf"\A{translated}")


def glob(frame: Frame, text: str | None, pattern: str) -> bool:
    """Whether the whole text is as the pattern says."""
    return bool(_glob_of(_of_event("glob", pattern))(frame, text))


@lru_cache(maxsize=1024)
def time_window(hours: str, zone: str | None) -> TimeWindow:
    """The hours of `hour_in`. Raises `ValueError` for what is none, or for a zone that does not exist."""
    try:
        return TimeWindow.model_validate({"hours": hours, "zone": zone})
    except ValidationError as error:
        raise ValueError(str(error.errors()[0]["msg"]).removeprefix("Value error, ")) from None


def hour_in(frame: Frame, hours: str, zone: str | None = None) -> bool:
    """Whether it is now one of these hours, in the zone or else in the host's."""
    try:
        window = time_window(hours, zone)
    except ValueError as error:
        raise EvaluationError(f"hour_in(): {error}") from None
    return in_hours(window, datetime.fromtimestamp(frame.now, UTC), frame.timezone)


def percent(frame: Frame, key: str | float | None, salt: str = "") -> float | None:
    """A number from 0 up to 100 that is always the same for a key."""
    if key is None:
        return None
    if isinstance(key, str):
        _work(frame, key)
    digest = hashlib.sha256(f"{salt}\0{key}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") * 10_000 // 2**32 / 100


def mentions_bot(frame: Frame) -> bool:
    """Whether the message mentions the bot that got it."""
    event = frame.document
    metadata, given = event.get("metadata"), event.get("input")
    if isinstance(metadata, dict) and metadata.get("mentions_bot") is True:
        return True
    parts = given.get("contents") if isinstance(given, dict) else None
    bot = event.get("bot_id")
    if not isinstance(parts, list) or bot is None:
        return False
    frame.spend(len(parts))
    return any(
        isinstance(part, dict)
        and part.get("type") == "mention"
        and isinstance(part.get("actor"), dict)
        and part["actor"].get("actor_id") == bot
        for part in parts
    )


OWN: tuple[FilterFunction, ...] = (
    FilterFunction(
        name="lower",
        parameters=(_TEXT,),
        returns=("string", "null"),
        implementation=lower,
        doc="The text in small letters; null of null.",
        examples=(("lower('Refund')", "refund"), ("contains(lower('REFUND please'), 'refund')", True)),
    ),
    FilterFunction(
        name="upper",
        parameters=(_TEXT,),
        returns=("string", "null"),
        implementation=upper,
        doc="The text in capital letters; null of null.",
        examples=(("upper('sku-7')", "SKU-7"),),
    ),
    FilterFunction(
        name="matches",
        parameters=(_TEXT, Parameter(name="pattern", types=("string",))),
        returns=("boolean",),
        implementation=matches,
        of_pattern=_matches_of,
        doc="Whether the pattern is found anywhere in the text. Patterns are Python's, with Unicode classes; "
        "`^` and `$` bind it to the ends, `(?i)` ignores case. A pattern that takes too long is an error, "
        "and so is one of the event, not of the filter, of more than 1,000 characters.",
        examples=(
            (r"matches('order A2026-7', '[A-Z]\d{4}')", True),
            ("matches('请退款', '退(款|货)')", True),
            (r"matches('你好', '^\p{Han}+$')", True),
        ),
    ),
    FilterFunction(
        name="starts_with_any",
        parameters=(_TEXT, _LIST_OF_TEXTS),
        returns=("boolean",),
        implementation=starts_with_any,
        doc="Whether the text begins with one of the texts.",
        examples=(("starts_with_any('/help me', ['/help', '!help'])", True),),
    ),
    FilterFunction(
        name="contains_any",
        parameters=(_TEXT, _LIST_OF_TEXTS),
        returns=("boolean",),
        implementation=contains_any,
        doc="Whether one of the texts is somewhere in the text.",
        examples=(("contains_any('我要退货', ['退款', '退货'])", True),),
    ),
    FilterFunction(
        name="one_of",
        parameters=(Parameter(name="value"), Parameter(name="values", types=("array",))),
        returns=("boolean",),
        implementation=one_of,
        doc="Whether the value equals one of the values.",
        examples=(("one_of('b', ['a', 'b'])", True), ("one_of(`1`, ['1'])", False)),
    ),
    FilterFunction(
        name="glob",
        parameters=(_TEXT, Parameter(name="pattern", types=("string",))),
        returns=("boolean",),
        implementation=glob,
        of_pattern=_glob_of,
        doc="Whether the whole text is as the pattern says: `*` is any text, `?` any character, `[ab]` one "
        "of them. A pattern of the event, not of the filter, has at most 1,000 characters.",
        examples=(("glob('group_4711', 'group_*')", True), ("glob('a', '?b')", False)),
    ),
    FilterFunction(
        name="hour_in",
        parameters=(
            Parameter(name="hours", types=("string",)),
            Parameter(name="zone", types=("string", "null"), optional=True),
        ),
        returns=("boolean",),
        implementation=hour_in,
        doc="Whether it is now one of these hours, such as '09:00-18:00'; '22:00-06:00' goes over midnight. "
        "Without a zone it is the `timezone` of langbot-agents.yaml.",
        examples=(("hour_in('00:00-23:59') || hour_in('23:59-00:00')", True),),
    ),
    FilterFunction(
        name="percent",
        parameters=(
            Parameter(name="key", types=("string", "number", "null")),
            Parameter(name="salt", types=("string",), optional=True),
        ),
        returns=("number", "null"),
        implementation=percent,
        doc="A number from 0 up to 100 that is always the same for a key: ``percent(actor.actor_id) < `20` ``"
        " takes a fifth of the people. Another salt draws others. Null of null.",
        examples=(("percent('alice') == percent('alice')", True), ("percent('alice') < `100`", True)),
    ),
    FilterFunction(
        name="mentions_bot",
        parameters=(),
        returns=("boolean",),
        implementation=mentions_bot,
        doc="Whether the message mentions the bot that got it.",
        examples=(("mentions_bot()", True),),
    ),
)
"""Our own functions."""

STANDARD = FunctionSet(VERSION, [*LIBRARY, *OWN])
"""What every host has."""
