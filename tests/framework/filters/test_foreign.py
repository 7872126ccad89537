"""Functions of packages: offered by the hook, checked like ours, and never more than an error of a filter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from langbot_agents.framework.filters import STANDARD, Frame, compile_filter, evaluate_all
from langbot_agents.framework.filters.foreign import function_of
from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.router import EventRouter, RoutedEvent
from langbot_agents.schemas.catalogue import sample
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.sdk import hookimpl

BINDING = (
    "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\nrunner_id: echo\n"
    "event_types: [message.received]\nfilters:\n  - {expr}\n"
)


class Package:
    """A package that offers functions."""

    def __init__(self, *functions: Callable[..., Any]) -> None:
        self._functions = functions

    @hookimpl
    def register_filter_functions(self, register: Any) -> None:
        """Offer them."""
        for function in self._functions:
            register(function)


def project(folder: Path, expr: str, *packages: Package) -> Project:
    """A project with one binding, and these packages."""
    (folder / "bindings").mkdir(exist_ok=True)
    (folder / "langbot-agents.yaml").write_text("apiVersion: langbot-agents/v1\nkind: Host\n")
    (folder / "bindings/a.yaml").write_text(BINDING.format(expr=expr))
    return load_project(folder, plugins={f"p{number}": package for number, package in enumerate(packages)})


def is_vip(actor_id: str | None, least: int = 1) -> bool:
    """Whether somebody is one of our best."""
    if actor_id == "boom":
        raise LookupError("no such customer")
    return actor_id is not None and len(actor_id) >= least


def test_a_function_of_a_package(tmp_path: Path) -> None:
    """It is called like ours, and decisions say with which set they were made."""
    made = project(tmp_path, "is_vip(actor.actor_id)", Package(is_vip))
    event = AgentEventEnvelope.model_validate({**sample("message.received"), "workspace_id": "default"})
    decision = EventRouter().decide(RoutedEvent(event), made.bindings, 0.0)

    assert made.errors == ()
    assert decision.winner == "a"
    assert decision.function_set.startswith("langbot-agents-1+")
    assert made.registry.filter_functions.functions["is_vip"].usage() == "is_vip(actor_id, least?)"


def test_its_arguments_are_checked(tmp_path: Path) -> None:
    """A wrong argument is found when the binding is loaded, with its place."""
    made = project(tmp_path, "is_vip(now)", Package(is_vip))

    assert [finding.code for finding in made.errors] == ["LBA207"]
    assert "is_vip()" in made.errors[0].message


def test_what_it_raises_is_an_error_of_the_filter(tmp_path: Path) -> None:
    """An exception of foreign code is no match, with its reason."""
    made = project(tmp_path, "is_vip(actor.actor_id)", Package(is_vip))
    document = {"actor": {"actor_id": "boom"}}
    result = evaluate_all(made.bindings.entries[0].filters, document, Frame(document))

    assert result is not None
    assert (result.truth, result.reason) == ("error", "is_vip(): LookupError: no such customer")


class Unsayable(BaseException):
    """Not even an `Exception`, and it cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def escapes() -> bool:
    """Raises what nobody catches."""
    raise Unsayable


def gives_another_type() -> bool:
    """Gives something else than it says."""
    return {1, 2}  # type: ignore[return-value]


def gives_no_json() -> list[Any]:
    """Gives what is no JSON."""
    return [object()]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (escapes, "escapes(): Unsayable: Unsayable"),
        (gives_another_type, "gives_another_type() gave a value of type set, and says that it gives boolean"),
        (gives_no_json, "gives_no_json(): TypeError: Object of type object is not JSON serializable"),
    ],
)
def test_nothing_else_leaves_it(function: Callable[..., Any], reason: str) -> None:
    """Whatever a package does, its filter is an error that says what happened."""
    functions = STANDARD.with_more("p-1", [function_of(function)])
    result = evaluate_all([compile_filter(f"{function.__name__}()", functions)], {}, Frame({}))

    assert result is not None
    assert (result.truth, result.reason) == ("error", reason)


def test_it_cannot_change_the_event() -> None:
    """A function gets a copy of a list or an object, so the next filter sees what came in."""

    def emptied(values: list[Any]) -> bool:
        values.clear()
        return True

    document = {"l": [1, [2]]}
    functions = STANDARD.with_more("p-1", [function_of(emptied)])
    result = evaluate_all([compile_filter("emptied(l)", functions)], document, Frame(document))

    assert result is not None
    assert result.truth == "true"
    assert document == {"l": [1, [2]]}


def test_a_name_that_is_taken_keeps_the_package_out(tmp_path: Path) -> None:
    """Neither ours nor another package's function is replaced; the host and the first one are well."""

    def lower(text: str) -> str:
        return text

    made = project(tmp_path, "is_vip(actor.actor_id)", Package(is_vip), Package(lower), Package(is_vip))
    states = {info.name: (info.state, info.reason or "") for info in made.plugins.infos}

    assert made.errors == ()
    assert states["p0"] == ("ready", "")
    assert states["p1"][0] == states["p2"][0] == "quarantined"
    assert "'lower'" in states["p1"][1]
    assert "'is_vip'" in states["p2"][1]


def test_functions_that_cannot_be_used() -> None:
    """A function that does not say what it takes, or cannot be called by position, is refused by name."""

    def silent(value):  # type: ignore[no-untyped-def]
        return value

    def named(*, value: str) -> str:
        return value

    async def later(value: str) -> bool:
        return bool(value)

    for function in (silent, named, later):
        with pytest.raises(ValueError, match=function.__name__):
            function_of(function)
    with pytest.raises(ValueError, match="not a name"):
        function_of(is_vip, name="is-vip")


def test_a_package_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Without the package its function is unknown, at its place."""
    made = project(tmp_path, "is_vip(actor.actor_id)")

    assert [finding.severity for finding in made.errors] == ["error"]
    assert "is_vip" in made.errors[0].message
