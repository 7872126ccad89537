"""Where in the files a reason stands: the filter, scope field or event type that kept a binding out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bindings import BindingEntry
from ..documents import Path as KeyPath
from ..documents import SourceDocument, read_source
from ..router import Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place in a file; line and column from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def as_dict(self) -> dict[str, Any]:
        """The place as JSON data."""
        return {"file": self.file, "line": self.line, "column": self.column}


class Places:
    """Finds places in the files of one project; each file is read once.

    With `trusted`, files are only read for the entries for which it is true: of an older revision, what
    stands there now says nothing.
    """

    def __init__(self, root: Path, trusted: Callable[[BindingEntry], bool] | None = None) -> None:
        self._root = root
        self._trusted = trusted
        self._files: dict[str, tuple[SourceDocument, ...]] = {}

    def of(self, entry: BindingEntry, reason: Reason) -> Place:
        """The place that a reason is about; the binding's first line where the file has changed since."""
        path, offset = reason_path(entry, reason)
        return self.at(entry, path, offset)

    def at(self, entry: BindingEntry, path: KeyPath, offset: int | None = None) -> Place:
        """The place of a value of a binding's document, or of a character in that text."""
        whole = Place(file=entry.file, line=entry.line)
        document = self._document(entry) if path else None
        if document is None:
            return whole
        if offset is not None and isinstance(document.data["filters"][path[1]], dict):
            path = (*path, "expr")
        line, column = document.mark(path) if offset is None else document.position_in(path, offset)
        return Place(file=entry.file, line=line, column=column)

    def _document(self, entry: BindingEntry) -> SourceDocument | None:
        if self._trusted is not None and not self._trusted(entry):
            return None
        if entry.file not in self._files:
            try:
                text = (self._root / entry.file).read_bytes()
            except OSError:
                text = b""
            self._files[entry.file] = read_source(text, entry.file).documents
        found = (document for document in self._files[entry.file] if document.line == entry.line)
        document = next(found, None)
        return document if document is not None and isinstance(document.data, dict) else None


def reason_path(entry: BindingEntry, reason: Reason) -> tuple[KeyPath, int | None]:
    """Where in the binding's document a reason stands, and at which character of a filter."""
    match reason.code:
        case "disabled":
            return ("enabled",), None
        case "event_type":
            return ("event_types",), None
        case "scope":
            return ("scope", reason.field or ""), None
        case "inactive":
            return ("active",), None
        case "filter_false" | "filter_error":
            return _leg_path(entry, reason)
    return (), None


def _leg_path(entry: BindingEntry, reason: Reason) -> tuple[KeyPath, int | None]:
    for index, compiled in enumerate(entry.filters):
        if reason.leg is not None and any(leg is reason.leg.leg for leg in compiled.legs):
            return ("filters", index), reason.leg.leg.offset
    return (), None


def filter_name(entry: BindingEntry, reason: Reason) -> str | None:
    """The name that the document gives the filter that decided."""
    path, _ = _leg_path(entry, reason)
    return entry.document.filters[int(path[1])].name if path else None
