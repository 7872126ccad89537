"""What a command prints: results on stdout, messages on stderr; styled on a terminal, plain elsewhere."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..texts import t

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Part = str | tuple[str, str]
"""Text, or text and its style."""

_CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A)
}
# what could reorder or hide text on a terminal is shown by its number, too
_CONTROLS |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def clean(text: str) -> str:
    """Text from outside, with what would command a terminal made visible."""
    return text.translate(_CONTROLS)


def one_line(value: Any, limit: int = 100) -> str:
    """A value on one line, cut where it is long: text as JSON, so that its borders are seen."""
    text = clean(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Output:
    """Where results and messages of one command go."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.zone: tzinfo | None = None
        """Where the clock hangs that moments are told by; None is this machine."""

    @cached_property
    def _out(self) -> "Console":
        return _console(sys.stdout)

    @cached_property
    def _err(self) -> "Console":
        return _console(sys.stderr)

    def line(self, *parts: Part, indent: int = 0) -> None:
        """A line of the result; nothing where JSON is wanted."""
        if not self.as_json:
            self._out.print(_text(parts, indent), soft_wrap=True)

    def note(self, *parts: Part, indent: int = 0) -> None:
        """A message beside the result."""
        self._err.print(_text(parts, indent), soft_wrap=True)

    def table(self, rows: Iterable[Sequence[Part]], *, indent: int = 0) -> None:
        """Lines whose parts stand below each other."""
        listed = [list(row) for row in rows]
        widths: dict[int, int] = {}
        for row in listed:
            for column, part in enumerate(row[:-1]):
                widths[column] = max(widths.get(column, 0), _width(part))
        for row in listed:
            parts: list[Part] = []
            for column, part in enumerate(row):
                parts.append(part)
                if column < len(row) - 1:
                    parts.append(" " * (widths[column] - _width(part) + 2))
            self.line(*parts, indent=indent)

    def moment(self, moment: datetime | None) -> str:
        """A moment by the clock of the project's zone, with its distance from UTC."""
        return "-" if moment is None else moment.astimezone(self.zone).isoformat(" ", "seconds")

    def raw(self, text: str) -> None:
        """A piece of the result as it comes, shown at once."""
        if not self.as_json:
            sys.stdout.write(clean(text))
            sys.stdout.flush()

    def more(self, cursor: str | None) -> None:
        """Where the next page begins, if there is one."""
        if cursor is not None:
            from shlex import quote

            self.note((t("more: {option}", option=f"--cursor {quote(cursor)}"), "dim"))

    def plain_json(self, data: Any, *, indent: int | None = 2) -> None:
        """JSON as it is, which is the result in either form."""
        json.dump(data, sys.stdout, ensure_ascii=False, indent=indent, default=str)
        sys.stdout.write("\n")
        sys.stdout.flush()

    def document(self, command: str, data: Mapping[str, Any]) -> None:
        """The result as one JSON object; nothing where text is wanted."""
        if self.as_json:
            self.plain_json({"schema": f"langbot-agents/{command}/v1", **data})

    def record(self, command: str, data: Mapping[str, Any]) -> None:
        """One of several results as a JSON object on a line of its own; nothing where text is wanted."""
        if self.as_json:
            self.plain_json({"schema": f"langbot-agents/{command}/v1", **data}, indent=None)


def _console(stream: Any) -> "Console":
    from rich.console import Console

    class Quiet(Console):
        """A console that leaves a reader's going away to `entry`."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Quiet(file=stream, highlight=False, markup=False, emoji=False)


def _text(parts: Sequence[Part], indent: int) -> "Text":
    from rich.text import Text

    text = Text(" " * indent)
    for part in parts:
        if isinstance(part, str):
            text.append(clean(part))
        else:
            text.append(clean(part[0]), style=part[1])
    text.rstrip()
    return text


def _width(part: Part) -> int:
    from rich.cells import cell_len

    return cell_len(clean(part if isinstance(part, str) else part[0]))
