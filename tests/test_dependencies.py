"""The page about what we depend on."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def normal(requirement: str) -> str:
    """The name of a requirement, as an index spells it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]).lower()


def direct() -> list[str]:
    """Every requirement that pyproject.toml states: to build, to run, as an extra, to develop."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    extras = project.get("optional-dependencies", {})
    stated = [*pyproject["build-system"]["requires"], *project["dependencies"]]
    for requirements in (*extras.values(), *groups.values()):
        stated += [requirement for requirement in requirements if isinstance(requirement, str)]
    return sorted({normal(requirement) for requirement in stated} - {project["name"]})


def test_every_dependency_has_its_line() -> None:
    """Each direct dependency has one line in docs/dependencies.md, and no line is about another package."""
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    described = sorted(normal(name) for name, _, _ in ROW.findall(page))

    assert described == direct()
