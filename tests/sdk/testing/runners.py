"""Small runners to test the doubles with."""

from collections.abc import AsyncGenerator
from typing import Any

import anyio
from pydantic import BaseModel, Field

from langbot_agents.sdk import (
    AgentContextRequest,
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunResult,
    completed,
    delta,
    message,
    state_updated,
)


class CountConfig(BaseModel):
    """Settings of `Count`."""

    model: str = "small"
    prompt: str = Field(default="Be brief.", json_schema_extra={"x-selector": "prompt-editor"})
    top_k: int = Field(default=3, alias="top-k")


class Count(AgentRunner):
    """Asks a model, and counts how often it did."""

    manifest = AgentRunnerManifest(
        id="plugin:tests/count/default", context_request=AgentContextRequest(rounds=2)
    )
    Config = CountConfig

    async def run(self, ctx: AgentRunContext[CountConfig]) -> AsyncGenerator[AgentRunResult, None]:
        """Stream the answer, keep the count."""
        asked = [*ctx.prompt, *ctx.messages, ctx.input.as_message()]
        text = ""
        async for chunk in ctx.api.models.stream(ctx.config.model, asked, temperature=0):
            if piece := chunk.to_text():
                text += piece
                yield delta(piece)
        yield message(text)
        yield state_updated("conversation", "count", ctx.state.get("conversation", "count", 0) + 1)
        yield completed()


class External(AgentRunner):
    """Keeps its own history."""

    manifest = AgentRunnerManifest(
        id="plugin:tests/external/default", capabilities=AgentRunnerCapabilities(self_managed_context=True)
    )

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Say how much history came."""
        yield completed(str(len(ctx.messages)))


class Emitting(AgentRunner):
    """Gives results from a task group."""

    manifest = AgentRunnerManifest(id="plugin:tests/emitting/default")

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Emit twice, then yield."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ctx.emit, delta("a"))
            tasks.start_soon(ctx.emit, delta("b"))
        yield delta("c")
        await ctx.emit(completed())
