"""Hot reload: files are watched, loaded as at the start, and take effect all at once."""

from .change import Change, compare
from .places import Look, look
from .reloader import Reloader, RootStatus
from .watch import FileWatch

__all__ = ["Change", "FileWatch", "Look", "Reloader", "RootStatus", "compare", "look"]
