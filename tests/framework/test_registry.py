"""The runners that are installed: ids, aliases, and which of them can be used."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic import BaseModel

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework.errors import RunnerNotFoundError, RunnerUnavailableError
from langbot_agents.framework.plugins import PluginHost, PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.schemas.host import PluginSettings
from langbot_agents.sdk import (
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunResult,
    completed,
    hookimpl,
)
from langbot_agents.sdk.hooks import RegisterRunner

OURS = PluginInfo(name="ours", distribution="langbot-agents", version="1", state="ready")
THEIRS = PluginInfo(name="theirs", distribution="acme", version="2", state="ready")


def runner(name: str, **values: Any) -> type[AgentRunner]:
    """A runner class with this id."""
    manifest = AgentRunnerManifest(id=name, **values)
    return type("Made", (AgentRunner,), {"manifest": manifest})


def registry(*offers: tuple[Any, tuple[str, ...], PluginInfo]) -> AgentRunnerRegistry:
    """A registry that was offered these."""
    made = AgentRunnerRegistry()
    for offered, aliases, plugin in offers:
        made.add(offered, aliases=aliases, plugin=plugin)
    return made


def test_descriptor() -> None:
    """A descriptor holds the manifest, the aliases, and the package that brought the runner."""
    found = registry((Echo, ("echo",), OURS)).resolve("echo").descriptor

    assert (found.id, found.aliases, found.source, found.state) == (
        "plugin:langbot-agents/echo/default",
        ("echo",),
        "builtin",
        "ready",
    )
    assert found.capabilities == Echo.manifest.capabilities
    assert found.plugin is not None
    assert (found.plugin.author, found.plugin.name, found.plugin.distribution) == (
        "langbot-agents",
        "echo",
        "langbot-agents",
    )
    assert found.config_schema["properties"].keys() == {"prefix", "delay"}


def test_an_alias_gives_way_to_a_real_id() -> None:
    """An alias gives way to an installed runner that really has the id, whichever comes first."""
    real = "plugin:langbot-team/LocalAgent/default"
    first = (runner("plugin:langbot-agents/local-agent/default"), (real, "local-agent"), OURS)
    second = (runner(real), (), THEIRS)
    for made in (registry(first, second), registry(second, first)):
        assert made.resolve(real).descriptor.plugin.distribution == "acme"  # type: ignore[union-attr]
        assert made.resolve("local-agent").descriptor.aliases == ("local-agent",)


def test_the_first_keeps_an_alias() -> None:
    """Of two runners that want one alias the first keeps it; both stay usable by their ids."""
    made = registry(
        (runner("plugin:a/a/a"), ("short",), OURS), (runner("plugin:b/b/b"), ("short", "b"), THEIRS)
    )

    assert made.resolve("short").descriptor.id == "plugin:a/a/a"
    assert made.resolve("plugin:b/b/b").descriptor.aliases == ("b",)


def test_a_repeated_id() -> None:
    """The holder of an id stays; who repeats it is listed as quarantined with the holder's name."""
    made = registry((Echo, ("echo",), OURS), (Echo, ("mine",), THEIRS))

    assert [(item.state, item.reason) for item in made.descriptors()] == [
        ("ready", None),
        ("quarantined", "the id is held by langbot-agents"),
    ]
    assert made.get("mine") is None


def test_not_found() -> None:
    """An unknown runner is named with the nearest installed one."""
    made = registry((Echo, ("echo",), OURS))
    with pytest.raises(RunnerNotFoundError) as near:
        made.resolve("ecoh")
    with pytest.raises(RunnerNotFoundError) as far:
        made.resolve("zzz")

    assert (near.value.message, near.value.remedy) == (
        "no runner 'ecoh' is installed",
        "did you mean 'echo'?",
    )
    assert far.value.remedy == "installed: echo"


def test_quarantined() -> None:
    """A quarantined runner is told apart from an unknown one, by id and by alias, with its reason."""
    made = registry((runner("plugin:a/a/a", config_schema={"type": "nonsense"}), ("a",), OURS))
    for name in ("plugin:a/a/a", "a"):
        with pytest.raises(RunnerUnavailableError, match=f"'{name}' is quarantined: config_schema: "):
            made.resolve(name)


class BadInit(Echo):
    """Cannot be made."""

    manifest = AgentRunnerManifest(id="plugin:a/bad/init")

    def __init__(self) -> None:
        raise SystemExit("no")


class BadSchema(Echo):
    """Has a schema method that fails."""

    manifest = AgentRunnerManifest(id="plugin:a/bad/schema")

    @classmethod
    def get_config_schema(cls) -> dict[str, Any]:
        """Fail."""
        raise KeyError("schema")


class BadKind(Echo):
    """Is something else."""

    __kind__ = "Tool"


class NoManifest(AgentRunner):
    """Declares nothing."""


@pytest.mark.parametrize(
    ("offered", "name", "reason"),
    [
        (BadInit, "plugin:a/bad/init", "SystemExit: no"),
        (BadSchema, "plugin:a/bad/schema", "KeyError: 'schema'"),
        (
            BadKind,
            "plugin:langbot-agents/echo/default",
            "BadKind.__kind__ is 'Tool'; it must be 'AgentRunner'",
        ),
        (NoManifest, "NoManifest", "NoManifest has no `manifest`; set it to an AgentRunnerManifest"),
        (Echo(), "plugin:langbot-agents/echo/default", "is not a subclass of AgentRunner"),
        (BaseModel, "BaseModel", "is not a subclass of AgentRunner"),
        ("echo", "str", "'echo' is not a subclass of AgentRunner"),
    ],
)
def test_what_cannot_be_a_runner(offered: Any, name: str, reason: str) -> None:
    """Whatever a package offers that is no usable runner is listed with one line, and nothing raises."""
    made = registry((offered, (), THEIRS), (Echo, ("echo",), OURS))
    (bad,) = (item for item in made.descriptors() if item.state == "quarantined")

    assert bad.id == name
    assert reason in (bad.reason or "")
    assert "\n" not in (bad.reason or "")
    assert made.get("echo") is not None


@pytest.mark.parametrize("aliases", ["echo", ("not a name",), (3,)])
def test_aliases_are_names(aliases: Any) -> None:
    """Aliases are a tuple of names; one text is not taken for its letters."""
    (found,) = registry((Echo, aliases, THEIRS)).descriptors()

    assert found.state == "quarantined"


class Package:
    """A package that hangs while one of its runners declares itself."""

    @hookimpl
    def register_runners(self, register: RegisterRunner) -> None:
        """Offer a runner that never answers."""

        class Endless(Echo):
            """Never declares itself."""

            @classmethod
            def get_capabilities(cls) -> AgentRunnerCapabilities:
                """Wait for ever."""
                import time

                while True:
                    time.sleep(0.05)

        register(Endless)


def test_a_runner_that_never_declares_itself() -> None:
    """A class that hangs while it is asked for its manifest is under the hook's deadline too."""
    plugins = PluginHost(PluginSettings(hook_deadline=0.2))
    plugins.add("bad", Package())
    made = AgentRunnerRegistry()
    made.discover(plugins)

    assert [(item.id, item.state, item.reason) for item in made.descriptors()] == [
        ("bad", "quarantined", "hook register_runners: took longer than 0.2 s")
    ]


def test_packages_that_are_out_are_named() -> None:
    """Where a runner is not found, the packages that were not taken in are named: it may be one of theirs."""
    plugins = PluginHost(PluginSettings(in_process=("acme-missing",)))
    plugins.discover()
    made = AgentRunnerRegistry()
    made.discover(plugins)
    with pytest.raises(RunnerNotFoundError) as caught:
        made.resolve("plugin:acme/missing/default")

    assert "not taken in: acme-missing (see `lba runners list`)" in (caught.value.remedy or "")


def test_seed_form() -> None:
    """The seed's class attributes and methods work: capabilities and a LangBot form list as config schema."""

    class Seed(AgentRunner):
        """A runner as the seed writes it."""

        __kind__ = "AgentRunner"
        __protocol_version__ = "1"
        manifest = AgentRunnerManifest(id="plugin:acme/seed/default")

        @classmethod
        def get_capabilities(cls) -> AgentRunnerCapabilities:
            """It streams."""
            return AgentRunnerCapabilities(streaming=True)

        @classmethod
        def get_config_schema(cls) -> list[dict[str, Any]]:
            """A form."""
            return [{"name": "model", "type": "select-llm-model", "required": True}]

        async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
            """End."""
            yield completed()

    found = registry((Seed, (), THEIRS)).resolve("plugin:acme/seed/default").descriptor

    assert found.capabilities.streaming
    assert found.config_schema == {
        "type": "object",
        "properties": {"model": {"type": "string", "x-selector": "llm-model-selector"}},
        "required": ("model",),
    }
