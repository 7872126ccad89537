"""A checked set of bindings: documents, runners and filters made into what the router reads."""

from .check import CheckedBindings, check_bindings, entry_of
from .entry import (
    ANY_WORKSPACE,
    SCOPE_FIELDS,
    BindingEntry,
    BindingState,
    ScopeTerm,
    scope_term,
)
from .index import BindingIndex, EventKeys
from .last_good import Incumbents, LiveIncumbents, Settled, settle
from .model import BindingSet, Quarantined
from .named_models import NO_MODEL
from .pauses import PauseBook
from .selectors import SELECTORS, names_in, selections
from .ties import Tie, find_ties
from .wildcard import Wildcard, shared_texts

__all__ = [
    "ANY_WORKSPACE",
    "NO_MODEL",
    "SCOPE_FIELDS",
    "SELECTORS",
    "BindingEntry",
    "BindingIndex",
    "BindingSet",
    "BindingState",
    "CheckedBindings",
    "EventKeys",
    "Incumbents",
    "LiveIncumbents",
    "PauseBook",
    "Quarantined",
    "ScopeTerm",
    "Settled",
    "Tie",
    "Wildcard",
    "check_bindings",
    "entry_of",
    "find_ties",
    "names_in",
    "scope_term",
    "selections",
    "settle",
    "shared_texts",
]
