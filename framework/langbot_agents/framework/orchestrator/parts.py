"""What every run is given by the host."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from langbot_agents.schemas.records import RunStatus

from ..authorization import Grant, make_grant
from ..bindings import BindingEntry
from ..context import AgentRunContextBuilder
from ..delivery import DeliveryController
from ..documents.secrets import SecretResolver
from ..plugins import PluginHost
from ..registry import AgentRunnerRegistry
from ..resources import ModelRegistry
from ..run_api import AgentRunSessionRegistry
from ..runtime import InProcessRuntime
from ..store import Database
from ..store.artifacts import Artifacts

MAX_GRANTS = 10_000
"""Grants that are remembered at the most."""


@dataclass(frozen=True, kw_only=True)
class HostFacts:
    """What every run needs to know of the host."""

    timezone: str = "UTC"
    locale: str = "en_US"
    available: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    clock: Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class RunParts:
    """The parts of the house that a run uses; made once, by the composition root."""

    db: Database
    artifacts: Artifacts
    registry: AgentRunnerRegistry
    models: ModelRegistry
    plugins: PluginHost
    delivery: DeliveryController
    secrets: SecretResolver
    facts: HostFacts
    runtime: InProcessRuntime
    sessions: AgentRunSessionRegistry = field(default_factory=AgentRunSessionRegistry)
    contexts: AgentRunContextBuilder = field(default_factory=AgentRunContextBuilder)
    _grants: dict[tuple[str, str], Grant] = field(default_factory=dict)

    def grant(self, binding: BindingEntry) -> Grant:
        """The grant of a binding's runs: the same for each, so made once a revision."""
        key = (binding.revision, binding.runner.id)
        made = self._grants.get(key)
        if made is None:
            if len(self._grants) >= MAX_GRANTS:
                self._grants.clear()
            made = self._grants[key] = make_grant(binding.document, binding.runner, self.facts.available)
        return made


class StopRunError(Exception):
    """A run must end now, with this status; never leaves the orchestrator."""

    def __init__(self, status: RunStatus, code: str, message: str) -> None:
        super().__init__(message)
        self.status: RunStatus = status
        self.code = code
        self.message = message
