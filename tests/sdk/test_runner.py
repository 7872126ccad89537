"""The class that a runner author writes, in either form."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from langbot_agents.sdk import (
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
    FileSelector,
    KnowledgeBaseSelector,
    ModelSelector,
    Secret,
    ToolSelector,
)

MANIFEST = AgentRunnerManifest(
    id="plugin:acme/support/default",
    capabilities=AgentRunnerCapabilities(streaming=True),
    permissions=AgentRunnerPermissions(models=("invoke",)),
    config_schema={"type": "object", "title": "of the manifest"},
)


class Plain(AgentRunner):
    """A runner with nothing but a manifest."""

    manifest = MANIFEST


def made(**values: Any) -> type[AgentRunner]:
    """A runner class with these attributes."""
    return type("Other", (Plain,), values)


class Typed(Plain):
    """A runner with a config."""

    class Config(BaseModel):
        """Its settings."""

        model: ModelSelector
        bases: KnowledgeBaseSelector = ()
        tools: ToolSelector = ()
        file: FileSelector = ""
        key: Secret = ""


class Seed(Plain):
    """A runner as the seed writes it."""

    @classmethod
    def get_capabilities(cls) -> Any:
        """As plain data."""
        return {"tool_calling": True}

    @classmethod
    def get_config_schema(cls) -> list[dict[str, Any]]:
        """As a form."""
        return [{"name": "model", "type": "llm-model-selector"}]


def test_manifest_alone() -> None:
    """Without a `Config` the manifest's own schema counts."""
    assert Plain.declare() == MANIFEST


def test_config_becomes_the_schema() -> None:
    """`Config` becomes the config schema, with selectors by which the host knows what a person named."""
    schema = Typed.declare().config_schema

    assert schema["required"] == ("model",)
    assert {name: field.get("x-selector") for name, field in schema["properties"].items()} == {
        "model": "llm-model-selector",
        "bases": "knowledge-base-multi-selector",
        "tools": "tool-multi-selector",
        "file": "file-selector",
        "key": "secret",
    }


def test_seed_form() -> None:
    """`get_capabilities()` and `get_config_schema()` of the seed win over the manifest; the rest stays."""
    declared = Seed.declare()

    assert declared.capabilities == AgentRunnerCapabilities(tool_calling=True)
    assert declared.config_schema["properties"]["model"]["x-selector"] == "llm-model-selector"
    assert declared.permissions == MANIFEST.permissions


@pytest.mark.parametrize("version", ["2", "0", "", 1])
def test_another_protocol_is_refused_by_name(version: Any) -> None:
    """A runner of another protocol version is refused, and the message names both."""
    other = made(__protocol_version__=version)
    with pytest.raises(
        ValueError, match=f"^protocol version {version!r} is not spoken here; this host speaks '1'"
    ):
        other.declare()


def test_another_protocol_in_the_manifest() -> None:
    """The manifest refuses another protocol version too."""
    with pytest.raises(ValidationError, match="protocol version '2' is not spoken here"):
        AgentRunnerManifest(id="plugin:a/b/c", protocol_version="2")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"manifest": None}, "Other has no `manifest`"),
        ({"__kind__": "Tool"}, "Other.__kind__ is 'Tool'; it must be 'AgentRunner'"),
        ({"get_capabilities": classmethod(lambda cls: {"streeming": True})}, "streeming"),
        ({"get_config_schema": classmethod(lambda cls: {"a": object()})}, "object is not a JSON value"),
    ],
)
def test_unusable(values: dict[str, Any], message: str) -> None:
    """A declaration that cannot be used says why."""
    with pytest.raises(ValueError, match=message):
        made(**values).declare()


def test_run_is_to_be_written() -> None:
    """A runner without `run` says so when it is called."""
    with pytest.raises(NotImplementedError, match=r"Plain\.run is not written"):
        Plain().run(None)  # type: ignore[arg-type]
