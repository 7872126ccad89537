"""The set of bindings that a person names: a project, a folder, a file, or a revision of git."""

import io
import re
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from langbot_agents.schemas.catalogue import standard_types

from ..bindings import BindingSet, check_bindings
from ..comparison import Side
from ..documents import load_bindings, load_file
from ..errors import UsageError
from ..project import ROOT_NAME, Project, load_project
from ..texts import t

_REVISION = re.compile(r"(?P<revision>[^:\s-][^:\s]*):(?P<path>.*)")


@dataclass(frozen=True, kw_only=True)
class NamedSet:
    """A set, how it was named, and where its files lie."""

    name: str
    bindings: BindingSet
    root: Path

    @property
    def side(self) -> Side:
        """It as a side of a comparison."""
        return Side.of(self.bindings, self.root)


@contextmanager
def named_set(name: str, context: Project) -> Iterator[NamedSet]:
    """The set of a name, in the context of the project that is in use; its files are there within the block.

    `REV:` is that project at a revision of git, `REV:PATH` what is at a path from the top of the repository,
    as `git show` writes it. Raises `UsageError` for what is not there, `SettingsError` for a root document
    that cannot be used.
    """
    path = Path(name)
    if path.exists():
        yield _on_disk(name, path, context)
        return
    match = _REVISION.fullmatch(name)
    if match is None:
        raise UsageError(
            t("{path}: there is no such file or folder", path=name),
            remedy=t("a revision of git is written with a colon: `HEAD:`, `main:bots/support`"),
        )
    with TemporaryDirectory(prefix="lba-diff-") as folder:
        # as git names it, so that links in it cannot lead elsewhere
        top = _top(context.root)
        inner = match["path"] or context.root.resolve().relative_to(top).as_posix()
        _extract(name, match["revision"], inner, top, Path(folder))
        yield _on_disk(name, Path(folder) / inner, context)


def _on_disk(name: str, path: Path, context: Project) -> NamedSet:
    if _is_project(path):
        project = load_project(path)
        return NamedSet(name=name, bindings=project.bindings, root=project.root)
    root, pattern = (path, "**/*.yaml") if path.is_dir() else (path.parent, escape(path.name))
    types = tuple(each for found in standard_types() for each in (found.name, *found.aliases))
    files = load_bindings(root, [pattern], event_types=types)
    checked = check_bindings(
        files,
        context.registry,
        timezone=context.settings.timezone,
        models=tuple(item.name for item in context.settings.models),
    )
    if not checked.documents:
        raise UsageError(t("{path}: there are no bindings", path=name))
    return NamedSet(name=name, bindings=checked.set, root=root.resolve())


def _is_project(path: Path) -> bool:
    if path.is_dir():
        return (path / ROOT_NAME).is_file()
    return any(document.kind == "Host" for document in load_file(path).documents)


def _top(root: Path) -> Path:
    done = _git(root, "rev-parse", "--show-toplevel")
    if done.returncode != 0:
        raise UsageError(
            t("{path}: this is not in a repository of git", path=root),
            remedy=t("name two folders or files instead of a revision"),
        )
    return Path(done.stdout.decode().strip()).resolve()


def _extract(name: str, revision: str, inner: str, top: Path, folder: Path) -> None:
    """Write what is under a path at a revision into a folder."""
    paths = [] if inner in ("", ".") else ["--", inner]
    done = _git(top, "archive", "--format=tar", revision, *paths)
    if done.returncode != 0:
        cause = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise UsageError(
            t("{name}: git has no such thing: {cause}", name=name, cause=cause),
            remedy=t("`git log --oneline` lists the revisions; a path starts at the top of the repository"),
        )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        # the words are ours, but for a revision, which cannot begin like an option, and a path behind `--`
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)  # noqa: S603, S607
    except FileNotFoundError:
        raise UsageError(
            t("git is not installed"), remedy=t("name two folders or files instead of a revision")
        ) from None
