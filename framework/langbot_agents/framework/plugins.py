"""Packages that take part: found through entry points, imported only when trusted, each hook called alone."""

import functools
import inspect
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any, Literal

import anyio
import pluggy
from anyio import to_thread
from rapidfuzz import process

from langbot_agents.schemas.host import PluginSettings
from langbot_agents.sdk import hooks

from .telemetry import get_logger
from .texts import t

OWN_DISTRIBUTION = "langbot-agents"
PluginState = Literal["ready", "skipped", "quarantined"]
log = get_logger(__name__)


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
    hooks: tuple[str, ...] = ()

    @property
    def builtin(self) -> bool:
        """Whether it ships with the host."""
        return canonical_name(self.distribution) == OWN_DISTRIBUTION


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

    def info(self, name: str) -> PluginInfo:
        """The package of that name."""
        return self._infos[name]

    def discover(self) -> None:
        """Read entry-point metadata, and import what ships and what `plugins.in_process` names."""
        found = metadata.entry_points(group=hooks.PROJECT)
        for entry in sorted(
            found,
            key=lambda item: (_distribution(item)[0] != OWN_DISTRIBUTION, _distribution(item), item.name),
        ):
            distribution, version = _distribution(entry)
            name = f"{distribution}:{entry.name}"
            if name in self._infos:
                continue
            info = PluginInfo(name=name, distribution=distribution, version=version, state="ready")
            reason = self._reason_to_skip(distribution)
            if reason is not None:
                self._infos[name] = replace(info, state="skipped", reason=reason)
                continue
            self._load(info, entry.load)

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
        """Call each `register_*` implementation alone, in a thread under the deadline; gives what each offered.

        `register` turns one call's arguments into an offer. What a package offers counts only if its
        hook comes back in time and without an error.
        """
        for name, function, _names in self._implementations(hook):
            offers: list[Any] = []

            def take(*args: Any, _offers: list[Any] = offers, **kwargs: Any) -> None:
                _offers.append(register(*args, **kwargs))

            outcome = _in_thread(functools.partial(function, register=take), self.settings.hook_deadline)
            if isinstance(outcome, _Failure):
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
            try:
                with anyio.fail_after(self.settings.hook_deadline):
                    if inspect.iscoroutinefunction(function):
                        value = await bound()
                    else:
                        value = await to_thread.run_sync(bound, abandon_on_cancel=True)
            except TimeoutError:
                self.quarantine(
                    name, t("hook {hook}: {reason}", hook=hook, reason=_too_slow(self.settings.hook_deadline))
                )
            except Exception as error:  # isolation boundary: a package's own code
                self.quarantine(name, t("hook {hook}: {reason}", hook=hook, reason=_describe(error)))
            else:
                results.append(HookResult(plugin=name, value=value))
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

    def _load(self, info: PluginInfo, load: Callable[[], object]) -> None:
        plugin = _in_thread(load, self.settings.hook_deadline)
        self._infos[info.name] = info
        if isinstance(plugin, _Failure):
            self.quarantine(info.name, t("import failed: {reason}", reason=plugin.reason))
            return
        try:
            self._manager.register(plugin, name=info.name)
            implemented = self._check(info.name, plugin)
        except Exception as error:  # isolation boundary: a package's own declarations
            self.quarantine(info.name, _describe(error))
            return
        self._infos[info.name] = replace(info, hooks=implemented)

    def _check(self, name: str, plugin: object) -> tuple[str, ...]:
        implemented = []
        for caller in self._manager.get_hookcallers(plugin) or []:
            if not caller.has_spec():
                near = process.extractOne(caller.name, sorted(vars(self._manager.hook)), score_cutoff=60)
                hint = t(" (did you mean {name!r}?)", name=near[0]) if near else ""
                raise ValueError(t("there is no hook {name!r}{hint}", name=caller.name, hint=hint))
            for implementation in caller.get_hookimpls():
                if implementation.plugin_name == name and (
                    implementation.hookwrapper or implementation.wrapper
                ):
                    raise ValueError(
                        t("hook {name!r} is a wrapper; each hook is called alone", name=caller.name)
                    )
            implemented.append(caller.name)
        return tuple(sorted(implemented))

    def _implementations(self, hook: str) -> list[tuple[str, Callable[..., Any], tuple[str, ...]]]:
        caller = getattr(self._manager.hook, hook)
        order = {info.name: index for index, info in enumerate(self.infos)}
        found = [(item.plugin_name, item.function, item.argnames) for item in caller.get_hookimpls()]
        return sorted(found, key=lambda item: order.get(item[0], len(order)))


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: str


def _in_thread(function: Callable[[], Any], deadline: float) -> Any:
    """Call a package's code in a thread of its own; one that hangs is left behind as a daemon."""
    outcome: list[Any] = []

    def call() -> None:
        try:
            outcome.append(function())
        except BaseException as error:  # isolation boundary: sys.exit() in a package must not end the host
            outcome.append(_Failure(_describe(error)))

    thread = threading.Thread(target=call, daemon=True, name="langbot-agents-plugin")
    thread.start()
    thread.join(deadline)
    return outcome[0] if outcome else _Failure(_too_slow(deadline))


def _too_slow(deadline: float) -> str:
    return t("took longer than {seconds:g} s", seconds=deadline)


def _describe(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:400]}" if text else type(error).__name__


def _distribution(entry: metadata.EntryPoint) -> tuple[str, str]:
    dist = entry.dist
    return (dist.name, dist.version) if dist is not None else ("unknown", "0")
