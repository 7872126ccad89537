"""How authors use the SDK: checked by mypy with everything else, and never run."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, assert_type

import anyio
from pydantic import BaseModel

from langbot_agents.sdk import (
    AgentAPIException,
    AgentEventEnvelope,
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
    AgentRunResult,
    Message,
    ModelSelector,
    completed,
    delta,
    failed,
    hookimpl,
    message,
    state_updated,
)
from langbot_agents.sdk.hooks import RegisterEventType, RegisterRunner


class SupportConfig(BaseModel):
    """A config of an author."""

    model: ModelSelector
    prompt: str = "You are helpful."


class Support(AgentRunner):
    """A runner as the documentation shows it."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/support/default",
        label={"en_US": "Support", "zh_Hans": "客服"},
        capabilities=AgentRunnerCapabilities(streaming=True),
        permissions=AgentRunnerPermissions(state=("get", "set"), history=("page",)),
    )
    Config = SupportConfig

    async def run(self, ctx: AgentRunContext[SupportConfig]) -> AsyncGenerator[AgentRunResult, None]:
        """Use everything that a context has."""
        assert_type(ctx.config, SupportConfig)
        assert_type(ctx.config.prompt, str)
        assert_type(ctx.deadline.remaining(), float)
        ctx.log.info("began", text=ctx.input.to_text())
        try:
            found = await ctx.api.state.get("conversation", "count")
            await ctx.api.state.set("conversation", "count", 1, version=found.version if found else 0)
        except AgentAPIException as error:
            assert_type(error.code, str)
            yield failed(str(error), retryable=error.retryable)
            return
        older, cursor = await ctx.api.history.page(rounds=3)
        assert_type(older, list[Message])
        assert_type(cursor, str | None)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ctx.emit, delta("from a task"))
        for part in (*ctx.prompt, *ctx.messages, ctx.input.as_message()):
            yield delta(part.to_text())
        yield message("whole", message_id="m1")
        yield state_updated("actor", "seen", True)
        yield completed()


class Seed(AgentRunner):
    """A runner as the seed writes it."""

    __kind__ = "AgentRunner"
    __protocol_version__ = "1"
    manifest = AgentRunnerManifest(id="plugin:acme/seed/default")

    @classmethod
    def get_config_schema(cls) -> list[dict[str, Any]]:
        """A form."""
        return [{"name": "model", "type": "llm-model-selector"}]

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Any key may be read of a config without a class."""
        yield completed(str(ctx.config.model))


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer both."""
    register(Support, aliases=("support",))
    register(Seed)


@hookimpl
def register_event_types(register: RegisterEventType) -> None:
    """Offer a type."""
    register("acme.ticket.opened", sample={"event_type": "acme.ticket.opened"}, description="A ticket.")


@hookimpl
async def event_received(event: AgentEventEnvelope) -> str | None:
    """Veto."""
    return "closed" if event.input.text == "closed" else None


@hookimpl
def input_prepared(prompt: tuple[Message, ...]) -> Mapping[str, Any] | None:
    """Take fewer arguments than there are."""
    return {"prompt": prompt[:1]}
