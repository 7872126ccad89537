"""The shape of the tree: four packages under one namespace, what each exports, and what each needs."""

import ast
import subprocess
import sys
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages

import pytest
from pydantic import BaseModel

ROOT = Path(__file__).parent.parent
PACKAGES = ("schemas", "sdk", "framework", "builtin_runners")

NEEDS_OF_SCHEMAS = {"pydantic", "pydantic_core", "annotated_types", "typing_extensions"}
NEEDS = {
    "schemas": NEEDS_OF_SCHEMAS | {"langbot_agents.schemas"},
    "sdk": NEEDS_OF_SCHEMAS | {"anyio", "pluggy", "langbot_agents.schemas", "langbot_agents.sdk"},
}
PYTEST_PLUGIN = "pytest_plugin"
"""The one module of the SDK that only pytest imports."""
FAKE_SERVER = "fake_openai"
"""The one folder of the SDK that has an extra; it imports these when a server starts."""
OF_THE_EXTRA = {"starlette", "uvicorn"}


def folder(package: str) -> Path:
    """Where the sources of a package lie."""
    return ROOT / package / "langbot_agents" / package


def rank(name: str) -> tuple[int, str]:
    """The order in which ruff sorts `__all__`: constants, classes, the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def imported_modules(tree: ast.AST) -> set[str]:
    """Every module that the code names in an import from outside its own package."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_namespace(package: str) -> None:
    """No part owns the name `langbot_agents`: an `__init__.py` there would hide the other parts."""
    contents = sorted({path.name for path in folder(package).parent.iterdir()} - {"__pycache__"})

    assert contents == [package]


@pytest.mark.parametrize("package", PACKAGES)
def test_typed(package: str) -> None:
    """Each package tells type checkers that it has types."""
    assert (folder(package) / "py.typed").is_file()


@pytest.mark.parametrize("package", PACKAGES)
def test_exports(package: str) -> None:
    """A package's `__init__` holds a docstring, imports, and a sorted `__all__` that lists each import."""
    docstring, *body = ast.parse((folder(package) / "__init__.py").read_text("utf-8")).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    rest = [node for node in body if not isinstance(node, ast.ImportFrom)]
    imported = [alias.asname or alias.name for node in imports for alias in node.names]
    exported = getattr(import_module(f"langbot_agents.{package}"), "__all__", [])

    assert isinstance(docstring, ast.Expr)
    assert [ast.unparse(node).partition(" =")[0] for node in rest] in ([], ["__all__"])
    assert sorted(imported, key=rank) == exported


def test_every_model_is_exported() -> None:
    """Every model of a public name in `schemas` can be imported from `langbot_agents.schemas` itself."""
    schemas = import_module("langbot_agents.schemas")
    models: set[str] = set()
    for info in walk_packages(schemas.__path__, "langbot_agents.schemas."):
        for value in vars(import_module(info.name)).values():
            if isclass(value) and issubclass(value, BaseModel) and value.__module__ == info.name:
                models.add(value.__name__)

    assert {name for name in models if not name.startswith("_")} <= set(schemas.__all__)


@pytest.mark.parametrize("package", NEEDS)
def test_imports_are_allowed(package: str) -> None:
    """Besides the standard library, `schemas` imports pydantic; `sdk` schemas, pydantic, anyio, pluggy."""
    foreign = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in folder(package).rglob("*.py")
        for module in imported_modules(ast.parse(path.read_text("utf-8")))
        if module.split(".")[0] not in sys.stdlib_module_names
        and not any(module == allowed or module.startswith(f"{allowed}.") for allowed in NEEDS[package])
        and not (path.stem == PYTEST_PLUGIN and module == "pytest")
        and not (path.parent.name == FAKE_SERVER and module.split(".")[0] in OF_THE_EXTRA)
    }

    assert foreign == set()


SEPARABLE = """
import importlib, importlib.metadata, pkgutil, sys

allowed = {
    "langbot_agents", "pydantic", "pydantic_core", "annotated_types", "typing_extensions",
    "typing_inspection", "pluggy", "anyio", "idna", "sniffio",
}
others = set(importlib.metadata.packages_distributions()) - allowed

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ModuleNotFoundError(f"{name} is not a dependency of the SDK", name=name)

sys.meta_path.insert(0, Refuse())
names = ["langbot_agents.schemas", "langbot_agents.sdk"]
for name in names:
    package = importlib.import_module(name)
    for info in pkgutil.walk_packages(package.__path__, name + "."):
        if not info.name.endswith(".pytest_plugin"):
            importlib.import_module(info.name)
print(*sorted(name for name in sys.modules if name.startswith("langbot_agents.")))
"""


def test_sdk_is_separable() -> None:
    """`schemas` and `sdk` work where pydantic, pluggy and anyio are all that is installed."""
    done = subprocess.run([sys.executable, "-c", SEPARABLE], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert "langbot_agents.sdk" in done.stdout.split()
    assert "langbot_agents.framework" not in done.stdout.split()
