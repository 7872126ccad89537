"""Warnings about what is right by the rules and still a mistake: they keep nothing out."""

from pathlib import Path

import pytest

from langbot_agents.builtin_runners import Discard, Echo
from langbot_agents.framework.bindings import CheckedBindings, check_bindings
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.sdk import AgentRunner, AgentRunnerManifest, AgentRunnerPermissions

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\n"


class Caller(AgentRunner):
    """A runner that asks for models and tools, and takes any setting."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/caller/default",
        permissions=AgentRunnerPermissions(models=["invoke"], tools=["call"]),
    )


def check(folder: Path, text: str) -> CheckedBindings:
    """What is found in one file."""
    registry = AgentRunnerRegistry()
    for runner, alias in ((Echo, "echo"), (Discard, "discard"), (Caller, "caller")):
        registry.add(runner, aliases=(alias,), plugin=PACKAGE)
    (folder / "a.yaml").write_text(text)
    return check_bindings(load_bindings(folder, ["*.yaml"]), registry, timezone="UTC")


def document(more: str, runner: str = "echo") -> str:
    """A binding with something more in it."""
    types = "" if "event_types" in more else "event_types: [message.received]\n"
    return f"{HEAD}runner_id: {runner}\n{types}{more}"


@pytest.mark.parametrize(
    ("code", "text", "place"),
    [
        ("LBA115", document("event_types: [message.received, message.received]\n"), (5, 33)),
        ("LBA115", document("event_types: [message.deleted, message.recalled]\n"), (5, 32)),
        ("LBA115", document("scope: {bot_id: [x, y, x]}\n"), (6, 24)),
        ("LBA150", document("active: {until: 2020-01-01T00:00:00Z}\n"), (6, 17)),
        (
            "LBA150",
            document("active:\n  from: 2999-01-01T00:00:00Z\n  until: 2998-01-01T00:00:00Z\n"),
            (8, 10),
        ),
        ("LBA151", document("mode: observe\npriority: 5\n"), (7, 1)),
        ("LBA152", document("active: {hours: ['09:00-09:00']}\n"), (6, 18)),
        ("LBA308", document("resource_policy: {models: [main]}\n"), (6, 19)),
        ("LBA309", document("resource_policy: {tools: ['*']}\n", "caller"), (6, 27)),
        ("LBA114", document("runner_config: {flag: yes}\n", "caller"), (6, 23)),
        ("LBA114", document("runner_config: {code: 0123}\n", "caller"), (6, 23)),
        ("LBA114", document("runner_config: {at: 12:30}\n", "caller"), (6, 21)),
        ("LBA163", document("runner_config: {api_key: sk-aaaabbbbccccddddeeeeffff}\n", "caller"), (6, 26)),
    ],
)
def test_a_mistake_has_its_place(code: str, text: str, place: tuple[int, int], tmp_path: Path) -> None:
    """Each mistake is one warning at its place, with a remedy; the binding is live all the same."""
    checked = check(tmp_path, text)

    assert [
        (item.code, item.severity, (item.line, item.column), item.remedy is not None)
        for item in checked.findings
    ] == [(code, "warning", place, True)]
    assert len(checked.set) == 1


def test_a_secret_is_not_shown(tmp_path: Path) -> None:
    """The warning about a secret in plain text does not hold it."""
    text = document("runner_config: {api_key: sk-aaaabbbbccccddddeeeeffff}\n", "caller")
    (finding,) = check(tmp_path, text).findings

    assert "sk-aaaa" not in finding.render()
    assert "${env:" in (finding.remedy or "")


@pytest.mark.parametrize(
    "more",
    [
        "scope: {bot_id: [x, y]}\nfilters: [bot_id != 'z']\n",
        "active: {until: 2999-01-01T00:00:00Z, hours: ['09:00-18:00', '00:00-24:00']}\n",
        "mode: observe\nlabels: {team: a}\n",
        "runner_config: {flag: true, text: 'yes', code: '0123', n: 5, url: http://x/12:30}\n",
        "runner_config: {api_key: '${env:KEY}', token: ''}\n",
        "resource_policy: {models: [main], tools: ['search-*']}\n",
    ],
)
def test_what_is_meant_so_raises_nothing(more: str, tmp_path: Path) -> None:
    """What can be meant as it is written is not warned of."""
    assert [item.render() for item in check(tmp_path, document(more, "caller")).findings] == []


def test_a_binding_that_can_never_win(tmp_path: Path) -> None:
    """A binding whose every event another one takes first is told of, with the one that is before it."""
    first = document("priority: 10\n")
    second = document("scope: {bot_id: x}\nfilters: [bot_id != 'y']\n").replace(
        "binding_id: a", "binding_id: b"
    )
    (finding,) = check(tmp_path, f"{first}---\n{second}").findings

    assert (finding.code, finding.severity) == ("LBA314", "warning")
    assert "'a'" in finding.message
    assert check(tmp_path, f"{first}filters: [bot_id != 'q']\n---\n{second}").findings == ()
