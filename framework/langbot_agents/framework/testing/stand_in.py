"""Stand-ins: a runner that gives what a case wrote, in the place of one that a test does not let run."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from langbot_agents.schemas import __version__
from langbot_agents.schemas.base import freeze, thaw
from langbot_agents.schemas.binding_tests import TestRunner
from langbot_agents.sdk import AgentRunContext, AgentRunner, AgentRunnerManifest

from ..bindings import BindingEntry
from ..dispatcher import DISCARD
from ..plugins import OWN_DISTRIBUTION, PluginInfo
from ..registry import AgentRunnerRegistry

STAND_IN = "plugin:langbot-agents/stand-in/default"

HARMLESS = frozenset({DISCARD, "plugin:langbot-agents/echo/default"})
"""Runners that reach nothing, so that a test lets them run as they are."""

SILENT = TestRunner.model_validate(
    {"results": [{"type": "run.completed", "data": {"finish_reason": "no_reply"}}]}
)
"""What takes the place of a runner that a case says nothing of."""


class ScriptedError(Exception):
    """What a case lets its runner raise."""


class StandInConfig(BaseModel):
    """What a stand-in gives."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    results: tuple[dict[str, Any], ...] = ()
    raises: str | None = None


class StandIn(AgentRunner):
    """Gives what its config says, word by word."""

    manifest = AgentRunnerManifest(id=STAND_IN, label={"en_US": "Stand-in", "zh_Hans": "替身"})
    Config = StandInConfig

    async def run(self, ctx: AgentRunContext[StandInConfig]) -> AsyncGenerator[Any, None]:
        """Yield the results as they are written."""
        for result in ctx.config.results:
            yield result
        if ctx.config.raises is not None:
            raise ScriptedError(ctx.config.raises)


def add_stand_in(registry: AgentRunnerRegistry) -> None:
    """Let a host's registry know it; bindings that people write were checked without it."""
    if registry.get(STAND_IN) is None:
        info = PluginInfo(name=STAND_IN, distribution=OWN_DISTRIBUTION, version=__version__, state="ready")
        registry.add(StandIn, plugin=info)


def standing_in(entry: BindingEntry, script: TestRunner) -> BindingEntry:
    """The binding with a stand-in for its runner; it keeps its revision, and what the runner may do."""
    config = {"results": thaw(script.results), "raises": script.raises}
    document = entry.document.model_copy(update={"runner_config": freeze(config)})
    return replace(entry, document=document, runner=entry.runner.model_copy(update={"id": STAND_IN}))


def without_pauses(entry: BindingEntry) -> BindingEntry:
    """The binding with no wait between two attempts."""
    limits = entry.document.limits
    retry = limits.retry.model_copy(update={"backoff": 0.0})
    changed = limits.model_copy(update={"retry": retry})
    return replace(entry, document=entry.document.model_copy(update={"limits": changed}))
