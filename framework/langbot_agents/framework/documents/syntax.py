"""Why a file is not YAML, in words that say what to change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import yaml

from langbot_agents.framework.texts import t

from .builder import MAX_DEPTH

_SECOND_COLON = re.compile(r"^[^#]*?\S:\s.*$")


class _Place(NamedTuple):
    line: int
    column: int


@dataclass(frozen=True, kw_only=True)
class SyntaxProblem:
    """A place (lines and columns from 0), the cause and the remedy."""

    line: int
    column: int
    message: str
    remedy: str | None = None
    code: str = "LBA101"


def explain(
    error: yaml.YAMLError, lines: Sequence[str], offset: int = 0, opened_at: tuple[int, int] | None = None
) -> SyntaxProblem:
    """The problem behind an error of the YAML parser that began to read at line `offset` of `lines`.

    `opened_at` is where the innermost list or mapping that is still open begins.
    """
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return SyntaxProblem(
            line=0, column=0, message=t("not valid YAML: {problem}", problem=_one_line(str(error)))
        )
    line, column = error.problem_mark.line + offset, error.problem_mark.column
    opened = error.context_mark or error.problem_mark
    start = _Place(opened.line + offset, opened.column)
    text = lines[line] if line < len(lines) else ""
    problem = error.problem or ""
    context = error.context or ""

    tab = _tab_in_indentation(text, column, problem)
    if tab is not None:
        return SyntaxProblem(
            code="LBA111",
            line=line,
            column=tab,
            message=t("a tab indents this line"),
            remedy=t("indent with spaces"),
        )
    blank = _blank_after_colon(lines, start.line, line)
    if blank is not None:
        return blank
    if "could not find expected ':'" in problem and (wide := _full_width_colon(lines, start.line, line)):
        return wide
    if "scanning a quoted scalar" in context and "unexpected" in problem:
        return SyntaxProblem(
            line=start.line,
            column=start.column,
            message=t("the quote that opens here is never closed"),
            remedy=t("close it, or write a single quote inside single quotes twice"),
        )
    if "nesting depth" in problem:
        return SyntaxProblem(
            code="LBA104",
            line=line,
            column=column,
            message=t("nested deeper than {count} levels", count=MAX_DEPTH),
            remedy=t("split it, or write less"),
        )
    if "flow sequence" in context or "flow mapping" in context:
        return _unclosed(start, line, "]" if "sequence" in context else "}")
    if "node content" in problem:
        return _no_content(lines, line, column, opened_at)
    if "scanning an alias" in context or "scanning an anchor" in context:
        return SyntaxProblem(
            line=start.line,
            column=start.column,
            message=t(
                "text that begins with {char!r} must be quoted", char="*" if "alias" in context else "&"
            ),
            remedy=_quote_it(lines, start.line, start.column),
        )
    if "scanning a tag" in context or "undefined tag handle" in problem:
        return SyntaxProblem(
            line=start.line,
            column=start.column,
            message=t("text that begins with {char!r} must be quoted", char="!"),
            remedy=_quote_it(lines, start.line, start.column),
        )
    if "cannot start any token" in problem:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("text that begins with {char!r} must be quoted", char=text[column : column + 1]),
            remedy=_quote_it(lines, line, column),
        )
    if "mapping values are not allowed" in problem:
        return _stray_colon(text, line, column)
    if "escape" in problem:
        column = max(text.rfind("\\", 0, column + 1), 0)
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("unknown escape {escape} in a double-quoted text", escape=text[column : column + 2]),
            remedy=t("double the backslash, or use single quotes"),
        )
    if "sequence entries are not allowed" in problem:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("a list cannot begin on the line of its key"),
            remedy=t("begin it on the next line, or write it in brackets"),
        )
    if "block scalar" in context:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("text on the line of '|' or '>'"),
            remedy=t("begin it on the next line, indented"),
        )
    if "mapping keys are not allowed" in problem:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("text that begins with {char!r} must be quoted", char="?"),
            remedy=_quote_it(lines, line, column),
        )
    if "directive" in context or "incompatible" in problem:
        return SyntaxProblem(
            line=start.line,
            column=start.column,
            message=t("a line that begins with '%' is a directive, and this one is not read"),
            remedy=t("remove it"),
        )
    if (
        "did not find expected key" in problem
        or "expected '-' indicator" in problem
        or "<block end>" in problem
    ):
        return _misplaced(text, line, column, start.line, "'-'" in problem)
    if "<document start>" in problem:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("unexpected text after the end of the document"),
            remedy=t("quote the whole value, or begin a new document with a line `---`"),
        )
    return SyntaxProblem(
        line=line,
        column=column,
        message=t("not valid YAML: {problem}", problem=_one_line(f"{problem} {context}")),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _full_width_colon(lines: Sequence[str], first: int, last: int) -> SyntaxProblem | None:
    """A key whose colon is the Chinese one, on the nearest line from `last` back to `first`."""
    for line in range(min(last, len(lines) - 1), first - 1, -1):
        match = re.match(r"\s*(?:- )?[\w-]+\s*(?=：)", lines[line])
        if match is not None:
            return SyntaxProblem(
                code="LBA112",
                line=line,
                column=match.end(),
                message=t("a full-width colon stands after this key"),
                remedy=t("write a colon and a blank, `: `, with half-width characters"),
            )
    return None


def _blank_after_colon(lines: Sequence[str], first: int, last: int) -> SyntaxProblem | None:
    """A key whose colon a blank follows that is none for YAML, as web pages and text programs give them."""
    for line in range(min(last, len(lines) - 1), first - 1, -1):
        match = re.match(r"\s*(?:- )?[\w-]+:(?=[\u00a0\u2000-\u200b\u3000])", lines[line])
        if match is not None:
            return SyntaxProblem(
                code="LBA113",
                line=line,
                column=match.end(),
                message=t(
                    "the blank after this colon is the invisible character {char}",
                    char=f"U+{ord(lines[line][match.end()]):04X}",
                ),
                remedy=t("write a blank with the space bar"),
            )
    return None


def _tab_in_indentation(text: str, column: int, problem: str) -> int | None:
    """The column of a tab in the white space that begins the line, if that is what stopped the parser."""
    blank = text[: len(text) - len(text.lstrip())]
    tab = blank.find("\t")
    if tab < 0 or not ("cannot start any token" in problem or "tab" in problem or column >= len(blank)):
        return None
    return tab


def _quote_it(lines: Sequence[str], line: int, column: int) -> str:
    rest = lines[line][column:] if line < len(lines) else ""
    if rest.count("]") > rest.count("["):
        rest = rest[: rest.rindex("]")]
    rest = rest.split(" #")[0].strip().rstrip(",")
    quoted = "'" + rest.replace("'", "''") + "'" if '"' in rest or "\\" in rest else f'"{rest}"'
    return t("quote it: {quoted}", quoted=quoted)


def _unclosed(start: _Place, line: int, closer: str) -> SyntaxProblem:
    message = (
        t("the list that opens here is not closed")
        if closer == "]"
        else t("the braces that open here are not closed")
    )
    return SyntaxProblem(
        line=start.line,
        column=start.column,
        message=message,
        remedy=t("a {closer!r} or a comma is expected before line {line}", closer=closer, line=line + 1)
        if line > start.line
        else t("a {closer!r} or a comma is expected", closer=closer),
    )


def _no_content(
    lines: Sequence[str], line: int, column: int, opened_at: tuple[int, int] | None
) -> SyntaxProblem:
    if opened_at is not None and line > opened_at[0]:
        opening = lines[opened_at[0]][opened_at[1] : opened_at[1] + 1]
        if opening in ("[", "{"):
            return _unclosed(_Place(*opened_at), line, "]" if opening == "[" else "}")
    if line < len(lines) and lines[line][column : column + 1] == ":":
        message, remedy = t("an empty key"), t("write the key before the ':'")
    else:
        message, remedy = t("a value is missing here"), t("write it, or remove the comma before it")
    return SyntaxProblem(line=line, column=column, message=message, remedy=remedy)


def _stray_colon(text: str, line: int, column: int) -> SyntaxProblem:
    before = text[:column]
    if _SECOND_COLON.match(before):
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("a second ': ' in one line"),
            remedy=t("quote the text that holds it, or begin a new line"),
        )
    return SyntaxProblem(
        line=line,
        column=len(before) - len(before.lstrip()),
        message=t("a key where the line above has a value without ': '"),
        remedy=t("line it up with the other keys, and end each key above with ': '"),
    )


def _misplaced(text: str, line: int, column: int, opened: int, in_list: bool) -> SyntaxProblem:
    if text[:column].strip():
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("unexpected text after a value"),
            remedy=t("quote the whole value"),
        )
    if in_list:
        return SyntaxProblem(
            line=line,
            column=column,
            message=t("this line is not an entry of the list that begins at line {line}", line=opened + 1),
            remedy=t("begin it with '- ', or indent it like its parent"),
        )
    return SyntaxProblem(
        line=line,
        column=column,
        message=t("this line is not a key of the mapping that begins at line {line}", line=opened + 1),
        remedy=t("indent it like its neighbours, and write `key: value`"),
    )
