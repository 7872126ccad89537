"""The store: one database, one writer, one noun a module."""

from . import (
    artifacts,
    binding_sets,
    conversations,
    dead_letters,
    decisions,
    dispatches,
    events,
    outbox,
    pauses,
    revisions,
    run_results,
    runs,
    state,
    tokens,
    transcript,
)
from .artifacts import Artifacts
from .database import Database
from .statements import Cursor
from .writer import Batch, Writer

__all__ = [
    "Artifacts",
    "Batch",
    "Cursor",
    "Database",
    "Writer",
    "artifacts",
    "binding_sets",
    "conversations",
    "dead_letters",
    "decisions",
    "dispatches",
    "events",
    "outbox",
    "pauses",
    "revisions",
    "run_results",
    "runs",
    "state",
    "tokens",
    "transcript",
]
