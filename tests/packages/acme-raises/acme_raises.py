"""A package whose hooks raise."""

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


class Raises(AgentRunner):
    """A runner that is out when its package is."""

    manifest = AgentRunnerManifest(id="plugin:acme/raises/default")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("raises")
        yield completed()


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer the runner."""
    register(Raises)


@hookimpl
def host_started(host: Any) -> None:
    """Fail when the host has started."""
    raise SystemExit(f"not with {host}")
