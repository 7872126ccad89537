"""`discard`: takes an event and says nothing, on purpose."""

from collections.abc import AsyncGenerator
from typing import Any

from langbot_agents.sdk import (
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunResult,
    no_reply,
)


class Discard(AgentRunner):
    """A named way to answer with nothing; the dispatcher records `discarded` and starts no run."""

    manifest = AgentRunnerManifest(
        id="plugin:langbot-agents/discard/default",
        label={"en_US": "Discard", "zh_Hans": "丢弃"},
        description={
            "en_US": "Takes the event and says nothing; recorded as discarded.",
            "zh_Hans": "接收事件但不作回应，并记录为已丢弃。",
        },
        capabilities=AgentRunnerCapabilities(event_context=True),
    )

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """End at once."""
        yield no_reply()
