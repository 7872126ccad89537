"""`echo`: says back what came in, word by word."""

import json
import re
from collections.abc import AsyncGenerator

import anyio
from pydantic import BaseModel, ConfigDict, Field

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
)

_WORDS = re.compile(r"\S+\s*|\s+")


class EchoConfig(BaseModel):
    """Settings of `echo`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prefix: str = Field(default="", description="Text before the answer.")
    delay: float = Field(default=0.0, ge=0, le=60, description="Pause between two words, in seconds.")


class Echo(AgentRunner):
    """Streams its input back; for an event without text it names what happened."""

    manifest = AgentRunnerManifest(
        id="plugin:langbot-agents/echo/default",
        label={"en_US": "Echo", "zh_Hans": "回声"},
        description={
            "en_US": "Says back what came in, word by word; for trying a binding.",
            "zh_Hans": "把收到的内容逐词说回来，用来试用绑定。",
        },
        capabilities=AgentRunnerCapabilities(streaming=True, event_context=True, interrupt=True),
        context_request=AgentContextRequest(strategy="none"),
    )
    Config = EchoConfig

    async def run(self, ctx: AgentRunContext[EchoConfig]) -> AsyncGenerator[AgentRunResult, None]:
        """Yield one piece a word, then the whole."""
        text = ctx.config.prefix + answer_text(ctx)
        for word in _WORDS.findall(text):
            yield delta(word)
            if ctx.config.delay:
                await anyio.sleep(ctx.config.delay)
        yield message(text)
        yield completed()


def answer_text(ctx: AgentRunContext[EchoConfig]) -> str:
    """The input as text: what was written, else the payload, else a sentence about the event."""
    if text := ctx.input.to_text():
        return text
    if ctx.input.data is not None:
        return json.dumps(ctx.input.data, ensure_ascii=False)
    who = ctx.actor and (ctx.actor.actor_name or ctx.actor.actor_id or ctx.actor.actor_type)
    return f"[{ctx.event.event_type}] {who}" if who else f"[{ctx.event.event_type}]"
