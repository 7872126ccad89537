"""Hiding secrets in what we show: by the name of a field, and by the value itself."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

MASK = "***"
"""What stands in place of a secret."""

MIN_SECRET_LENGTH = 4
"""Shorter values are not searched for: masking each `1` would hide everything and protect nothing."""

_MIN_LINE_LENGTH = 16
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:(?:api|access|secret|private|signing|encrypt|encryption|aes)_?key|token|password|passwd|passphrase"
    r"|secret|authorization|cookie|set_cookie|credentials?)$"
)
_LINE_FIELD = re.compile(r"""(?P<quote>["']?)(?P<name>[A-Za-z_][A-Za-z0-9_-]*)(?P=quote)\s*:\s+(?=\S)""")
_FLOW_VALUE = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[^,}\]]*""")


def is_secret_name(name: str) -> bool:
    """Whether a field of that name holds a secret: `api_key`, `botToken`, `x-api-key`, not `max_tokens`."""
    return _SECRET_NAME.search(_CAMEL.sub("_", name).replace("-", "_").lower()) is not None


def mask_line(line: str, caret: int = 0) -> tuple[str, int]:
    """A line of YAML without the literal values of secret fields, and where `caret` (from 0) moves.

    References stay: they hide nothing.
    """
    shown, copied, moved = "", 0, caret
    for match in _LINE_FIELD.finditer(line):
        start = match.end()
        if start < copied or not is_secret_name(match["name"]):
            continue
        if line[start:].lstrip("\"'").startswith("${"):
            continue
        braces = line[:start].count("{") > line[:start].count("}")
        value = _FLOW_VALUE.match(line, start) if braces else None
        end = value.end() if value else len(line)
        if caret >= end:
            moved += len(MASK) - (end - start)
        elif caret > start:
            moved = len(shown) + start - copied
        shown += line[copied:start] + MASK
        copied = end
    return shown + line[copied:], moved


def _spellings(secret: str) -> set[str]:
    """The secret as it may stand in text: itself, inside JSON, inside a URL, line by line."""
    lines = [line for line in secret.splitlines() if len(line) >= _MIN_LINE_LENGTH]
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(secret, safe="", errors="replace"),
        *lines,
    }


class Masker:
    """Replaces secrets in text and in nested data; it never shows what it knows."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._spellings: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self.add(*secrets)

    def __repr__(self) -> str:
        return f"Masker({len(self._spellings)} spellings)"

    def add(self, *secrets: str) -> None:
        """Learn values that must not be shown; values shorter than four characters are not learnt."""
        learnt = {s for secret in secrets if len(secret) >= MIN_SECRET_LENGTH for s in _spellings(secret)}
        if learnt <= self._spellings:
            return
        self._spellings |= learnt
        # The longest first, so that a secret which begins like another one is replaced whole.
        ordered = sorted(self._spellings, key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(map(re.escape, ordered)))

    def text(self, text: str) -> str:
        """The text with each known value replaced."""
        return self._pattern.sub(MASK, text) if self._pattern else text

    def data(self, data: Any) -> Any:
        """A copy of nested data, masked by field name and by value."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, Mapping):
            return {
                self.text(key) if isinstance(key, str) else key: (
                    _blank(item) if isinstance(key, str) and is_secret_name(key) else self.data(item)
                )
                for key, item in data.items()
            }
        if isinstance(data, list | tuple):
            return [self.data(item) for item in data]
        return data


def _blank(value: Any) -> Any:
    """The value of a secret field: each text and number in it masked, references kept."""
    if isinstance(value, str):
        return value if not value or _REFERENCE.fullmatch(value) else MASK
    if isinstance(value, Mapping):
        return {key: _blank(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_blank(item) for item in value]
    return value if value is None or isinstance(value, bool) else MASK


_REFERENCE = re.compile(r"\$\{(?:env|file):[^{}]*\}")
