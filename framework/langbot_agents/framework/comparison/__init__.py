"""Two sets of bindings compared by the events that they decide: only what moves, and because of what."""

from .causes import Cause, CauseCode, Causes
from .change import HANDLING, SetChange
from .moves import EXAMPLES, Comparison, Group, Move, Side

__all__ = [
    "EXAMPLES",
    "HANDLING",
    "Cause",
    "CauseCode",
    "Causes",
    "Comparison",
    "Group",
    "Move",
    "SetChange",
    "Side",
]
