"""Documents that people write: strict YAML, typed, with findings that name the place and the remedy."""

from .event_faults import check_keys, fault_entry, headline, invalid_event, request_faults, without_unknown
from .findings import CODES, Finding, Path, Severity, by_place, code_meaning, format_path
from .literal_secrets import check_literal_secrets
from .loader import (
    KINDS,
    BindingFiles,
    LoadedDocument,
    LoadedFile,
    digest_of,
    load_binding_text,
    load_bindings,
    load_file,
    load_text,
    model_digest,
)
from .masking import MASK, Masker, is_secret_name
from .references import Malformed, Reference, find_malformed, find_references, is_reference
from .secrets import MissingSecret, SecretResolver, check_references
from .shapes import nearest
from .source import Source, SourceDocument, read_source
from .typed import parse

__all__ = [
    "CODES",
    "KINDS",
    "MASK",
    "BindingFiles",
    "Finding",
    "LoadedDocument",
    "LoadedFile",
    "Malformed",
    "Masker",
    "MissingSecret",
    "Path",
    "Reference",
    "SecretResolver",
    "Severity",
    "Source",
    "SourceDocument",
    "by_place",
    "check_keys",
    "check_literal_secrets",
    "check_references",
    "code_meaning",
    "digest_of",
    "fault_entry",
    "find_malformed",
    "find_references",
    "format_path",
    "headline",
    "invalid_event",
    "is_reference",
    "is_secret_name",
    "load_binding_text",
    "load_bindings",
    "load_file",
    "load_text",
    "model_digest",
    "nearest",
    "parse",
    "read_source",
    "request_faults",
    "without_unknown",
]
