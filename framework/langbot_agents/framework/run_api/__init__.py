"""The run API: what `ctx.api` reaches, checked call by call, and worth nothing once the run has ended."""

from .proxy import AgentRunAPIProxy
from .session import AgentRunSession, AgentRunSessionRegistry

__all__ = ["AgentRunAPIProxy", "AgentRunSession", "AgentRunSessionRegistry"]
