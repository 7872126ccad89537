"""What ships registers by the same hook as anybody's package."""

from importlib import metadata

import pytest
from jsonschema import Draft202012Validator

from langbot_agents import builtin_runners
from langbot_agents.framework.plugins import PluginHost
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.host import PluginSettings
from langbot_agents.schemas.runners import AgentRunnerDescriptor
from langbot_agents.sdk import AgentRunner


def installed() -> list[AgentRunnerDescriptor]:
    """The runners that ship, found as the host finds them."""
    plugins = PluginHost(PluginSettings())
    plugins.discover()
    registry = AgentRunnerRegistry()
    registry.discover(plugins)
    return [item for item in registry.descriptors() if item.source == "builtin"]


def test_entry_point() -> None:
    """The runners that ship are found through the same entry-point group as third-party ones."""
    assert "langbot_agents.builtin_runners.plugin" in {
        entry.value for entry in metadata.entry_points(group="langbot_agents")
    }


def test_every_runner_that_ships_is_ready() -> None:
    """Each runner that ships is registered and usable under its id and both short names."""
    classes = {
        item.manifest.id
        for item in vars(builtin_runners).values()
        if isinstance(item, type) and issubclass(item, AgentRunner)
    }

    assert {item.id for item in installed()} == classes
    assert {item.state for item in installed()} == {"ready"}


@pytest.mark.parametrize("descriptor", installed(), ids=lambda item: item.id)
def test_manifest(descriptor: AgentRunnerDescriptor) -> None:
    """A manifest names itself in both languages, and its schema is one."""
    name = descriptor.id.split("/")[1]

    Draft202012Validator.check_schema(thaw(descriptor.config_schema))
    assert descriptor.id == f"plugin:langbot-agents/{name}/default"
    assert {name, f"builtin:{name}"} <= set(descriptor.aliases)
    for text in (descriptor.label, descriptor.description):
        assert isinstance(text, dict)
        assert text.keys() >= {"en_US", "zh_Hans"}


def test_langbot_names() -> None:
    """A binding may name `local-agent` as LangBot does, by either of its ids."""
    local = next(item for item in installed() if item.id == "plugin:langbot-agents/local-agent/default")

    assert set(local.aliases) == {
        "local-agent",
        "builtin:local-agent",
        "plugin:langbot/local-agent/default",
        "plugin:langbot-team/LocalAgent/default",
    }
