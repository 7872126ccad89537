"""Three runners in one package: two good ones, and one that ends the process when it is made."""

import sys
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


class First(AgentRunner):
    """The first."""

    manifest = AgentRunnerManifest(id="plugin:acme/three/first")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say it."""
        yield message("first")
        yield completed()


class Second(First):
    """The second."""

    manifest = AgentRunnerManifest(id="plugin:acme/three/second")


class Third(First):
    """The third."""

    manifest = AgentRunnerManifest(id="plugin:acme/three/third")

    def __init__(self) -> None:
        sys.exit("the third is not made")


@hookimpl
async def register_runners(register: RegisterRunner) -> None:
    """Offer all three, from a coroutine."""
    for runner in (Third, First, Second):
        register(runner, aliases=(runner.__name__.lower(),))
