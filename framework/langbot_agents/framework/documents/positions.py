"""Where a character of a parsed text stands in the file that it was read from."""

import re
from collections.abc import Sequence

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")


def position_in_scalar(lines: Sequence[str], line: int, column: int, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of character `offset` of the scalar that begins at `line`, `column`.

    Exact for text on one line and for `|` blocks; where folding moves characters, the beginning.
    """
    text = lines[line - 1] if line <= len(lines) else ""
    column += len((_PROPERTIES.match(text, column - 1) or [""])[0])
    opening = text[column - 1 : column]
    if opening in ("'", '"'):
        return line, _in_quotes(text, column, offset, opening)
    if opening == "|":
        return _in_block(lines, line, offset) or (line, column)
    if opening == ">" or column + offset > len(text) + 1:
        return line, column
    return line, column + offset


def _in_quotes(text: str, column: int, offset: int, quote: str) -> int:
    """The column behind `offset` characters, where an escape in the file is one character of the text."""
    at = column
    for _ in range(offset):
        if quote == "'" and text.startswith("''", at):
            at += 2
        elif quote == '"' and (escape := _ESCAPE.match(text, at)):
            at = escape.end()
        else:
            at += 1
    return at + 1 if at < len(text) else column


def _in_block(lines: Sequence[str], line: int, offset: int) -> tuple[int, int] | None:
    """Walk the lines of a literal block; the first one with text gives the indentation."""
    body = lines[line:]
    first = next((text for text in body if text.strip()), "")
    indent = len(first) - len(first.lstrip(" "))
    for number, text in enumerate(body, start=line + 1):
        content = text[indent:]
        if offset <= len(content):
            return number, indent + offset + 1
        offset -= len(content) + 1
    return None
