"""The runners that ship, with no privilege over anybody's."""

from .discard import Discard
from .echo import Echo, EchoConfig

__all__ = ["Discard", "Echo", "EchoConfig"]
