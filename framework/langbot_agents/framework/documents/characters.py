"""Characters that nobody sees, where they change what is meant: in keys and names."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from langbot_agents.framework.texts import t

from .findings import Finding, Path
from .source import SourceDocument

UNSEEN = re.compile("[\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]")
"""Blanks that are not a blank, characters without width, and marks of direction."""

FREE: Mapping[str, frozenset[str]] = {
    "AgentBinding": frozenset({"description", "filters", "runner_config", "delivery_policy", "labels"}),
    "Host": frozenset({"legacy", "models", "tools", "mcp_servers", "knowledge_bases", "platforms"}),
}
"""Keys of a document below which any text may stand, by its kind."""


def check_characters(document: SourceDocument) -> list[Finding]:
    """A finding for each key and each name that holds a character which nobody sees."""
    data = document.data
    if document.text.isascii() or not isinstance(data, dict) or not UNSEEN.search(document.text):
        return []
    free = FREE.get(str(data.get("kind")), frozenset(data) - {"kind", "apiVersion"})
    findings = []
    for path, text, at_key in _texts({key: None if key in free else item for key, item in data.items()}, ()):
        found = UNSEEN.search(text)
        if found is not None:
            findings.append(
                document.finding(
                    "LBA113",
                    path,
                    t("{value} holds the invisible character {char}", value=repr(text), char=_name(found[0])),
                    remedy=t("write {value}", value=UNSEEN.sub("", text) or "-"),
                    value=text,
                    at_key=at_key,
                )
            )
    return findings


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()


def _texts(data: Any, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """Each key and each text, with its path."""
    if isinstance(data, str):
        yield path, data, False
    elif isinstance(data, dict):
        for key, item in data.items():
            yield (*path, key), key, True
            yield from _texts(item, (*path, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _texts(item, (*path, index))
