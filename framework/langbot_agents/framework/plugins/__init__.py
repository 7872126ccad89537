"""Packages that take part: found through entry points, imported only when trusted, each hook called alone."""

from .host import HOOKS, NOT_CALLED_YET, HookResult, PluginHost
from .installed import OWN_DISTRIBUTION, PluginInfo, PluginState, canonical_name
from .isolation import describe

__all__ = [
    "HOOKS",
    "NOT_CALLED_YET",
    "OWN_DISTRIBUTION",
    "HookResult",
    "PluginHost",
    "PluginInfo",
    "PluginState",
    "canonical_name",
    "describe",
]
