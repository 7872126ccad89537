"""LangBot's QA runner, and one whose input names a case of LangBot's matrix of host behaviour."""

from collections.abc import AsyncGenerator
from typing import Any

from langbot_agents.sdk import (
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunResult,
    completed,
    delta,
    failed,
    hookimpl,
    message,
)
from langbot_agents.sdk.hooks import RegisterRunner


class Fixture(AgentRunner):
    """The fixture, word for word."""

    manifest = AgentRunnerManifest(
        id="plugin:qa/agent-runner/default",
        label="QA",
        capabilities=AgentRunnerCapabilities(streaming=True),
    )

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Fail, stream or answer, as the text says."""
        text = ctx.input.to_text()
        if "fail" in text:
            yield failed("QA_AGENT_RUNNER_CONTROLLED_FAILURE", code="qa.controlled_failure")
        elif "stream" in text:
            for piece in ("QA_", "AGENT_", f"RUNNER_OK:{text}"):
                yield delta(piece)
            yield completed()
        else:
            yield completed(f"QA_AGENT_RUNNER_OK:{text or 'empty'}")


class Matrix(AgentRunner):
    """The five cases, by the name in the text."""

    manifest = AgentRunnerManifest(
        id="plugin:qa/agent-runner/matrix",
        label="QA matrix",
        capabilities=AgentRunnerCapabilities(streaming=True),
    )

    async def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Give what the case wants."""
        match ctx.input.to_text():
            case "ok":
                yield message("QA_RUNNER_OK")
                yield completed()
            case "stream_ok":
                yield delta("QA_")
                yield delta("RUNNER_STREAM_OK")
                yield completed()
            case "empty_output":
                yield completed()
            case "malformed_result":
                yield AgentRunResult(type="message.completed", data={})
                yield completed()
            case "controlled_failure":
                yield failed("QA failed", code="qa.failure")


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer both."""
    register(Fixture, aliases=("qa",))
    register(Matrix, aliases=("qa-matrix",))
