"""The one way a runner is invoked: grant, context, runner, results, ledger, delivery."""

from .handle import RunHandle, RunOutcome
from .orchestrator import AgentRunOrchestrator
from .parts import HostFacts, RunParts

__all__ = ["AgentRunOrchestrator", "HostFacts", "RunHandle", "RunOutcome", "RunParts"]
