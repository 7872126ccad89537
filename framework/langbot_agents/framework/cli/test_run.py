"""What `lba test` does, with its progress on a terminal."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import LangbotAgentsError, SettingsError, UsageError
from ..project import ROOT_NAME, Project, load_project
from ..testing import (
    Case,
    CaseFile,
    Coverage,
    Mutation,
    SuiteResult,
    coverage_of,
    find_test_files,
    read_cases,
    run_suite,
    try_mutants,
    write_junit,
)
from ..texts import t
from .loading import quiet_logs
from .options import Session


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a person asked for."""

    word: str | None = None
    coverage: bool = False
    mutate: bool = False
    fail_under: int | None = None
    junit: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tested:
    """What came of it."""

    project: Project = field(repr=False)
    suite: SuiteResult
    wanted: Wanted
    seconds: float
    coverage: Coverage | None = None
    mutation: Mutation | None = None

    @property
    def shortfalls(self) -> tuple[tuple[str, float, int], ...]:
        """What is below its bound: its name, how much it is and the bound, in percent."""
        stated = self.wanted.fail_under
        found: list[tuple[str, float, int]] = []
        if self.coverage is not None and stated is not None and self.coverage.percent < stated:
            found.append(("coverage", self.coverage.percent, stated))
        bound = 100 if stated is None else stated
        if self.mutation is not None and self.mutation.percent < bound:
            found.append(("mutation", self.mutation.percent, bound))
        return tuple(found)

    @property
    def exit_code(self) -> int:
        """0 for all well, 1 where something did not hold, 2 for nothing to check."""
        if self.suite.nothing:
            return 2
        return 0 if self.suite.ok and not self.shortfalls else 1

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "ok": self.exit_code == 0,
            **self.suite.as_dict(),
            "seconds": round(self.seconds, 3),
            "left_out": len(self.project.bindings.quarantined),
            "coverage": None if self.coverage is None else self.coverage.as_dict(),
            "mutation": None if self.mutation is None else self.mutation.as_dict(),
        }


def run_tests(session: Session, paths: Sequence[str], wanted: Wanted) -> Tested:
    """Find, read and run the tests. Raises `UsageError`, and `SettingsError` without a root document."""
    import time

    quiet_logs(session)
    config = session.config
    if len(paths) == 1 and (Path(paths[0]) / ROOT_NAME).is_file():
        config, paths = Path(paths[0]), ()
    start = time.perf_counter()
    project = _project(config)
    files = _files(project, paths)
    word = (wanted.word or "").casefold()

    def chosen(case: Case) -> bool:
        return word in case.name.casefold() or word in case.file.casefold()

    with _progress() as tell:
        suite = run_suite(
            project,
            files,
            chosen=chosen,
            began=lambda case, number, count: tell(f"{number}/{count}  {case.name}"),
        )
        decided = [result.decided for result in suite.results if result.decided is not None]
        # of some cases nobody asks what they do not speak of
        only = suite.subjects if paths or wanted.word else None
        coverage = None
        if wanted.coverage:
            coverage = coverage_of(project.bindings, decided, project.root, only=only)
        mutation = None
        if wanted.mutate and suite.results:
            mutation = try_mutants(
                project.bindings,
                suite.results,
                project.root,
                only=only,
                began=lambda name, number, count: tell(f"{number}/{count}  {name}"),
            )
    if wanted.junit is not None:
        _write(Path(wanted.junit), suite)
    return Tested(
        project=project,
        suite=suite,
        wanted=wanted,
        seconds=time.perf_counter() - start,
        coverage=coverage,
        mutation=mutation,
    )


def _project(config: Path | None) -> Project:
    try:
        return load_project(config)
    except SettingsError as error:
        if error.details:
            raise
        raise UsageError(error.message, remedy=error.remedy) from None


def _files(project: Project, paths: Sequence[str]) -> list[CaseFile]:
    known = {item.file for item in project.bindings.entries}
    known |= {item.file for item in project.bindings.quarantined}
    found = find_test_files(project.root, known, paths)
    return [read_cases(path, project.root, project.bindings) for path in found]


def _write(path: Path, suite: SuiteResult) -> None:
    try:
        write_junit(path, suite)
    except OSError as error:
        raise LangbotAgentsError(
            t("{path}: {cause}", path=path, cause=error.strerror),
            remedy=t("choose a file that you may write to"),
        ) from None


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is under way; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(Text(text))
