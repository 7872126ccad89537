"""A package whose `register_runners` raises after it has offered something."""

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


class Early(AgentRunner):
    """A runner that does not count."""

    manifest = AgentRunnerManifest(id="plugin:acme/raises-early/default")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("early")
        yield completed()


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runner, then fail."""
    register(Early)
    raise RuntimeError("the shop\nis closed")
