"""The runners that ship, with no privilege over anybody's."""

from .discard import Discard
from .echo import Echo, EchoConfig
from .local_agent import LocalAgent, LocalAgentConfig

__all__ = ["Discard", "Echo", "EchoConfig", "LocalAgent", "LocalAgentConfig"]
