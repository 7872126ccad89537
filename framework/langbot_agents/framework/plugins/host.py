"""The packages of one host: imported only when trusted, each hook called alone."""

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pluggy
from rapidfuzz import process

from langbot_agents.schemas.host import PluginSettings
from langbot_agents.sdk import hooks

from ..telemetry import get_logger
from ..texts import t
from .installed import OWN_DISTRIBUTION, PluginInfo, canonical_name, installed
from .isolation import Failure, call_hook, call_in_thread, describe

NOT_CALLED_YET = frozenset(
    {
        "register_tools",
        "register_knowledge_bases",
        "register_platforms",
        "register_event_types",
    }
)
"""Hooks that later versions of the host call; a package that has one is told so."""

HOOKS = tuple(sorted(name for name, item in vars(hooks).items() if hasattr(item, "langbot_agents_spec")))
"""The names of all hooks."""

log = get_logger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class HookResult:
    """What one implementation gave."""

    plugin: str
    value: Any


class PluginHost:
    """The packages of one host; built by the composition root, never at import."""

    def __init__(self, settings: PluginSettings) -> None:
        self.settings = settings
        self._manager = pluggy.PluginManager(hooks.PROJECT)
        self._manager.add_hookspecs(hooks)
        self._infos: dict[str, PluginInfo] = {}

    @property
    def infos(self) -> tuple[PluginInfo, ...]:
        """Every package found, in a stable order."""
        return tuple(
            sorted(self._infos.values(), key=lambda info: (not info.builtin, info.distribution, info.name))
        )

    def find(self, name: str) -> PluginInfo | None:
        """The package of that name, or None."""
        return self._infos.get(name)

    def discover(self) -> None:
        """Read entry-point metadata, and import what ships and what `plugins.in_process` names."""
        found = installed()
        for info, entry in found:
            if info.name in self._infos:
                continue
            reason = self._reason_to_skip(info.distribution)
            if reason is not None:
                self._infos[info.name] = replace(info, state="skipped", reason=reason)
            else:
                self._load(info, entry.load)
        self._report_absent([info.distribution for info, _ in found])

    def add(self, name: str, plugin: object, *, distribution: str | None = None, version: str = "0") -> None:
        """Add a plugin object by hand, for hosts that embed us and for tests."""
        info = PluginInfo(name=name, distribution=distribution or name, version=version, state="ready")
        self._load(info, lambda: plugin)

    def quarantine(self, name: str, reason: str) -> None:
        """Take a package out, with its reason; the others go on."""
        self._infos[name] = replace(self._infos[name], state="quarantined", reason=reason, hooks=())
        with suppress(ValueError, AssertionError):
            self._manager.unregister(name=name)
        log.warning("plugin_quarantined", plugin=name, reason=reason)

    def collect(self, hook: str, register: Callable[..., Any]) -> Iterator[tuple[PluginInfo, list[Any]]]:
        """Call each `register_*` implementation alone, under the deadline; gives what each offered.

        `register` turns one call's arguments into an offer. What a package offers counts only if its
        hook comes back in time and without an error.
        """
        for name, function, _names in self._implementations(hook):
            offers: list[Any] = []

            def take(*args: Any, _offers: list[Any] = offers, **kwargs: Any) -> None:
                _offers.append(register(*args, **kwargs))

            outcome = call_in_thread(functools.partial(function, register=take), self.settings.hook_deadline)
            if isinstance(outcome, Failure):
                self.quarantine(name, t("hook {hook}: {reason}", hook=hook, reason=outcome.reason))
            else:
                yield self._infos[name], list(offers)

    def has(self, hook: str) -> bool:
        """Whether any package implements the hook; callers on the hot path ask first."""
        return bool(getattr(self._manager.hook, hook).get_hookimpls())

    async def acall(self, hook: str, **arguments: Any) -> list[HookResult]:
        """Call each implementation alone under the deadline, on the loop (`async def`) or in a thread."""
        results: list[HookResult] = []
        for name, function, names in self._implementations(hook):
            bound = functools.partial(function, **{key: arguments[key] for key in names})
            outcome = await call_hook(bound, function, self.settings.hook_deadline)
            if isinstance(outcome, Failure):
                self.quarantine(name, t("hook {hook}: {reason}", hook=hook, reason=outcome.reason))
            else:
                results.append(HookResult(plugin=name, value=outcome))
        return results

    def _reason_to_skip(self, distribution: str) -> str | None:
        name = canonical_name(distribution)
        if name == OWN_DISTRIBUTION:
            return None
        selected = os.environ.get("LANGBOT_AGENTS_PLUGINS")
        words = [word.strip() for word in selected.split(",")] if selected is not None else []
        chosen = {canonical_name(word) for word in words if word and not word.startswith("-")}
        blocked = {canonical_name(word[1:]) for word in words if word.startswith("-")}
        only_blocks = bool(blocked) and not chosen
        if selected is not None and (name in blocked or (name not in chosen and not only_blocks)):
            return t("left out by LANGBOT_AGENTS_PLUGINS")
        if name in {canonical_name(item) for item in self.settings.disabled}:
            return t("left out by plugins.disabled")
        if name not in {canonical_name(item) for item in self.settings.in_process}:
            return t(
                "not imported: add {distribution!r} to plugins.in_process if you trust its code",
                distribution=distribution,
            )
        return None

    def _report_absent(self, installed: Sequence[str]) -> None:
        """Name what `plugins.in_process` lists and nobody has installed."""
        known = {canonical_name(name): name for name in installed}
        for wanted in self.settings.in_process:
            if canonical_name(wanted) in known or self._reason_to_skip(wanted) is not None:
                continue
            near = process.extractOne(canonical_name(wanted), sorted(known), score_cutoff=60)
            hint = t(" (did you mean {name!r}?)", name=known[near[0]]) if near else ""
            reason = t("plugins.in_process names it, but it is not installed{hint}", hint=hint)
            self._infos[wanted] = PluginInfo(
                name=wanted, distribution=wanted, version="-", state="quarantined", reason=reason
            )
            log.warning("plugin_absent", plugin=wanted, reason=reason)

    def _load(self, info: PluginInfo, load: Callable[[], object]) -> None:
        plugin = call_in_thread(load, self.settings.hook_deadline)
        self._infos[info.name] = info
        if isinstance(plugin, Failure):
            self.quarantine(info.name, t("import failed: {reason}", reason=plugin.reason))
            return
        try:
            self._manager.register(plugin, name=info.name)
            implemented = self._check(info.name, plugin)
        except Exception as error:  # isolation boundary: a package's own declarations
            self.quarantine(info.name, describe(error))
            return
        if not implemented:
            self.quarantine(info.name, t("it has no hook: put `@hookimpl` above its functions"))
            return
        early = sorted(NOT_CALLED_YET & set(implemented))
        reason = t("not called by this version: {names}", names=", ".join(early)) if early else None
        self._infos[info.name] = replace(info, hooks=implemented, reason=reason)

    def _check(self, name: str, plugin: object) -> tuple[str, ...]:
        implemented = []
        for caller in self._manager.get_hookcallers(plugin) or []:
            own = [each for each in caller.get_hookimpls() if each.plugin_name == name]
            if not caller.has_spec():
                if all(each.optionalhook for each in own):
                    continue
                near = process.extractOne(caller.name, HOOKS, score_cutoff=60)
                hint = t(" (did you mean {name!r}?)", name=near[0]) if near else ""
                raise ValueError(t("there is no hook {name!r}{hint}", name=caller.name, hint=hint))
            if any(each.hookwrapper or each.wrapper for each in own):
                raise ValueError(t("hook {name!r} is a wrapper; each hook is called alone", name=caller.name))
            implemented.append(caller.name)
        return tuple(sorted(implemented))

    def _implementations(self, hook: str) -> list[tuple[str, Callable[..., Any], tuple[str, ...]]]:
        caller = getattr(self._manager.hook, hook)
        order = {info.name: index for index, info in enumerate(self.infos)}
        found = [(item.plugin_name, item.function, item.argnames) for item in caller.get_hookimpls()]
        return sorted(found, key=lambda item: order.get(item[0], len(order)))
