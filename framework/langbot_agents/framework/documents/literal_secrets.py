"""Secrets that stand in a document as they are, where anybody reads them who reads the file."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from langbot_agents.framework.texts import t

from .findings import Finding, Path
from .masking import is_secret_name
from .references import is_reference
from .source import SourceDocument

MIN_LENGTH = 8
"""A shorter literal is no key: `none`, `EMPTY` and `x` are what people write for a server without one."""

_HINTS = ("sk-", "xox", "ghp_", "gho_", "github_pat_", "AKIA", "AIza", ":AA", "glpat-", "PRIVATE KEY")
_SHAPES = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\bgh[op]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[A-Za-z0-9_-]{35}"
    r"|\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"
    r"|\bglpat-[A-Za-z0-9_-]{20,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
"""Keys as OpenAI, Slack, GitHub, AWS, Google, Telegram and GitLab make them, and PEM files."""

_named = lru_cache(maxsize=4096)(is_secret_name)


def check_literal_secrets(document: SourceDocument) -> list[Finding]:
    """A warning for each secret in a binding's `runner_config`, or anywhere in the root document."""
    data = document.data
    if not isinstance(data, dict):
        return []
    places: Any = data
    if data.get("kind") == "AgentBinding":
        places = {"runner_config": data.get("runner_config")}
    shaped = any(hint in document.text for hint in _HINTS)
    return [_finding(document, path) for path in _secrets(places, (), False, shaped)]


def _finding(document: SourceDocument, path: Path) -> Finding:
    keys = [step for step in path if isinstance(step, str)]
    name = re.sub(r"[^A-Za-z0-9]+", "_", keys[-1] if keys else "secret").upper()
    return document.finding(
        "LBA163",
        path,
        t("a secret stands here as it is"),
        remedy=t(
            "put it into the environment and write {reference}, and change it, as it may have been read",
            reference="${env:" + name + "}",
        ),
        severity="warning",
        hidden=True,
    )


def _secrets(data: Any, path: Path, named: bool, shaped: bool) -> Iterator[Path]:
    if isinstance(data, str):
        is_key = named and len(data) >= MIN_LENGTH and " " not in data.strip() and not is_reference(data)
        if is_key or (shaped and _SHAPES.search(data)):
            yield path
    elif isinstance(data, dict):
        for key, item in data.items():
            yield from _secrets(item, (*path, key), _named(key), shaped)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _secrets(item, (*path, index), named, shaped)
