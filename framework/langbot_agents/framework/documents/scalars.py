"""What a plain scalar means: the YAML 1.2 core schema, so that `on`, `no` and `12_34` are text."""

import math
import re
from typing import Any

WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
FIRST_OF_NUMBERS = frozenset("0123456789+-.")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAX_DIGITS = 40


class NumberRefusedError(ValueError):
    """A number that JSON or a 64-bit column cannot hold exactly."""


def plain(text: str) -> Any:
    """The value of an unquoted scalar; raises `NumberRefusedError` for numbers that cannot be kept."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in FIRST_OF_NUMBERS:
        return text
    if _INT.fullmatch(text):
        return _bounded(text, 10)
    if _HEX.fullmatch(text):
        return _bounded(text, 16)
    if _OCTAL.fullmatch(text):
        return _bounded(text, 8)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise NumberRefusedError
        return number
    if _NOT_FINITE.fullmatch(text):
        raise NumberRefusedError
    return text


def _bounded(text: str, base: int) -> int:
    """An integer of at most 64 bits; a longer one is an id that somebody forgot to quote."""
    if len(text) > _MAX_DIGITS:  # int() refuses thousands of digits with an error of its own
        raise NumberRefusedError
    number = int(text, base)
    if not -(2**63) <= number < 2**63:
        raise NumberRefusedError
    return number
