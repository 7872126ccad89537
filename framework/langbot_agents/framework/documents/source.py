"""Strict YAML: text to plain data, every value with its place, and no exception for any input.

The parser's events are read one by one instead of its nodes: `compose` recurses and resolves each
scalar by YAML 1.1 first, which costs five times as much as the parsing itself. Text that is as it should be
is read without its places; they are read where somebody asks for one, which is to say, for a finding.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import yaml

from langbot_agents.framework.texts import t

from .builder import MAX_CHARACTERS, Budget, Builder, Node, Problem, StopDocument
from .data_reader import DataDocument, read_data
from .findings import Finding, Path, Severity, by_place, format_path
from .masking import MASK, is_secret_name, mask_line
from .positions import position_in_scalar
from .syntax import explain

MAX_BYTES = MAX_CHARACTERS
MAX_DOCUMENTS = 10_000
"""Bounds of one file."""

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BREAK = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MARKER = re.compile(r"---(?:\s|$)")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class SourceDocument:
    """One document as it was written: `data` is plain, or `None` where the text is broken.

    The places of its values cost more time and memory than the values: they are read when asked for, and
    `forget_places` drops them again.
    """

    __slots__ = ("_end", "_first", "_lines", "_root", "data", "file", "findings", "line")

    def __init__(
        self,
        file: str,
        lines: Sequence[str],
        *,
        first: int,
        end: int,
        data: Any,
        root: Node | None = None,
        line: int | None = None,
    ) -> None:
        self.file = file
        self.line = root.line if root else line or first + 1
        self.data = data
        self.findings: tuple[Finding, ...] = ()
        self._first = first
        self._end = end
        self._lines = lines
        self._root = root

    def __repr__(self) -> str:
        return f"SourceDocument({self.file}:{self.line})"

    @property
    def text(self) -> str:
        """The lines of this document."""
        text = "\n".join(self._lines[self._first : self._end])
        return text + "\n" if self._end < len(self._lines) else text

    def forget_places(self) -> None:
        """Free the places; they are read again from the text when somebody asks."""
        if self.data is not None:
            self._root = None

    def line_text(self, number: int) -> str:
        """A line of the file, counted from 1."""
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def mark(self, path: Path) -> tuple[int, int]:
        """Line and column, from 1, of the value at `path`, or of what is nearest to it."""
        node = self._find(path)[1]
        return node.line, node.column

    def key_mark(self, path: Path) -> tuple[int, int]:
        """Line and column, from 1, of the key that `path` ends with; of the value for a list's entry."""
        node = self._find(path)[0]
        return node.line, node.column

    def position_in(self, path: Path, offset: int) -> tuple[int, int]:
        """Line and column of a character inside the text at `path`; its beginning where folding hides it."""
        node = self._find(path)[1]
        return position_in_scalar(self._lines, node.line, node.column, offset)

    def raw(self, path: Path) -> str:
        """The value at `path` as it is written on its first line."""
        node = self._find(path)[1]
        return self.line_text(node.line)[node.column - 1 : node.column - 1 + node.width]

    def finding(
        self,
        code: str,
        path: Path,
        message: str,
        *,
        remedy: str | None = None,
        value: Any = None,
        severity: Severity = "error",
        at_key: bool = False,
        offset: int | None = None,
        width: int | None = None,
        hidden: bool = False,
    ) -> Finding:
        """A finding about the value at `path`, its key, or `width` characters at `offset` in it.

        A `hidden` value is a secret though its key does not say so: it is not shown.
        """
        key_node, value_node = self._find(path)
        node = key_node if at_key else value_node
        if offset is not None:
            line, column = position_in_scalar(self._lines, node.line, node.column, offset)
            node = Node(line, column, width or 1)
        if hidden:
            return self._at(Problem(code, node, path, message, remedy), severity, node.width, hidden=True)
        return self._at(Problem(code, node, path, message, remedy, value), severity, width)

    def _at(
        self,
        problem: Problem,
        severity: Severity = "error",
        width: int | None = None,
        *,
        hidden: bool = False,
    ) -> Finding:
        node = problem.node
        line = self.line_text(node.line)
        if hidden:
            begin = node.column - 1
            line = line[:begin] + MASK + line[begin + node.width :]
            width = len(MASK)
        excerpt, caret = mask_line(line, node.column - 1)
        # Carets as long as the secret would tell its length.
        hidden = excerpt.startswith(MASK, caret) and not line.startswith(MASK, node.column - 1)
        secret = any(isinstance(key, str) and is_secret_name(key) for key in problem.path)
        return Finding(
            code=problem.code,
            severity=severity,
            file=self.file,
            line=node.line,
            column=node.column,
            path=format_path(problem.path),
            message=problem.message,
            remedy=problem.remedy,
            value=MASK if secret and problem.value is not None else problem.value,
            excerpt=excerpt,
            width=len(MASK) if hidden else width or node.width,
            caret=caret if caret != node.column - 1 else None,
        )

    def _find(self, path: Path) -> tuple[Node, Node]:
        """The nodes of key and value at `path`; the deepest that exist where the path leads further."""
        if self._root is None and self.data is not None:
            again = DocumentReader(self.file, self._lines)
            again.parse(self.text, self._first)
            self._root = again.documents[0]._root if again.documents else None
        value = self._root or Node(self.line, 1, max(len(self.line_text(self.line)), 1))
        key = value
        for step in path:
            children = value.children
            if isinstance(children, dict) and isinstance(step, str) and step in children:
                key, value = children[step]
            elif isinstance(children, list) and isinstance(step, int) and step < len(children):
                key = value = children[step]
            else:
                break
        return key, value


class Source:
    """The documents of one file, and what is wrong with the file as a whole."""

    __slots__ = ("documents", "file", "findings")

    def __init__(
        self, file: str, documents: tuple[SourceDocument, ...] = (), findings: tuple[Finding, ...] = ()
    ) -> None:
        self.file = file
        self.documents = documents
        self.findings = findings

    def __repr__(self) -> str:
        return f"Source({self.file!r}, {len(self.documents)} documents)"


def read_source(text: str | bytes, file: str) -> Source:
    """Read YAML text; what is wrong is in the findings of the source and of its documents."""
    if len(text) > MAX_BYTES:
        message = t("the file is larger than {count} bytes", count=MAX_BYTES)
        return Source(
            file, findings=(Finding(code="LBA104", file=file, message=message, remedy=t("split it")),)
        )
    if isinstance(text, bytes):
        decoded = _decode(text, file)
        if isinstance(decoded, Finding):
            return Source(file, findings=(decoded,))
        text = decoded
    text = text.removeprefix("\ufeff")
    refused = _REFUSED.search(text)
    if refused:
        return Source(file, findings=(_refused_character(text, refused.start(), file),))
    lines = BREAK.split(text)
    plain = read_data(text)
    if plain is not None and 0 < len(plain) <= MAX_DOCUMENTS:
        return Source(file, documents=tuple(_plain_document(file, lines, each) for each in plain))
    reader = DocumentReader(file, lines)
    reader.read(text)
    if len(reader.documents) <= MAX_DOCUMENTS:
        return Source(file, documents=tuple(reader.documents))
    line = reader.documents.pop().line
    message = t("more than {count} documents in one file", count=MAX_DOCUMENTS)
    finding = Finding(code="LBA104", file=file, line=line, message=message, remedy=t("split it"))
    return Source(file, documents=tuple(reader.documents), findings=(finding,))


def _plain_document(file: str, lines: Sequence[str], read: DataDocument) -> SourceDocument:
    return SourceDocument(file, lines, first=read.first, end=read.end, data=read.data, line=read.line + 1)


class DocumentReader:
    """Reads a file document by document; a broken one ends at the next `---` line and hides no other."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.documents: list[SourceDocument] = []
        self._file = file
        self._lines = lines
        self._budget = Budget()

    def read(self, text: str) -> None:
        """Take all documents of the file, up to one over the bound."""
        stopped = self.parse(text, 0)
        if stopped is not None:
            markers = [n for n, line in enumerate(self._lines) if n >= stopped and _MARKER.match(line)]
            # From here on marker by marker, so that many broken documents still cost one pass.
            for first, end in pairwise([*markers, len(self._lines)]):
                if len(self.documents) > MAX_DOCUMENTS:
                    break
                self.parse("\n".join(self._lines[first:end]), first)

    def parse(self, text: str, offset: int) -> int | None:
        """Read documents from `text`; after a broken one, the line from which the next may begin."""
        parser = _Parser(text)
        known = len(self.documents)
        builder = Builder(offset, self._lines, self._budget)
        first = offset
        try:
            while len(self.documents) <= MAX_DOCUMENTS:
                event = parser.get_event()
                kind = type(event)
                if kind is yaml.ScalarEvent:
                    builder.scalar(event)
                elif kind is yaml.MappingStartEvent:
                    builder.open(event, is_list=False)
                elif kind is yaml.SequenceStartEvent:
                    builder.open(event, is_list=True)
                elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                    builder.close(event)
                elif kind is yaml.AliasEvent:
                    builder.alias(event)
                elif kind is yaml.DocumentStartEvent:
                    builder = Builder(offset, self._lines, self._budget)
                    first = offset + event.start_mark.line
                elif kind is yaml.DocumentEndEvent:
                    mark = event.end_mark
                    self._add(builder, first, offset + mark.line + (mark.column > 0))
                    builder = Builder(offset, self._lines, self._budget)
                    first = offset + mark.line
                elif kind is yaml.StreamEndEvent:
                    return None
            return None
        except StopDocument:
            self._add(builder, first, self._next_marker(first))
        except yaml.YAMLError as error:
            return self._broken(error, builder, first, offset, known)
        finally:
            parser.dispose()
        return first + 1

    def _add(self, builder: Builder, first: int, end: int) -> None:
        if builder.empty and not builder.problems:
            return
        document = SourceDocument(
            self._file,
            self._lines,
            first=first,
            end=max(end, first + 1),
            root=builder.root,
            data=builder.data,
        )
        document.findings = by_place(document._at(problem) for problem in builder.problems)
        self.documents.append(document)

    def _broken(self, error: yaml.YAMLError, builder: Builder, first: int, offset: int, known: int) -> int:
        problem = explain(error, self._lines, offset, builder.opened_at)
        line = min(problem.line, len(self._lines) - 1)
        node = Node(line + 1, problem.column + 1, 1)
        end = self._next_marker(first)
        previous = self.documents[-1] if len(self.documents) > known else None
        if previous is not None and self._next_marker(previous.line - 1) > line:
            # Text behind a finished document that no `---` parts from it: that document is what is broken.
            document = previous
            document.data = document._root = None
        else:
            while first < line and not self._lines[first].split("#")[0].strip(" \t-"):
                first += 1
            document = SourceDocument(self._file, self._lines, first=first, end=end, root=None, data=None)
            self.documents.append(document)
        causes = list(builder.problems)
        if not causes or causes[-1].node.line != line + 1:
            # A refusal in the same line is what led the parser astray.
            causes.append(Problem(problem.code, node, (), problem.message, problem.remedy))
        document.findings = by_place([*document.findings, *map(document._at, causes)])
        mark = getattr(error, "problem_mark", None)
        return max(first + 1, offset + mark.line if mark else end)

    def _next_marker(self, line: int) -> int:
        """The line at which the document that stands in `line` must have ended."""
        following = range(line + 1, len(self._lines))
        return next((n for n in following if _MARKER.match(self._lines[n])), len(self._lines))


def _decode(data: bytes, file: str) -> str | Finding:
    if data.startswith(_UTF16):
        return Finding(
            code="LBA103", file=file, message=t("the file is UTF-16"), remedy=t("save it as UTF-8")
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        lines = BREAK.split(before)
        return Finding(
            code="LBA103",
            file=file,
            line=len(lines),
            column=len(lines[-1]) + 1,
            message=t("byte 0x{byte:02x} is not UTF-8", byte=data[error.start]),
            remedy=t("save it as UTF-8"),
        )


def _refused_character(text: str, index: int, file: str) -> Finding:
    lines = BREAK.split(text[:index])
    return Finding(
        code="LBA103",
        file=file,
        line=len(lines),
        column=len(lines[-1]) + 1,
        message=t("the character U+{number:04X} cannot stand in YAML", number=ord(text[index])),
        remedy=t("remove it, or write it as an escape in double quotes"),
    )
