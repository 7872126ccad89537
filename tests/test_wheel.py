"""The built distribution, as people install it."""

import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("schemas", "sdk", "framework", "builtin_runners")
NOT_SOURCES = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis", "build", "dist", "data"
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def call(*command: str | Path, cwd: Path) -> str:
    """Run a command outside the checkout and give what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["LANGBOT_AGENTS_LANG"] = "en_US"
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a clean copy of the tree, and the wheel made from that sdist."""
    base = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, base / "tree", ignore=NOT_SOURCES)
    call(sys.executable, "-m", "build", "--outdir", base / "dist", base / "tree", cwd=base)
    return base / "dist"


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that holds the wheel and what it depends on."""
    base = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", base / "venv", cwd=base)
    call(base / "venv/bin/python", "-m", "pip", "install", "--quiet", wheel, cwd=base)
    return base / "venv"


def test_one_name(wheel: Path) -> None:
    """The wheel puts one name, `langbot_agents`, into site-packages, and nobody owns it."""
    names = ZipFile(wheel).namelist()

    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"langbot_agents"}
    assert "langbot_agents/__init__.py" not in names


def test_everything_is_packed(wheel: Path) -> None:
    """The wheel has every file of the four packages: samples, migrations, templates and `py.typed` too."""
    sources = {
        path.relative_to(ROOT / package).as_posix()
        for package in PACKAGES
        for path in (ROOT / package / "langbot_agents").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name} == sources


def test_sdist(built: Path) -> None:
    """The sdist has the tests, the docs and the scripts, but not what only our CI runs."""
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"LICENSE", "README.md", "scripts/_env", "tests/test_wheel.py", "docs/dependencies.md"} <= names
    assert ".ci/run" not in names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports(installed: Path, package: str) -> None:
    """Each of the four packages can be imported from the installed wheel."""
    code = f"import langbot_agents.{package} as package; print(package.__file__)"
    printed = call(installed / "bin/python", "-I", "-c", code, cwd=installed)

    assert Path(printed.strip()).is_relative_to(installed)


@pytest.mark.parametrize("command", ["lba", "langbot-agents"])
def test_commands(installed: Path, command: str) -> None:
    """Both commands work outside a checkout and know their version."""
    assert "Usage:" in call(installed / "bin" / command, "--help", cwd=installed)
    assert version("langbot-agents") in call(installed / "bin" / command, "--version", cwd=installed)
