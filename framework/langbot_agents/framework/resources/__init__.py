"""What runs may use: the runner's copy of it, and the providers behind the names."""

from .builder import AgentResourceBuilder
from .models import ModelError, ModelRegistry

__all__ = ["AgentResourceBuilder", "ModelError", "ModelRegistry"]
