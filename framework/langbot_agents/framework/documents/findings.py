"""What is wrong with a document, where, and what to do: one value for the terminal, JSON and the console."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from langbot_agents.framework.texts import t

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]
"""Keys and indexes that lead from the top of a document to a place in it."""

CODES: dict[str, str] = {
    "LBA101": "not valid YAML",
    "LBA102": "the file cannot be read",
    "LBA103": "the file is not UTF-8 text",
    "LBA104": "too large, too deep or too many nodes",
    "LBA105": "a key is given twice",
    "LBA106": "a key is not text",
    "LBA107": "a merge key",
    "LBA108": "a tag",
    "LBA109": "an alias that leads nowhere",
    "LBA110": "a number that cannot be kept exactly",
    "LBA111": "a tab in the indentation",
    "LBA112": "a full-width colon",
    "LBA113": "an invisible character",
    "LBA114": "a value that YAML readers do not agree on",
    "LBA115": "a value that is in a list twice",
    "LBA120": "the document is not a mapping",
    "LBA121": "apiVersion is missing or unknown",
    "LBA122": "kind is missing or unknown",
    "LBA123": "a document in the wrong file",
    "LBA124": "a glob matches no file",
    "LBA125": "the file holds no document",
    "LBA140": "unknown key",
    "LBA141": "missing key",
    "LBA142": "wrong type",
    "LBA143": "a number or a truth value where text is expected",
    "LBA144": "a value that is not one of those allowed",
    "LBA145": "malformed name",
    "LBA146": "malformed event type",
    "LBA147": "out of bounds",
    "LBA148": "malformed value",
    "LBA149": "an event type that is nearly a standard one",
    "LBA150": "a binding that is never active",
    "LBA151": "a setting that an observer has no use for",
    "LBA152": "hours that are the whole day",
    "LBA160": "malformed secret reference",
    "LBA161": "a secret reference where none is resolved",
    "LBA162": "a secret is missing",
    "LBA163": "a secret in plain text",
    "LBA200": "not a filter expression",
    "LBA201": "a field that no event has",
    "LBA202": "a field that some of the event types do not have",
    "LBA203": "a name where a value is meant",
    "LBA204": "a comparison that cannot be meant",
    "LBA205": "a filter that is neither true nor false",
    "LBA206": "a filter that does not look at the event",
    "LBA207": "a function that is not there or not called like this",
    "LBA208": "a value that may be null where a function fails on null",
    "LBA301": "no such runner",
    "LBA302": "a setting that the runner does not take",
    "LBA303": "a runner whose config schema is broken",
    "LBA304": "a model that is not declared",
    "LBA305": "a tool that is not declared",
    "LBA306": "a knowledge base that is not declared",
    "LBA307": "a surface that is not there",
    "LBA308": "a grant that the runner does not ask for",
    "LBA309": "a grant of everything",
    "LBA310": "a binding_id that is taken",
    "LBA311": "two bindings that tie",
    "LBA312": "two bindings that may tie",
    "LBA313": "many filters that each event has to be tested against",
    "LBA314": "a binding that can never win",
    "LBA320": "a test names a binding that is not there",
    "LBA321": "a test names an event that is not there",
    "LBA322": "the event of a test is malformed",
    "LBA323": "a pattern that cannot be read",
    "LBA324": "a test expects what cannot be",
    "LBA390": "what this version does not do yet",
}
"""Every code of a finding and what it means; the keys of the catalogue are these meanings."""

_PLAIN_KEY = re.compile(r"[\w-]+")
_EXCERPT_INDENT = "  "
_REMEDY_INDENT = "    "
_MAX_EXCERPT = 160
_BEFORE_CARET = 60


def code_meaning(code: str, lang: str | None = None) -> str:
    """One line on what a code means, in the reader's language."""
    return t(CODES[code], lang=lang)


def format_path(path: Path) -> str:
    """A path as people write it: `filters[0].expr`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        elif _PLAIN_KEY.fullmatch(key):
            text += f".{key}" if text else key
        else:
            text += f"[{key!r}]"
    return text


def display_width(text: str) -> int:
    """Columns that a terminal needs: Chinese characters take two, combining ones none."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One cause at one place; line and column are counted from 1."""

    code: str
    message: str
    file: str
    line: int = 1
    column: int = 1
    path: str = ""
    severity: Severity = "error"
    remedy: str | None = None
    value: Any = field(default=None, compare=False, repr=False)
    excerpt: str | None = field(default=None, repr=False)
    width: int = 1
    caret: int | None = field(default=None, repr=False)
    """Where the caret stands in the excerpt, from 0, if masking moved it."""

    @property
    def place(self) -> tuple[str, int, int]:
        """What findings are sorted by."""
        return self.file, self.line, self.column

    def headline(self) -> str:
        """`file:line:column: path: problem`."""
        path = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}:{self.column}: {path}{self.message}"

    def render(self) -> str:
        """The finding as a terminal shows it: place and cause, source line, caret, remedy and code."""
        lines = [self.headline()]
        if self.excerpt is not None:
            lines += self._pointed_line()
        remedy = f"{self.remedy}  " if self.remedy else ""
        lines.append(f"{_REMEDY_INDENT}{remedy}[{self.code}]")
        return "\n".join(lines)

    def _pointed_line(self) -> list[str]:
        line = self.excerpt or ""
        caret = self.column - 1 if self.caret is None else self.caret
        marked = line[caret : caret + self.width]
        begin = max(0, caret - _BEFORE_CARET) if len(line) > _MAX_EXCERPT else 0
        shown = ("…" if begin else "") + line[begin : begin + _MAX_EXCERPT]
        before = ("…" if begin else "") + line[begin:caret]
        if begin + _MAX_EXCERPT < len(line):
            shown += "…"
        padding = "".join("\t" if char == "\t" else " " * display_width(char) for char in before)
        carets = "^" * max(1, min(display_width(marked), _MAX_EXCERPT))
        return [_EXCERPT_INDENT + shown.rstrip(), _EXCERPT_INDENT + padding + carets]

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "path": self.path,
            "message": self.message,
            "remedy": self.remedy,
            "value": self.value,
        }


def by_place(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in the order in which a reader meets them."""
    return tuple(sorted(findings, key=lambda finding: finding.place))
