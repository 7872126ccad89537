"""A package with a manifest that means nothing."""

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


class Odd(AgentRunner):
    """Its id is no id."""

    manifest = AgentRunnerManifest.model_construct(id="acme odd", config_schema={"type": "object"})

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("odd")
        yield completed()


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runner."""
    register(Odd)
