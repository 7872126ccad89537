"""What `lba validate` checks: a whole project, or some files of bindings by themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.host import PluginSettings

from ..bindings import BindingSet, CheckedBindings, check_bindings
from ..documents import BindingFiles, Finding, by_place, load_bindings, load_file
from ..errors import SettingsError, UsageError
from ..plugins import PluginHost
from ..project import ROOT_NAME, Project, declared_names, find_root, load_project
from ..registry import AgentRunnerRegistry
from ..testing.cases import TEST_SUFFIXES, CaseFile, find_test_files, read_cases
from ..texts import t
from .loading import quiet_logs
from .options import Session


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What was checked, and what was found."""

    root: Path | None
    """The root document; None where there is none, and its defaults were used."""
    root_error: SettingsError | None = None
    bindings: BindingSet | None = None
    registry: AgentRunnerRegistry | None = None
    documents: int = 0
    files: int = 0
    tests: int = 0
    findings: tuple[Finding, ...] = ()

    @property
    def errors(self) -> int:
        """How many findings keep something out."""
        return sum(1 for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> int:
        """How many findings do not."""
        return len(self.findings) - self.errors

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to check."""
        return self.root_error is None and self.documents == 0 and self.tests == 0 and not self.findings

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON data."""
        entries = self.bindings.entries if self.bindings is not None else ()
        out = self.bindings.quarantined if self.bindings is not None else ()
        runners = self.registry.descriptors() if self.registry is not None else ()
        error = self.root_error
        return {
            "root": None if self.root is None else self.root.as_posix(),
            "root_error": None if error is None else {"message": error.message, "remedy": error.remedy},
            "documents": self.documents,
            "files": self.files,
            "tests": self.tests,
            "bindings": [
                {"binding_id": item.binding_id, "state": item.state, "file": item.file, "line": item.line}
                for item in entries
            ],
            "quarantined": [
                {"binding_id": item.binding_id, "file": item.file, "line": item.line, "reason": item.reason}
                for item in out
            ],
            "runners": [{"id": item.id, "state": item.state, "reason": item.reason} for item in runners],
            "errors": self.errors,
            "warnings": self.warnings,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def check(session: Session, paths: Sequence[str]) -> Checked:
    """Check what the words of the command name. Raises `UsageError` for a path that is not there."""
    quiet_logs(session)
    for path in paths:
        if not Path(path).exists():
            raise UsageError(t("{path}: there is no such file or folder", path=path))
    if not paths:
        return _check_project(session.config)
    if len(paths) == 1 and _is_project(Path(paths[0])):
        return _check_project(Path(paths[0]))
    return _check_files(session.config, [Path(path) for path in paths])


def _is_project(path: Path) -> bool:
    if path.is_dir():
        return (path / ROOT_NAME).is_file()
    return any(document.kind == "Host" for document in load_file(path).documents)


def _check_project(config: Path | None) -> Checked:
    try:
        file = find_root(config)
    except SettingsError as error:
        raise UsageError(error.message, remedy=error.remedy) from None
    try:
        project = load_project(config)
    except SettingsError as error:
        found = tuple(item for item in error.details if isinstance(item, Finding))
        return Checked(root=file, root_error=error, findings=by_place(found))
    tests = _tests_beside(project)
    return Checked(
        root=file,
        bindings=project.bindings,
        registry=project.registry,
        documents=project.documents,
        files=project.files,
        tests=len(tests),
        findings=by_place((*project.findings, *(finding for item in tests for finding in item.findings))),
    )


def _tests_beside(project: Project) -> list[CaseFile]:
    """The test files in the folders of the bindings."""
    files = {item.file for item in project.bindings.entries}
    files |= {item.file for item in project.bindings.quarantined}
    found = find_test_files(project.root, files, ())
    return [read_cases(path, project.root, project.bindings) for path in found]


def _check_files(config: Path | None, paths: list[Path]) -> Checked:
    """Some files of bindings as a set of their own, in the context of the root document if there is one."""
    root, registry, timezone, models, names = _context(config)
    # these files by themselves: the bindings that a test speaks of may be in others
    tests = [read_cases(path, Path.cwd(), None) for path in _test_paths(paths)]
    patterns = [escape(path.as_posix()) for path in paths if not path.name.endswith(TEST_SUFFIXES)]
    loaded = load_bindings(Path.cwd(), patterns, event_types=_event_types())
    # a folder without bindings may hold tests; a glob of the root document is not what was asked for
    kept = [finding for finding in loaded.findings if finding.code != "LBA124"]
    files = BindingFiles(files=loaded.files, findings=tuple(kept), no_match=loaded.no_match)
    checked: CheckedBindings = check_bindings(files, registry, timezone=timezone, models=models, names=names)
    return Checked(
        root=root,
        bindings=checked.set,
        registry=registry,
        documents=checked.documents,
        files=len(files.files),
        tests=len(tests),
        findings=by_place((*checked.findings, *(finding for item in tests for finding in item.findings))),
    )


def _test_paths(paths: Iterable[Path]) -> list[Path]:
    found: set[Path] = set()
    for path in paths:
        candidates = path.rglob("*") if path.is_dir() else [path]
        found.update(each for each in candidates if each.name.endswith(TEST_SUFFIXES))
    return sorted(found)


def _context(
    config: Path | None,
) -> tuple[Path | None, AgentRunnerRegistry, str, tuple[str, ...] | None, Mapping[str, tuple[str, ...]]]:
    """What bindings are checked against; without a root document nobody knows the names."""
    try:
        file = find_root(config)
    except SettingsError:
        if config is not None:
            raise
        plugins = PluginHost(PluginSettings())
        plugins.discover()
        registry = AgentRunnerRegistry()
        registry.discover(plugins)
        return None, registry, "UTC", None, {}
    project = load_project(config)
    settings = project.settings
    return file, project.registry, settings.timezone, project.models.names, declared_names(settings)


def _event_types() -> tuple[str, ...]:
    return tuple(name for contract in standard_types() for name in (contract.name, *contract.aliases))
