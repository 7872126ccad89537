"""Secret references as text: `${env:NAME}` and `${file:PATH}` as a whole value, `$${` as a literal `${`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from langbot_agents.framework.texts import t

from .findings import Path

_REFERENCE = re.compile(r"\$\{(env|file):([^{}]*)\}")
_BRACES = re.compile(r"(?<!\$)\$\{[^{}]{0,30}\}?")
_OPENING = re.compile(r"(?<!\$)\$\{")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FILE_NAME = re.compile(r"[^\x00-\x1f\\]{1,512}")


@dataclass(frozen=True, kw_only=True, order=True)
class Reference:
    """Where a secret is; never what it is."""

    kind: Literal["env", "file"]
    name: str

    def __str__(self) -> str:
        return f"${{{self.kind}:{self.name}}}"


@dataclass(frozen=True, kw_only=True)
class Malformed:
    """Text that looks like a reference and is none: why, and what to write."""

    message: str
    remedy: str


def is_reference(text: str) -> bool:
    """Whether the whole text is one reference."""
    return _REFERENCE.fullmatch(text) is not None


def read_text(text: str) -> str | Reference | Malformed:
    """What a text of a document stands for: itself (with `$${` as `${`), a reference, or a mistake."""
    if "${" not in text:
        return text
    match = _REFERENCE.fullmatch(text)
    if match is not None:
        return _env(match[2]) if match[1] == "env" else _file(match[2])
    if not _OPENING.search(text):
        return text.replace("$${", "${")
    if _REFERENCE.search(text):
        return Malformed(
            message=t("a secret reference inside longer text"),
            remedy=t("a reference is the whole value; put the longer text into the secret"),
        )
    return Malformed(
        message=t("unknown reference {text!r}", text=_BRACES.findall(text)[0]),
        remedy=_forms(),
    )


def find_references(data: Any) -> list[tuple[Path, Reference]]:
    """Every well-formed reference in nested data, with its path."""
    return [(path, found) for path, found in _walk(data, ()) if isinstance(found, Reference)]


def find_malformed(data: Any) -> list[tuple[Path, Malformed]]:
    """Every text that looks like a reference and is none, with its path."""
    return [(path, found) for path, found in _walk(data, ()) if isinstance(found, Malformed)]


def _walk(data: Any, path: Path) -> Iterator[tuple[Path, Reference | Malformed]]:
    if isinstance(data, str):
        found = read_text(data)
        if not isinstance(found, str):
            yield path, found
    elif isinstance(data, Mapping):
        for key, item in data.items():
            yield from _walk(item, (*path, key))
    elif isinstance(data, list | tuple):
        for index, item in enumerate(data):
            yield from _walk(item, (*path, index))


def _forms() -> str:
    return t(
        "write {env} or {file}; for a literal {opening} write {escaped}",
        env="${env:NAME}",
        file="${file:PATH}",
        opening="${",
        escaped="$${",
    )


def _env(name: str) -> Reference | Malformed:
    if _ENV_NAME.fullmatch(name):
        return Reference(kind="env", name=name)
    return Malformed(message=t("{name!r} is not an environment name", name=name), remedy=_forms())


def _file(name: str) -> Reference | Malformed:
    path = PurePosixPath(name)
    if not _FILE_NAME.fullmatch(name) or not path.parts:
        return Malformed(message=t("{name!r} is not a file name", name=name), remedy=_forms())
    if path.is_absolute() or ".." in path.parts:
        return Malformed(
            message=t("{name!r} leads out of the secrets directory", name=name),
            remedy=t("write a path below `secrets.directory`"),
        )
    return Reference(kind="file", name=name)
