"""The entry for hosts that still have a LangBot query: query and Pipeline become event and binding."""

from .notes import LegacyNote
from .query import ProjectedQuery, project_query
from .runs import LEGACY_CALLER, LegacyEntry, LegacyRun

__all__ = ["LEGACY_CALLER", "LegacyEntry", "LegacyNote", "LegacyRun", "ProjectedQuery", "project_query"]
