"""A checked set of bindings: documents, runners and filters made into what the router reads."""

from .check import CheckedBindings, check_bindings, entry_of, secret_references
from .model import SCOPE_FIELDS, BindingEntry, BindingSet, Quarantined, ScopeTerm, scope_term
from .ties import Tie, find_ties
from .wildcard import Wildcard, shared_texts

__all__ = [
    "SCOPE_FIELDS",
    "BindingEntry",
    "BindingSet",
    "CheckedBindings",
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
