"""Effective grant = manifest AND `resource_policy` AND selection."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from langbot_agents.framework.authorization import Grant, make_grant
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor
from langbot_agents.sdk import KnowledgeBaseSelector, ModelSelector, schema_from_form

AVAILABLE = {"models": ("gpt", "gpt-mini", "claude"), "tools": ("search", "send[1]", "send1")}
EVERYTHING = {
    "models": ["invoke", "stream"],
    "tools": ["call"],
    "history": ["page"],
    "events": ["get"],
    "state": ["get", "set"],
    "artifacts": ["read"],
    "prompt": ["get"],
    "steering": ["pull"],
}
SELECT: dict[str, Any] = {"type": "object", "properties": {"model": {"x-selector": "llm-model-selector"}}}


def grant(
    *,
    schema: dict[str, Any] | None = None,
    permissions: dict[str, Any] | None = None,
    config: dict[str, Any] | None = None,
    **policy: Any,
) -> Grant:
    """The grant of a binding."""
    binding = AgentBinding.model_validate(
        {
            "binding_id": "a",
            "event_types": ["*"],
            "runner_id": "r",
            "runner_config": config or {},
            "resource_policy": policy,
        }
    )
    runner = AgentRunnerDescriptor.model_validate(
        {
            "id": "r",
            "source": "plugin",
            "config_schema": schema or {},
            "permissions": EVERYTHING if permissions is None else permissions,
        }
    )
    return make_grant(binding, runner, AVAILABLE)


def test_named_in_a_selector() -> None:
    """A model is granted when a person named it in the selector of the runner's config."""
    found = grant(schema=SELECT, config={"model": "gpt"})

    assert found.named["models"] == {"gpt"}
    assert found.allows("models", "invoke")


def test_nothing_named() -> None:
    """A runner with a selector that nobody filled gets nothing, whatever the policy allows."""
    found = grant(schema=SELECT, models=["*"])

    assert found.named["models"] == frozenset()
    assert not found.allows("models", "invoke")


def test_policy_narrows() -> None:
    """A policy field that is present narrows what was selected; an absent one does not."""
    assert grant(schema=SELECT, config={"model": "gpt"}, models=["claude"]).named["models"] == frozenset()
    assert grant(schema=SELECT, config={"model": "gpt"}, models=["gpt*"]).named["models"] == {"gpt"}
    assert grant(schema=SELECT, config={"model": "gpt"}, models=[]).named["models"] == frozenset()


def test_without_a_selector() -> None:
    """Where the runner has no selector, what is granted is what the policy names."""
    assert grant(models=["gpt*"]).named["models"] == {"gpt", "gpt-mini"}
    assert grant(models=["*"]).named["models"] == set(AVAILABLE["models"])
    assert grant().named["models"] == frozenset()


def test_manifest_must_ask() -> None:
    """What the manifest does not ask for is not granted, whoever names it."""
    found = grant(schema=SELECT, config={"model": "gpt"}, permissions={}, models=["*"], history="workspace")

    assert found.named["models"] == frozenset()
    assert not any(found.verbs.values())


def test_only_what_exists() -> None:
    """A name that nobody declared is granted to nobody."""
    assert grant(schema=SELECT, config={"model": "gpt-9"}).named["models"] == frozenset()


@pytest.mark.parametrize(
    ("pattern", "granted"),
    [("send[1]", {"send[1]"}), ("send?", set()), ("SEARCH", set()), ("s*h", {"search"})],
)
def test_only_the_star_is_special(pattern: str, granted: set[str]) -> None:
    """In a name of a policy only `*` is special."""
    assert grant(tools=[pattern]).named["tools"] == granted


@pytest.mark.parametrize("kind", ["history", "events", "artifacts", "prompt", "steering"])
def test_own_resources(kind: str) -> None:
    """What is the run's own is granted when the manifest asks, unless the policy says `false`."""
    verb = EVERYTHING[kind][0]

    assert grant().allows(kind, verb)
    denied: dict[str, Any] = {kind: False}

    assert not grant(**denied).allows(kind, verb)
    assert not grant(permissions={}).allows(kind, verb)


def test_history_reach() -> None:
    """History is that of the conversation, unless the policy says how far."""
    assert grant().history == "conversation"
    assert grant(history="workspace").history == "workspace"


class Inner(BaseModel):
    """A part of a config."""

    model: ModelSelector | None = None


class Outer(BaseModel):
    """A config whose selectors are deep inside."""

    first: Inner = Inner()
    more: tuple[Inner, ...] = ()
    by_name: dict[str, Inner] = {}
    again: "Outer | None" = None
    bases: KnowledgeBaseSelector = ()


@pytest.mark.parametrize(
    ("config", "granted"),
    [
        ({}, set()),
        ({"first": {"model": "gpt"}}, {"gpt"}),
        ({"first": {"model": None}}, set()),
        ({"more": [{"model": "gpt"}, {"model": "claude"}]}, {"gpt", "claude"}),
        ({"by_name": {"x": {"model": "gpt"}}}, {"gpt"}),
        ({"again": {"again": {"first": {"model": "gpt-mini"}}}}, {"gpt-mini"}),
    ],
)
def test_selectors_anywhere(config: dict[str, Any], granted: set[str]) -> None:
    """A selector counts wherever it stands in the schema: optional, nested, in a list, in a recursion."""
    found = grant(schema=Outer.model_json_schema(), config=config, models=["*"])

    assert found.named["models"] == granted


def test_a_schema_that_goes_round() -> None:
    """A schema that refers to itself for ever ends."""
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}}}

    assert grant(schema=schema, config={"x": "gpt"}, models=["gpt"]).named["models"] == {"gpt"}


def test_fallbacks_of_a_form() -> None:
    """A `model-fallback-selector` names a primary and fallbacks: all are granted."""
    schema = schema_from_form([{"name": "m", "type": "model-fallback-selector"}])
    config = {"m": {"primary": "gpt", "fallbacks": ["claude", "__none__", ""]}}

    assert grant(schema=schema, config=config).named["models"] == {"gpt", "claude"}


NAMES = st.sampled_from(["gpt", "claude", "gpt*", "*", "x"])


@given(
    st.booleans(),
    st.none() | st.lists(NAMES, max_size=2),
    st.sampled_from([None, "gpt", "claude", "x"]),
    st.booleans(),
)
def test_only_less(selector: bool, policy: list[str] | None, chosen: str | None, asks: bool) -> None:
    """Each of the three only takes away: what is granted was asked for, allowed, named, and exists."""
    found = grant(
        schema=SELECT if selector else None,
        config={"model": chosen} if chosen else None,
        permissions=EVERYTHING if asks else {},
        **({} if policy is None else {"models": policy}),
    ).named["models"]

    assert found <= set(AVAILABLE["models"])
    assert not found or asks
    assert not found or (found == {chosen} if selector else policy is not None)
    assert policy is None or found <= grant(models=policy).named["models"]
