"""The page of hooks is the list that plugin authors read."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

from langbot_agents.sdk import hooks

LISTED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("register_runners", ("register",)),
    ("register_model_providers", ("register",)),
    ("register_tools", ("register",)),
    ("register_knowledge_bases", ("register",)),
    ("register_platforms", ("register",)),
    ("register_event_types", ("register",)),
    ("register_filter_functions", ("register",)),
    ("host_started", ("host",)),
    ("event_received", ("event",)),
    ("input_prepared", ("run", "prompt", "messages", "input")),
    ("output_prepared", ("run", "message")),
    ("run_started", ("run",)),
    ("result_received", ("run", "result")),
    ("run_finished", ("run", "outcome")),
    ("host_stopping", ("host",)),
)
"""Every hook and its arguments, in lifecycle order."""


def specified() -> dict[str, Callable[..., Any]]:
    """The hooks of the page, in its order."""
    return {name: item for name, item in vars(hooks).items() if hasattr(item, "langbot_agents_spec")}


def test_names_arguments_and_order() -> None:
    """The hooks are those listed, with these arguments, in lifecycle order."""
    found = tuple((name, tuple(inspect.signature(item).parameters)) for name, item in specified().items())

    assert found == LISTED


@pytest.mark.parametrize("name", [name for name, _ in LISTED])
def test_typed_and_told(name: str) -> None:
    """Each hook is typed, and its docstring says when it is called and by whom."""
    hook = specified()[name]

    assert get_type_hints(hook).keys() == {*inspect.signature(hook).parameters, "return"}
    assert (inspect.getdoc(hook) or "").startswith(("Called by the ", "Called once "))
