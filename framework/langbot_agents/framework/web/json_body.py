"""The JSON of a request's body, and what is wrong with a body that is none."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from ..texts import t
from .problems import ProblemError

CAUSES: Mapping[str, str] = {
    "EOF while parsing": "the text ends too early",
    "trailing comma": "there is a comma too many",
    "trailing characters": "there is something behind its end",
    "key must be a string": "a key is no text in double quotes",
    "control character": "a text holds a control character, such as a line break: write \\n",
    "invalid escape": "a text holds a backslash that means nothing",
    "hex escape": "a text holds half of a character",
    "expected `:`": "a colon is missing behind a key",
    "recursion limit": "it is nested too deeply",
    "invalid number": "a number is malformed",
    "invalid unicode": "it is not UTF-8",
}
"""Words of the parser, and what they mean."""

_PLACE = re.compile(r" at line (\d+) column (\d+)$")


def read_json(body: bytes) -> Any:
    """The JSON of a body. Raises `ProblemError` with line and column."""
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError as error:
        cause = _cause(str(error)) if body.strip() else t("it is empty")
        raise ProblemError(
            400,
            "invalid_json",
            t("the body is not JSON: {cause}", cause=cause),
            remedy=t("send one JSON object in UTF-8"),
        ) from None


def _cause(text: str) -> str:
    mark = next((mark for mark in CAUSES if mark in text), None)
    cause = t("there is something that JSON does not know") if mark is None else t(CAUSES[mark])
    place = _PLACE.search(text)
    if place is None:
        return cause
    return t("line {line}, column {column}: {cause}", line=place[1], column=place[2], cause=cause)
