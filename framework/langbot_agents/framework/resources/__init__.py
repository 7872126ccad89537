"""What runs may use: the runner's copy of it, and the providers behind the names."""

from .builder import AgentResourceBuilder

__all__ = ["AgentResourceBuilder"]
