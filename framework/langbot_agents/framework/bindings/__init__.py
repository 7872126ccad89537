"""A checked set of bindings: documents, runners and filters made into what the router reads."""

from .check import CheckedBindings, check_bindings, entry_of, secret_references
from .model import (
    ANY_WORKSPACE,
    SCOPE_FIELDS,
    BindingEntry,
    BindingSet,
    BindingState,
    Quarantined,
    ScopeTerm,
    scope_term,
)
from .named_models import NO_MODEL
from .pauses import PauseBook
from .ties import Tie, find_ties
from .wildcard import Wildcard, shared_texts

__all__ = [
    "ANY_WORKSPACE",
    "NO_MODEL",
    "SCOPE_FIELDS",
    "BindingEntry",
    "BindingSet",
    "BindingState",
    "CheckedBindings",
    "PauseBook",
    "Quarantined",
    "ScopeTerm",
    "Tie",
    "Wildcard",
    "check_bindings",
    "entry_of",
    "find_ties",
    "scope_term",
    "secret_references",
    "shared_texts",
]
