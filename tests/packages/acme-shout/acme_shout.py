from collections.abc import AsyncGenerator

from langbot_agents.sdk import (
    AgentRunContext,
    AgentRunner,
    AgentRunnerManifest,
    AgentRunResult,
    completed,
    delta,
    hookimpl,
)


class Shout(AgentRunner):
    manifest = AgentRunnerManifest(id="plugin:acme/shout/default", label="Shout")

    async def run(self, ctx: AgentRunContext) -> AsyncGenerator[AgentRunResult, None]:
        yield delta(ctx.input.to_text().upper())
        yield completed()


@hookimpl
def register_runners(register):
    register(Shout, aliases=("shout",))
