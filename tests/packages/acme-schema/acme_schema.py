"""A package whose config schema is none."""

from collections.abc import AsyncGenerator
from typing import Any

from langbot_agents.sdk import (
    AgentRunContext,
    AgentRunner,
    AgentRunnerManifest,
    AgentRunResult,
    completed,
    hookimpl,
    message,
)
from langbot_agents.sdk.hooks import RegisterRunner


class Shapeless(AgentRunner):
    """Its schema has a type that is none."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/schema/default",
        config_schema={"type": "object", "properties": {"a": {"type": "strnig"}}},
    )

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("shapeless")
        yield completed()


class Elsewhere(Shapeless):
    """Its schema lies on another host."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/schema/elsewhere", config_schema={"$ref": "https://example.org/schema.json"}
    )


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runners."""
    register(Shapeless)
    register(Elsewhere)
