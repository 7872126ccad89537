"""The models that a binding names, against those that the root document declares."""

from pathlib import Path

import pytest

from langbot_agents.builtin_runners import Echo, LocalAgent
from langbot_agents.framework.bindings import CheckedBindings, check_bindings
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\nevent_types: [message.received]\n"


def checked(folder: Path, text: str, models: tuple[str, ...] | None = ("main", "spare")) -> CheckedBindings:
    """Check one binding, where these models are declared."""
    registry = AgentRunnerRegistry()
    registry.add(LocalAgent, aliases=("local-agent",), plugin=PACKAGE)
    registry.add(Echo, aliases=("echo",), plugin=PACKAGE)
    (folder / "a.yaml").write_text(HEAD + text)
    return check_bindings(load_bindings(folder, ["*.yaml"]), registry, timezone="UTC", models=models)


@pytest.mark.parametrize(
    ("text", "place", "message", "remedy"),
    [
        (
            "runner_id: local-agent\nrunner_config: {model: mian}\n",
            "runner_config.model",
            "no model 'mian' is declared",
            "did you mean 'main'?",
        ),
        (
            "runner_id: local-agent\nrunner_config: {model: {primary: main, fallbacks: [spare, another]}}\n",
            "runner_config.model.fallbacks[1]",
            "no model 'another' is declared",
            "declare it under `models` in langbot-agents.yaml; declared: main, spare",
        ),
        (
            "runner_id: local-agent\nrunner_config: {model: main}\nresource_policy: {models: ['ma*', spar]}",
            "resource_policy.models[1]",
            "no model 'spar' is declared",
            "did you mean 'spare'?",
        ),
    ],
)
def test_undeclared(tmp_path: Path, text: str, place: str, message: str, remedy: str) -> None:
    """A name that nobody declared is found at its place, with the nearest one that is."""
    (finding,) = checked(tmp_path, text).findings

    assert (finding.code, finding.path, finding.message, finding.remedy) == ("LBA304", place, message, remedy)
    assert finding.severity == ("warning" if place.startswith("resource_policy") else "error")


@pytest.mark.parametrize(
    "text",
    [
        "runner_id: local-agent\nrunner_config: {model: main}\n",
        "runner_id: local-agent\nrunner_config: {model: {primary: main, fallbacks: [spare]}}\n",
        "runner_id: local-agent\nrunner_config: {model: __none__}\n",
        "runner_id: local-agent\nrunner_config: {model: '${env:MODEL}'}\n",
        "runner_id: local-agent\nenabled: false\nrunner_config: {model: later}\n",
    ],
)
def test_declared(tmp_path: Path, text: str) -> None:
    """A declared name, none at all, one that is known later, and a binding that is switched off are fine."""
    assert checked(tmp_path, text).findings == ()


def test_where_nobody_knows(tmp_path: Path) -> None:
    """Without a root document no name is called unknown."""
    text = "runner_id: local-agent\nrunner_config: {model: mian}\n"

    assert checked(tmp_path, text, models=None).findings == ()
