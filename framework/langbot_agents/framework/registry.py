"""The runners that are installed: ids, aliases, and which of them can be used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from rapidfuzz import process

from langbot_agents.schemas.runners import AgentRunnerDescriptor, AgentRunnerManifest, PluginRef
from langbot_agents.sdk import AgentRunner

from .errors import RunnerNotFoundError, RunnerUnavailableError
from .plugins import PluginHost, PluginInfo
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class RegisteredRunner:
    """A runner that can be started: what is known of it, and the one instance that serves all runs."""

    descriptor: AgentRunnerDescriptor
    instance: AgentRunner

    @property
    def config_model(self) -> type[Any]:
        """The class its config is parsed into."""
        return self.instance.Config


class AgentRunnerRegistry:
    """Runners by id and alias; a runner id belongs to the distribution that first brought it."""

    def __init__(self) -> None:
        self._ready: dict[str, RegisteredRunner] = {}
        self._aliases: dict[str, str] = {}
        self._quarantined: list[AgentRunnerDescriptor] = []

    def discover(self, plugins: PluginHost) -> None:
        """Ask each package for its runners; one that fails leaves the others unharmed."""
        for info in plugins.infos:
            if info.state == "skipped":
                self._quarantined.append(_unloaded(info))
        for info, offers in plugins.collect("register_runners", _offer):
            for runner, aliases in offers:
                self.add(runner, aliases=aliases, plugin=info)

    def add(self, runner: Any, *, aliases: tuple[str, ...] = (), plugin: PluginInfo) -> None:
        """Take one runner in, or list it as quarantined with its reason."""
        try:
            manifest = _declared(runner)
        except (ValidationError, ValueError, TypeError, AttributeError) as error:
            self._refuse(getattr(runner, "__qualname__", repr(runner)), plugin, _one_line(error))
            return
        holder = self._ready.get(manifest.id)
        if holder is not None:
            held_by = holder.descriptor.plugin
            self._refuse(
                manifest.id,
                plugin,
                t(
                    "the id is held by {holder}",
                    holder=held_by.distribution if held_by else "another package",
                ),
            )
            return
        try:
            instance = runner()
        except Exception as error:  # isolation boundary: a package's constructor
            self._refuse(manifest.id, plugin, f"{type(error).__name__}: {error}")
            return
        self._aliases.pop(manifest.id, None)  # an alias gives way to the runner that really has the id
        free = tuple(alias for alias in aliases if alias not in self._ready and alias not in self._aliases)
        if taken := sorted(set(aliases) - set(free)):
            log.warning("alias_taken", runner=manifest.id, aliases=taken)
        self._ready[manifest.id] = RegisteredRunner(
            descriptor=_describe(manifest, free, plugin), instance=instance
        )
        self._aliases.update(dict.fromkeys(free, manifest.id))

    def resolve(self, name: str) -> RegisteredRunner:
        """The runner with this id or alias. Raises `RunnerNotFoundError` or `RunnerUnavailableError`."""
        found = self._ready.get(name) or self._ready.get(self._aliases.get(name, ""))
        if found is not None:
            return found
        for descriptor in self._quarantined:
            if descriptor.id == name:
                raise RunnerUnavailableError(
                    t("runner {name!r} is quarantined: {reason}", name=name, reason=descriptor.reason)
                )
        near = process.extractOne(name, [*self._aliases, *self._ready], score_cutoff=60)
        remedy = (
            t("did you mean {name!r}?", name=near[0])
            if near
            else t("installed: {names}", names=", ".join(sorted(self._aliases)) or "-")
        )
        raise RunnerNotFoundError(t("no runner {name!r} is installed", name=name), remedy=remedy)

    def get(self, name: str) -> RegisteredRunner | None:
        """The runner with this id or alias, or None."""
        return self._ready.get(name) or self._ready.get(self._aliases.get(name, ""))

    def descriptors(self) -> tuple[AgentRunnerDescriptor, ...]:
        """Every runner, the usable ones first."""
        ready = sorted((item.descriptor for item in self._ready.values()), key=lambda item: item.id)
        return (*ready, *sorted(self._quarantined, key=lambda item: item.id))

    def __iter__(self) -> Iterator[RegisteredRunner]:
        return iter(self._ready.values())

    def _refuse(self, runner_id: str, plugin: PluginInfo, reason: str) -> None:
        log.warning("runner_quarantined", runner=runner_id, distribution=plugin.distribution, reason=reason)
        self._quarantined.append(
            AgentRunnerDescriptor(
                id=runner_id,
                source="builtin" if plugin.builtin else "plugin",
                plugin=_reference(runner_id, plugin),
                state="quarantined",
                reason=reason,
            )
        )


def _offer(
    runner: type[AgentRunner], *, aliases: tuple[str, ...] = ()
) -> tuple[type[AgentRunner], tuple[str, ...]]:
    return runner, tuple(aliases)


def _declared(runner: Any) -> AgentRunnerManifest:
    if not (isinstance(runner, type) and issubclass(runner, AgentRunner)):
        raise TypeError(t("{runner!r} is not a subclass of AgentRunner", runner=runner))
    return AgentRunnerManifest.model_validate(runner.declare().model_dump())


def _describe(
    manifest: AgentRunnerManifest, aliases: tuple[str, ...], plugin: PluginInfo
) -> AgentRunnerDescriptor:
    shared: Mapping[str, Any] = {
        name: getattr(manifest, name)
        for name in AgentRunnerManifest.model_fields
        if name in AgentRunnerDescriptor.model_fields
    }
    return AgentRunnerDescriptor.model_validate(
        dict(shared)
        | {
            "aliases": aliases,
            "source": "builtin" if plugin.builtin else "plugin",
            "plugin": _reference(manifest.id, plugin),
        }
    )


def _reference(runner_id: str, plugin: PluginInfo) -> PluginRef:
    author, _, rest = runner_id.removeprefix("plugin:").partition("/")
    name = rest.partition("/")[0]
    return PluginRef(
        author=author if name else "",
        name=name or plugin.name,
        distribution=plugin.distribution,
        version=plugin.version,
    )


def _unloaded(info: PluginInfo) -> AgentRunnerDescriptor:
    return AgentRunnerDescriptor(
        id=info.name,
        source="plugin",
        plugin=_reference(info.name, info),
        state="quarantined",
        reason=info.reason,
    )


def _one_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"manifest.{place}: {first['msg']}" if place else str(first["msg"])
    return " ".join(str(error).split()) or type(error).__name__
