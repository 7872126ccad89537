"""Test files: found beside the bindings, read strictly, and checked against the bindings they speak of."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import regex

from langbot_agents.schemas.binding_tests import NOBODY, BindingTest, BindingTestCase

from ..bindings import BindingSet
from ..documents import Finding, LoadedDocument, SourceDocument, by_place, load_file, nearest
from ..documents import Path as KeyPath
from ..errors import UsageError
from ..explanation import Place
from ..texts import t
from .events import CaseEvent, EventFault, event_of

TEST_SUFFIXES = (".test.yaml", ".test.yml")
_YAML_SUFFIXES = (".yaml", ".yml")
_NOT_OURS = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case, where it is written, and its event."""

    document: BindingTestCase
    source: SourceDocument = field(repr=False)
    path: KeyPath
    """From the top of its document."""
    event: CaseEvent | None
    """None where there is a finding instead."""
    findings: tuple[Finding, ...] = ()

    @property
    def name(self) -> str:
        """What the case shows."""
        return self.document.name

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.source.file

    def place(self, *path: str | int) -> Place:
        """Where something of it is written; its own first line without a path."""
        line, column = self.source.mark((*self.path, *path))
        return Place(file=self.source.file, line=line, column=column)


@dataclass(frozen=True, kw_only=True)
class CaseFile:
    """The cases of one file, and what is wrong with it."""

    file: str
    cases: tuple[Case, ...]
    findings: tuple[Finding, ...]


def find_test_files(root: Path, binding_files: Iterable[str], paths: Sequence[str]) -> list[Path]:
    """The test files that are meant: those of `paths`, else those in the folders of the bindings.

    A folder is searched to its depth; a file of bindings stands for the test file of its name. Raises
    `UsageError` for a path that is not there or leads to no test.
    """
    if not paths:
        folders = {(root / file).parent for file in binding_files}
        found = {path for folder in folders if folder.is_dir() for path in folder.iterdir()}
        return sorted(path for path in found if path.name.endswith(TEST_SUFFIXES) and path.is_file())
    chosen: set[Path] = set()
    for name in paths:
        chosen.update(_named(Path(name), name))
    return sorted(chosen)


def _named(path: Path, name: str) -> Iterator[Path]:
    if path.is_dir():
        yield from _below(path)
    elif not path.exists():
        raise UsageError(t("{path}: there is no such file or folder", path=name))
    elif path.name.endswith(TEST_SUFFIXES):
        yield path
    else:
        beside = (
            [path.with_suffix(suffix) for suffix in TEST_SUFFIXES] if path.suffix in _YAML_SUFFIXES else []
        )
        found = [each for each in beside if each.is_file()]
        if not found:
            raise UsageError(
                t("{path}: this is not a test file, and there is none of its name", path=name),
                remedy=t("the name of a test file ends in .test.yaml"),
            )
        yield from found


def _below(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_OURS]
        yield from (Path(top) / name for name in names if name.endswith(TEST_SUFFIXES))


def read_cases(path: Path, root: Path, bindings: BindingSet | None) -> CaseFile:
    """Read a test file; without `bindings` nobody can say which ids exist. Places are named from `root`."""
    resolved = path.resolve()
    shown = resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()
    loaded = load_file(path, shown=shown)
    findings = list(loaded.findings)
    cases: list[Case] = []
    for document in loaded.documents:
        if isinstance(document.model, BindingTest):
            cases += [
                _case(case, document, index, path.parent, bindings)
                for index, case in enumerate(document.model.cases)
            ]
        elif document.model is not None:
            findings.append(_misplaced(document))
    findings += [finding for case in cases for finding in case.findings]
    return CaseFile(file=shown, cases=tuple(cases), findings=by_place(findings))


def _misplaced(document: LoadedDocument) -> Finding:
    return document.source.finding(
        "LBA123",
        ("kind",),
        t("a {kind} document in a test file", kind=document.kind),
        remedy=t("move it to a file that does not end in .test.yaml"),
    )


def _case(
    case: BindingTestCase, document: LoadedDocument, index: int, folder: Path, bindings: BindingSet | None
) -> Case:
    path: KeyPath = ("cases", index)
    findings: list[Finding] = []
    event: CaseEvent | None = None
    try:
        event = event_of(case, folder)
    except EventFault as fault:
        findings.append(
            document.source.finding(
                fault.code,
                (*path, *fault.path),
                fault.message,
                remedy=fault.remedy,
                at_key=fault.at_key,
            )
        )
    findings += _patterns(case, document.source, path)
    if bindings is not None:
        findings += _names(case, document.source, path, bindings)
    return Case(document=case, source=document.source, path=path, event=event, findings=by_place(findings))


def _patterns(case: BindingTestCase, source: SourceDocument, path: KeyPath) -> Iterator[Finding]:
    for index, message in enumerate(case.expect.messages or ()):
        if message.matches is None:
            continue
        try:
            regex.compile(message.matches)
        except regex.error as error:
            yield source.finding(
                "LBA323",
                (*path, "expect", "messages", index, "matches"),
                t("{pattern!r} is not a pattern: {cause}", pattern=message.matches, cause=error),
                remedy=t("a literal ., +, *, ?, ( or [ is written with a backslash before it"),
                value=message.matches,
            )


def _names(
    case: BindingTestCase, source: SourceDocument, path: KeyPath, bindings: BindingSet
) -> Iterator[Finding]:
    """Ids that no binding has, and expectations that a binding can never meet."""
    expect = case.expect
    at: KeyPath = (*path, "expect")
    if expect.winner is not None and expect.winner != NOBODY:
        yield from _name(expect.winner, source, (*at, "winner"), bindings, mode="respond")
    for index, name in enumerate(expect.observers or ()):
        yield from _name(name, source, (*at, "observers", index), bindings, mode="observe")
    for name in expect.reasons or ():
        yield from _name(name, source, (*at, "reasons", name), bindings, at_key=True)


def _name(
    name: str,
    source: SourceDocument,
    path: KeyPath,
    bindings: BindingSet,
    *,
    mode: str | None = None,
    at_key: bool = False,
) -> Iterator[Finding]:
    entry = bindings.get(name)
    out = {item.binding_id for item in bindings.quarantined if item.binding_id is not None}
    if entry is None and name not in out:
        known = sorted({item.binding_id for item in bindings.entries} | out)
        meant = nearest(name, known)
        yield source.finding(
            "LBA320",
            path,
            t("there is no binding {name!r}", name=name),
            remedy=t("did you mean {near!r}?", near=meant)
            if meant
            else t("there are: {names}", names=", ".join(known[:20]) or "-"),
            value=name,
            at_key=at_key,
        )
    elif entry is not None and mode is not None and entry.document.mode != mode:
        observes = entry.document.mode == "observe"
        yield source.finding(
            "LBA324",
            path,
            t("{name!r} observes, so it never answers", name=name)
            if observes
            else t("{name!r} answers, so it never observes", name=name),
            remedy=t("write it under `observers`") if observes else t("write it at `winner`"),
            value=name,
        )
