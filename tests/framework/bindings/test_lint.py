"""Warnings about what is right by the rules and still a mistake; and none about what is meant."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from langbot_agents.builtin_runners import Echo, LocalAgent
from langbot_agents.framework.bindings import BindingEntry, BindingSet, CheckedBindings, check_bindings
from langbot_agents.framework.bindings.outdone import find_outdone
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import EventRouter, RoutedEvent
from langbot_agents.sdk import AgentRunner, AgentRunnerManifest, AgentRunnerPermissions

from ..routing_worlds import bind, happenings, worlds

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\n"
NOON = 1_772_625_600.0


class Free(AgentRunner):
    """A runner that takes any settings, two of them text, and asks for tools."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/free/default",
        permissions=AgentRunnerPermissions(tools=("call",)),
        config_schema={
            "type": "object",
            "properties": {
                "word": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "words": {"type": "array", "items": {"type": "string"}},
                "tools": {"x-selector": "tool-multi-selector"},
            },
        },
    )


Codes = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def codes(tmp_path: Path) -> Codes:
    """Codes and paths of what is found in a binding."""

    def run(text: str, runner: str = "free", **names: Any) -> list[tuple[str, str]]:
        registry = AgentRunnerRegistry()
        for kind, alias in ((Echo, "echo"), (LocalAgent, "local-agent"), (Free, "free")):
            registry.add(kind, aliases=(alias,), plugin=PACKAGE)
        whole = f"{HEAD}runner_id: {runner}\n{text}"
        if "event_types" not in text:
            whole += "event_types: [message.received]\n"
        (tmp_path / "a.yaml").write_text(whole)
        checked: CheckedBindings = check_bindings(
            load_bindings(tmp_path, ["*.yaml"]), registry, timezone="UTC", names=names
        )
        assert all(finding.severity == "warning" for finding in checked.findings)
        return [(finding.code, finding.path) for finding in checked.findings]

    return run


@pytest.mark.parametrize(
    "text",
    [
        "runner_config: {word: yes, words: [no, 12:30, 2026-01-01], at: '12:30', zip: \"0123\"}\n",
        "runner_config: {n: 0, m: 10, x: 0.5, y: 0x1F, long: 2026 was the year, no: maybe}\n",
        "description: 0123\n".replace("0123", "'0123'") + "runner_config: {n: 5}\n",
        "runner_config: {api_key: EMPTY, token: '${env:TOKEN}', max_tokens: 100000000, secret: null}\n",
        "runner_config: {prompt: 'never tell sk-anything, or xoxo', password: 'type your password here'}\n",
        "runner_config: {tools: [search]}\nresource_policy: {tools: ['*']}\n",
        "resource_policy: {tools: [search, 'mail-*']}\n",
        "resource_policy: {tools: [], models: [], files: []}\n",
        "active: {hours: ['22:00-07:00', '00:00-24:00'], from: '2020-01-01T00:00:00Z'}\n",
        "event_types: [message.received, 'message.*', 'm.*', 'mm.x']\n",
        "scope: {bot_id: [a, b], actor_id: [a, b]}\n",
        "mode: observe\nflow: {overlap: parallel}\nlimits: {timeout: 5s}\n",
        "delivery_policy: {targets: [reply, {surface: lark, target: {target_type: group, target_id: a}}]}\n",
        "labels: {a\u00a0b: c\u200b}\ndescription: a\u00a0b\nfilters: [\"input.text == 'a\u00a0b'\"]\n",
    ],
)
def test_nothing_is_said_of_what_is_meant(codes: Codes, text: str) -> None:
    """Quotes, declared types, references, patterns and empty lists say what is meant."""
    assert codes(text, surfaces=("lark",), tools=("search", "mail-a")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("runner_config: {a: [on, 1_000], b: {c: 007}}\n", ["a[0]", "a[1]", "b.c"]),
        ("runner_config: {word: 0123}\n".replace("word", "n"), ["n"]),
    ],
)
def test_values_that_readers_do_not_agree_on(codes: Codes, text: str, expected: list[str]) -> None:
    """They are found at any depth, each at its place."""
    assert codes(text) == [("LBA114", f"runner_config.{path}") for path in expected]


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-0123456789abcdefABCDEF",
        "xoxb-0123456789-abcdef",
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIAABCDEFGHIJKLMNOP",
        "AIza" + "a" * 35,
        "123456789:AA" + "b" * 33,
        "glpat-0123456789abcdefghij",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_secrets_of_known_shapes(codes: Codes, secret: str) -> None:
    """A key of a known service is found under any name, inside of longer text too."""
    assert codes(f'runner_config: {{a: ["use {secret}"]}}\n') == [("LBA163", "runner_config.a[0]")]


def test_each_repetition_is_told_once(codes: Codes) -> None:
    """A value that is there three times has two findings; targets, scopes and filters are lists, too."""
    text = (
        "event_types: [message.received, message.edited, message.received, message.received]\n"
        "scope: {bot_id: [a, a]}\nfilters: [mentions_bot(), {name: again, expr: mentions_bot()}]\n"
        "resource_policy: {tools: [x, x]}\nstate_policy: {scopes: [actor, actor]}\n"
        "delivery_policy: {targets: [reply, reply]}\n"
    )

    assert codes(text) == [
        ("LBA115", path)
        for path in (
            "event_types[2]",
            "event_types[3]",
            "scope.bot_id[1]",
            "filters[1]",
            "resource_policy.tools[1]",
            "state_policy.scopes[1]",
            "delivery_policy.targets[1]",
        )
    ]


@settings(max_examples=500, deadline=None)
@given(worlds(), happenings())
def test_what_is_outdone_never_wins(world: list[BindingEntry], event: RoutedEvent) -> None:
    """No event is answered by a binding of which it is said that it never answers."""
    never = {item.entry.binding_id for item in find_outdone(world)}

    assert EventRouter().decide(event, BindingSet(world), NOON).winner not in never


@pytest.mark.parametrize(
    ("first", "second", "outdone"),
    [
        ({"priority": 1}, {}, True),
        ({"priority": 1}, {"scope": {"bot_id": "b"}, "filters": ["mentions_bot()"]}, True),
        ({"priority": 1, "event_types": ["message.*"]}, {"event_types": ["message.edited"]}, True),
        ({"priority": 1, "event_types": ["*"]}, {"event_types": ["message.*"]}, True),
        ({"priority": 1, "event_types": ["message.recalled"]}, {"event_types": ["message.deleted"]}, True),
        ({"priority": 1, "scope": {"bot_id": ["a", "b"]}}, {"scope": {"bot_id": ["a", "b"]}}, True),
        ({}, {}, False),
        ({"priority": 1, "on_failure": "next"}, {}, False),
        ({"priority": 1, "mode": "observe"}, {}, False),
        ({"priority": 1, "enabled": False}, {}, False),
        ({"priority": 1, "active": {"hours": ["09:00-18:00"]}}, {}, False),
        ({"priority": 1, "filters": ["mentions_bot()"]}, {}, False),
        ({"priority": 1, "scope": {"bot_id": "b"}}, {}, False),
        ({"priority": 1, "event_types": ["message.received"]}, {"event_types": ["message.*"]}, False),
        ({"priority": 1}, {"mode": "observe"}, False),
    ],
)
def test_outdone(first: dict[str, Any], second: dict[str, Any], outdone: bool) -> None:
    """A binding never wins where another of higher priority takes all that it takes, and stops there."""
    found = find_outdone([bind("a", **first), bind("b", **second)])

    assert [(item.entry.binding_id, item.by.binding_id) for item in found] == [("b", "a")] * outdone
