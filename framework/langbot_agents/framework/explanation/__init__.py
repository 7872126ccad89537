"""Explanations: a decision with the reason, the place and the values behind it for every binding."""

from .envelope import envelope_of
from .explained import STAGES, Explained, Line, explain_event
from .outlook import Downgrade, Outlook, loop_guard, outlook
from .places import Place, Places, filter_name, reason_path
from .rank import RankStep, rank_step
from .values import values_of

__all__ = [
    "STAGES",
    "Downgrade",
    "Explained",
    "Line",
    "Outlook",
    "Place",
    "Places",
    "RankStep",
    "envelope_of",
    "explain_event",
    "filter_name",
    "loop_guard",
    "outlook",
    "rank_step",
    "reason_path",
    "values_of",
]
