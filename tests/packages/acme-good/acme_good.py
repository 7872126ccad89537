"""A package without a fault."""

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


class Good(AgentRunner):
    """Says that it is good."""

    manifest = AgentRunnerManifest(id="plugin:acme/good/default", label="Good")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("good")
        yield completed()


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runner."""
    register(Good, aliases=("good",))


@hookimpl
async def host_started(host: Any) -> str:
    """Answer on the loop."""
    return f"started {host}"
