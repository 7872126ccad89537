"""Files to documents: `kind` decides the model, and what fails stays out alone."""

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from glob import glob
from pathlib import Path
from typing import Any

from langbot_agents.framework.collector import paused
from langbot_agents.framework.texts import t
from langbot_agents.schemas.binding_tests import BindingTest
from langbot_agents.schemas.bindings import API_VERSION, AgentBinding
from langbot_agents.schemas.host import Host

from .characters import check_characters
from .findings import Finding, by_place
from .secrets import check_references
from .shapes import nearest
from .source import MAX_BYTES, SourceDocument, read_source
from .typed import parse

AnyDocument = AgentBinding | Host | BindingTest

KINDS: dict[str, type[AgentBinding] | type[Host] | type[BindingTest]] = {
    "AgentBinding": AgentBinding,
    "Host": Host,
    "BindingTest": BindingTest,
}
YAML_SUFFIXES = (".yaml", ".yml")
TEST_SUFFIXES = (".test.yaml", ".test.yml")

_WRITTEN = r"""^{key}\s*:\s*["']?([A-Za-z0-9][A-Za-z0-9._:/-]*)"""
_WRITTEN_ID = re.compile(_WRITTEN.format(key="binding_id"), re.MULTILINE)
_WRITTEN_KIND = re.compile(_WRITTEN.format(key="kind"), re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class LoadedDocument:
    """One document of a file: its model, or why there is none."""

    kind: str | None
    model: AnyDocument | None = field(repr=False)
    file: str
    line: int
    digest: str | None
    source: SourceDocument = field(repr=False, compare=False)
    findings: tuple[Finding, ...]
    binding_id: str | None
    """As written, also where the document is broken: so it can be listed and its last good revision kept."""

    @property
    def binding(self) -> AgentBinding | None:
        """The model, if it is a binding."""
        return self.model if isinstance(self.model, AgentBinding) else None


Stamp = tuple[int, int, int, int]
"""Device, number, size in bytes, and time of the last change in nanoseconds."""

SETTLED_NS = 2_000_000_000
"""A change so soon after another may bear the same time; a stamp proves something only after that."""


@dataclass(frozen=True, kw_only=True)
class LoadedFile:
    """The documents of one file and all findings about it, by place."""

    file: str
    documents: tuple[LoadedDocument, ...]
    findings: tuple[Finding, ...]
    stamp: Stamp | None = None
    """What the file system said of it, where that proves by itself that it is the same."""


@dataclass(frozen=True, kw_only=True)
class BindingFiles:
    """The binding files of a project, in the order that settles ties: by file, then by line."""

    files: tuple[LoadedFile, ...]
    findings: tuple[Finding, ...]
    no_match: tuple[str, ...]
    """Globs that match no YAML file."""

    @property
    def documents(self) -> tuple[LoadedDocument, ...]:
        """All documents, the broken ones too."""
        return tuple(document for file in self.files for document in file.documents)

    @property
    def bindings(self) -> tuple[LoadedDocument, ...]:
        """The documents that are valid bindings."""
        return tuple(document for document in self.documents if document.binding is not None)

    @property
    def quarantined(self) -> tuple[LoadedDocument, ...]:
        """The documents that were meant as bindings, as far as one can read, and failed."""
        return tuple(d for d in self.documents if d.model is None and d.kind not in ("Host", "BindingTest"))


def load_file(path: Path, *, shown: str | None = None, event_types: Collection[str] = ()) -> LoadedFile:
    """Load a file; `shown` is how findings call it."""
    file = shown if shown is not None else path.as_posix()
    content = _read(path, file)
    if isinstance(content, Finding):
        return LoadedFile(file=file, documents=(), findings=(content,))
    return load_text(content, file, event_types=event_types)


def load_text(text: str | bytes, file: str, *, event_types: Collection[str] = ()) -> LoadedFile:
    """Load documents from text; never raises for what the text holds."""
    source = read_source(text, file)
    documents = tuple(_load(document, event_types) for document in source.documents)
    findings = [*source.findings, *(finding for document in documents for finding in document.findings)]
    if not documents and not findings:
        findings.append(
            Finding(
                code="LBA125",
                severity="warning",
                file=file,
                message=t("the file holds no document"),
                remedy=_header(),
            )
        )
    return LoadedFile(file=file, documents=documents, findings=by_place(findings))


def load_binding_text(text: str | bytes, file: str, *, event_types: Collection[str] = ()) -> BindingFiles:
    """Load a text as if it were the only file of bindings; `file` is how findings call it."""
    loaded = _only_bindings(load_text(text, file, event_types=event_types))
    return BindingFiles(files=(loaded,), findings=by_place(loaded.findings), no_match=())


def load_bindings(
    root: Path,
    globs: Iterable[str],
    *,
    host: SourceDocument | None = None,
    event_types: Collection[str] = (),
    previous: BindingFiles | None = None,
) -> BindingFiles:
    """Load the binding files that the globs, relative to `root`, match; `*.test.yaml` are none.

    With the root document as `host`, a glob without files is reported where it is written. Of a `previous`
    load of the same root, files that have not changed since are taken over as they are.
    """
    known = {} if previous is None else {file.file: file for file in previous.files if file.stamp is not None}
    matched: dict[str, Stamp | None] = {}
    no_match: list[tuple[int, str]] = []
    for index, pattern in enumerate(globs):
        found = _match(root, pattern)
        matched |= found
        if not found:
            no_match.append((index, pattern))
    with paused():
        files = tuple(
            _same(known.get(name), stamp) or _load_binding_file(root / name, name, event_types, stamp)
            for name, stamp in sorted(matched.items())
        )
    findings = [finding for file in files for finding in file.findings]
    findings += [_no_match(root, pattern, index, host) for index, pattern in no_match]
    return BindingFiles(
        files=files, findings=by_place(findings), no_match=tuple(pattern for _, pattern in no_match)
    )


def _same(before: LoadedFile | None, stamp: Stamp | None) -> LoadedFile | None:
    return before if before is not None and stamp is not None and before.stamp == stamp else None


def _load_binding_file(
    path: Path, name: str, event_types: Collection[str], stamp: Stamp | None
) -> LoadedFile:
    loaded = _only_bindings(load_file(path, shown=name, event_types=event_types))
    # what was changed while it was read, or just before, is read again the next time
    settled = stamp is not None and time.time_ns() - stamp[3] > SETTLED_NS and stamp == _stamp(_look(path))
    return replace(loaded, stamp=stamp) if settled else loaded


def _look(path: str | Path) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - for some ten thousand names
    except (OSError, ValueError):
        return None


def _stamp(looked: os.stat_result | None) -> Stamp | None:
    if looked is None:
        return None
    return looked.st_dev, looked.st_ino, looked.st_size, looked.st_mtime_ns


def digest_of(data: Any) -> str:
    """`sha256:` of the canonical JSON of plain data."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def model_digest(model: AnyDocument) -> str:
    """The digest by which a revision of a document is stored."""
    return digest_of(model.model_dump(mode="json", by_alias=True))


def _load(document: SourceDocument, event_types: Collection[str]) -> LoadedDocument:
    kind = _written_kind(document)
    findings = list(document.findings)
    model: AnyDocument | None = None
    if not findings:
        findings = check_characters(document) or _check_header(document)
    if not findings:
        model, findings = parse(document, KINDS[kind or ""], event_types=event_types)
        reported = {finding.path for finding in findings}
        findings += [finding for finding in check_references(document) if finding.path not in reported]
        findings += _check_file(document, kind)
    if findings:
        model = None
    else:
        document.forget_places()
    digest = None
    if isinstance(model, Host):
        # Its model hides secrets, so that a changed key would give the same dump.
        digest = digest_of(document.data)
    elif model is not None:
        digest = model_digest(model)
    return LoadedDocument(
        kind=kind,
        model=model,
        file=document.file,
        line=document.line,
        digest=digest,
        source=document,
        findings=by_place(findings),
        binding_id=_written_id(document),
    )


def _check_header(document: SourceDocument) -> list[Finding]:
    """One finding where `kind` or `apiVersion` does not say what the document is."""
    data = document.data
    if not isinstance(data, dict):
        message = t("the document is not a mapping")
        return [document.finding("LBA120", (), message, remedy=_header())]
    checks = (("kind", "LBA122", tuple(KINDS)), ("apiVersion", "LBA121", (API_VERSION,)))
    for key, code, allowed in checks:
        if key not in data:
            return [document.finding(code, (key,), t("this key is missing"), remedy=_header(), at_key=True)]
        value = data[key]
        if not isinstance(value, str) or value not in allowed:
            near = nearest(value, allowed) if isinstance(value, str) else None
            remedy = t("allowed: {names}", names=", ".join(allowed))
            if near is not None:
                remedy = t("did you mean {near!r}?", near=near)
            message = t("unknown {key} {value}", key=key, value=repr(document.raw((key,)).strip("\"'")))
            return [document.finding(code, (key,), message, remedy=remedy, value=value)]
    return []


def _header() -> str:
    return t("a document begins with `apiVersion: {version}` and `kind: AgentBinding`", version=API_VERSION)


def _check_file(document: SourceDocument, kind: str | None) -> list[Finding]:
    if kind == "AgentBinding" and document.file.endswith(TEST_SUFFIXES):
        message = t("a binding in a test file is never loaded")
        return [_misplaced(document, message, t("move it to a file that does not end in .test.yaml"))]
    return []


def _only_bindings(loaded: LoadedFile) -> LoadedFile:
    """Refuse, in a binding file, documents of another kind."""
    documents = tuple(_refuse_kind(document) for document in loaded.documents)
    kept = {id(finding) for document in documents for finding in document.findings}
    of_file = [finding for finding in loaded.findings if id(finding) not in kept]
    findings = [*of_file, *(finding for document in documents for finding in document.findings)]
    return LoadedFile(file=loaded.file, documents=documents, findings=by_place(findings))


def _refuse_kind(document: LoadedDocument) -> LoadedDocument:
    if document.kind not in ("Host", "BindingTest"):
        return document
    remedy = t("move it to langbot-agents.yaml")
    if document.kind == "BindingTest":
        remedy = t("move it to a file that ends in .test.yaml")
    message = t("a {kind} document among the bindings", kind=document.kind)
    return LoadedDocument(
        kind=document.kind,
        model=None,
        file=document.file,
        line=document.line,
        digest=None,
        source=document.source,
        findings=by_place([_misplaced(document.source, message, remedy), *document.findings]),
        binding_id=document.binding_id,
    )


def _misplaced(document: SourceDocument, message: str, remedy: str) -> Finding:
    return document.finding("LBA123", ("kind",), message, remedy=remedy)


def _written_kind(document: SourceDocument) -> str | None:
    if isinstance(document.data, dict):
        kind = document.data.get("kind")
        return kind if isinstance(kind, str) else None
    match = _WRITTEN_KIND.search(document.text)
    return match[1] if match else None


def _written_id(document: SourceDocument) -> str | None:
    if isinstance(document.data, dict):
        value = document.data.get("binding_id")
        if value is None or isinstance(value, str | list | dict):
            return value if isinstance(value, str) else None
        return document.raw(("binding_id",))
    match = _WRITTEN_ID.search(document.text)
    return match[1] if match else None


def _no_match(root: Path, pattern: str, index: int, host: SourceDocument | None) -> Finding:
    message = t("{glob!r} matches no YAML file", glob=pattern)
    remedy = t("correct `bindings` in langbot-agents.yaml")
    if host is not None:
        path = ("bindings", index)
        return host.finding("LBA124", path, message, remedy=remedy, value=pattern, severity="warning")
    return Finding(
        code="LBA124", severity="warning", file=root.as_posix(), message=message, remedy=remedy, value=pattern
    )


def _match(root: Path, pattern: str) -> dict[str, Stamp | None]:
    """The YAML files of a glob or a directory, with their stamps; `.yaml` also finds `.yml`, and reversed."""
    stem, dot, suffix = pattern.rpartition(".")
    patterns = {pattern}
    if dot and f".{suffix}" in YAML_SUFFIXES:
        patterns = {stem + each for each in YAML_SUFFIXES}
    found: set[str] = set()
    for each in patterns:
        try:
            names = glob(each, root_dir=root, recursive=True)  # noqa: PTH207 - absolute globs too
            if (root / each).is_dir():
                names += glob(f"{each}/**/*", root_dir=root, recursive=True)  # noqa: PTH207
        except (OSError, ValueError):
            continue
        found.update(name.replace(os.sep, "/").removeprefix("./") for name in names)
    matched: dict[str, Stamp | None] = {}
    before = "" if Path(pattern).is_absolute() else f"{root}/"
    for name in found:
        if name.endswith(YAML_SUFFIXES) and not name.endswith(TEST_SUFFIXES):
            looked = _look(before + name)
            if looked is None or not stat.S_ISDIR(looked.st_mode):
                matched[name] = _stamp(looked)
    return matched


def _read(path: Path, file: str) -> bytes | Finding:
    try:
        if path.exists() and not path.is_file():
            return Finding(code="LBA102", file=file, message=t("this is not a file"))
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        remedy = t("mend or remove the link, if it is one")
        return Finding(code="LBA102", file=file, message=t("there is no such file"), remedy=remedy)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Finding(
            code="LBA102",
            file=file,
            message=t("the file cannot be read: {reason}", reason=reason),
            remedy=t("give the host's user the right to read it, or take it out of `bindings`"),
        )
