"""A package for a host of another age."""

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


class Future(AgentRunner):
    """Speaks another protocol."""

    __protocol_version__ = "7"
    manifest = AgentRunnerManifest(id="plugin:acme/protocol/default")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("future")
        yield completed()


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runner."""
    register(Future)
