"""The packages that are installed and want to take part, read from their metadata without an import."""

import re
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from langbot_agents.sdk import hooks

OWN_DISTRIBUTION = "langbot-agents"
PluginState = Literal["ready", "skipped", "quarantined"]


def canonical_name(distribution: str) -> str:
    """A distribution's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginInfo:
    """A package that was found, and what became of it."""

    name: str
    distribution: str
    version: str
    state: PluginState
    reason: str | None = None
    """Why it takes no part, or what of it does not count."""
    hooks: tuple[str, ...] = ()

    @property
    def builtin(self) -> bool:
        """Whether it ships with the host."""
        return canonical_name(self.distribution) == OWN_DISTRIBUTION


def installed() -> list[tuple[PluginInfo, metadata.EntryPoint]]:
    """Every entry point of our group and its package, what ships first."""
    found: dict[str, tuple[PluginInfo, metadata.EntryPoint]] = {}
    for entry in metadata.entry_points(group=hooks.PROJECT):
        dist = entry.dist
        # a package whose METADATA is gone has neither name nor version
        distribution = (dist.name if dist is not None else None) or "unknown"
        version = (dist.version if dist is not None else None) or "0"
        name = f"{distribution}:{entry.name}"
        info = PluginInfo(name=name, distribution=distribution, version=version, state="ready")
        found.setdefault(name, (info, entry))
    return sorted(found.values(), key=lambda item: (not item[0].builtin, item[0].distribution, item[0].name))
