"""The runners that are installed: ids, aliases, and which of them can be used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from pydantic import TypeAdapter, ValidationError
from rapidfuzz import process

from langbot_agents.schemas.base import Name, thaw
from langbot_agents.schemas.runners import AgentRunnerDescriptor, AgentRunnerManifest, PluginRef
from langbot_agents.sdk import AgentRunner

from .errors import RunnerNotFoundError, RunnerUnavailableError
from .filters import STANDARD, FunctionSet
from .filters.foreign import function_of
from .plugins import PluginHost, PluginInfo, describe
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)
_NAMES = TypeAdapter(tuple[Name, ...])


@dataclass(frozen=True, kw_only=True, slots=True)
class OfferedRunner:
    """What a package offered: a runner with its manifest, or why there is none."""

    name: str
    aliases: tuple[str, ...] = ()
    manifest: AgentRunnerManifest | None = None
    instance: AgentRunner | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RegisteredRunner:
    """A runner that can be started: what is known of it, and the one instance that serves all runs."""

    descriptor: AgentRunnerDescriptor
    instance: AgentRunner
    package: str
    """Name of the plugin that brought it."""

    @property
    def config_model(self) -> type[Any]:
        """The class its config is parsed into."""
        return self.instance.Config


class AgentRunnerRegistry:
    """Runners by id and alias; a runner id belongs to the distribution that first brought it."""

    def __init__(self) -> None:
        self._ready: dict[str, RegisteredRunner] = {}
        self._aliases: dict[str, str] = {}
        self._refused: list[AgentRunnerDescriptor] = []
        self._plugins: PluginHost | None = None
        self.filter_functions: FunctionSet = STANDARD
        """What the filters of bindings may call: ours, and those of packages."""

    def discover(self, plugins: PluginHost) -> None:
        """Ask each package for its filter functions and runners; one that fails harms no other."""
        self._plugins = plugins
        for info, functions in plugins.collect("register_filter_functions", function_of):
            try:
                self.filter_functions = self.filter_functions.with_more(
                    f"{info.distribution}-{info.version}", functions
                )
            except ValueError as error:
                plugins.quarantine(
                    info.name, t("hook {hook}: {reason}", hook="register_filter_functions", reason=str(error))
                )
        for info, offers in plugins.collect("register_runners", offer):
            for offered in offers:
                self.take(offered, plugin=info)

    def add(self, runner: Any, *, aliases: tuple[str, ...] = (), plugin: PluginInfo) -> None:
        """Take one runner class in, for hosts that embed us and for tests."""
        self.take(offer(runner, aliases=aliases), plugin=plugin)

    def take(self, offered: OfferedRunner, *, plugin: PluginInfo) -> None:
        """Take one runner in, or list it as quarantined with its reason."""
        manifest, instance = offered.manifest, offered.instance
        if manifest is None or instance is None:
            self._refuse(offered, plugin, offered.reason or "")
            return
        holder = self._ready.get(manifest.id)
        if holder is not None:
            held_by = holder.descriptor.plugin
            name = held_by.distribution if held_by else "-"
            self._refuse(offered, plugin, t("the id is held by {holder}", holder=name))
            return
        self._give_way(manifest.id)
        free = tuple(
            alias
            for alias in dict.fromkeys(offered.aliases)
            if alias not in self._ready and alias not in self._aliases
        )
        if taken := sorted(set(offered.aliases) - set(free)):
            log.warning("alias_taken", runner=manifest.id, aliases=taken)
        self._ready[manifest.id] = RegisteredRunner(
            descriptor=_describe(manifest, free, plugin), instance=instance, package=plugin.name
        )
        self._aliases.update(dict.fromkeys(free, manifest.id))

    def resolve(self, name: str) -> RegisteredRunner:
        """The runner with this id or alias. Raises `RunnerNotFoundError` or `RunnerUnavailableError`."""
        found = self._find(name)
        if found is not None and (reason := self._reason_of(found)) is None:
            return found
        reasons = (
            [reason]
            if found is not None
            else [each.reason for each in self._refused if name in (each.id, *each.aliases)]
        )
        if reasons:
            raise RunnerUnavailableError(
                t("runner {name!r} is quarantined: {reason}", name=name, reason=reasons[0])
            )
        near = process.extractOne(name, [*self._aliases, *self._ready], score_cutoff=60)
        remedy = (
            t("did you mean {name!r}?", name=near[0])
            if near
            else t("installed: {names}", names=", ".join(sorted(self._aliases)) or "-")
        )
        if left_out := sorted({info.distribution for info in self._unready()}):
            remedy += "; " + t("not taken in: {names} (see `lba runners list`)", names=", ".join(left_out))
        raise RunnerNotFoundError(t("no runner {name!r} is installed", name=name), remedy=remedy)

    def get(self, name: str) -> RegisteredRunner | None:
        """The usable runner with this id or alias, or None."""
        found = self._find(name)
        return found if found is not None and self._reason_of(found) is None else None

    def descriptors(self) -> tuple[AgentRunnerDescriptor, ...]:
        """Every runner, the usable ones first, then those of no use and the packages that are out."""
        ready: list[AgentRunnerDescriptor] = []
        out = [*self._refused, *(_unloaded(info) for info in self._unready())]
        for runner in self._ready.values():
            reason = self._reason_of(runner)
            if reason is None:
                ready.append(runner.descriptor)
            else:
                out.append(runner.descriptor.model_copy(update={"state": "quarantined", "reason": reason}))
        return (*sorted(ready, key=lambda item: item.id), *sorted(out, key=lambda item: item.id))

    def _find(self, name: str) -> RegisteredRunner | None:
        return self._ready.get(name) or self._ready.get(self._aliases.get(name, ""))

    def _unready(self) -> list[PluginInfo]:
        infos = self._plugins.infos if self._plugins is not None else ()
        return [info for info in infos if info.state != "ready"]

    def _reason_of(self, runner: RegisteredRunner) -> str | None:
        """Why a runner is out: its package may have failed after it was taken in."""
        info = self._plugins.find(runner.package) if self._plugins is not None else None
        return info.reason if info is not None and info.state == "quarantined" else None

    def _give_way(self, runner_id: str) -> None:
        """An alias gives way to the runner that really has the id."""
        former = self._ready.get(self._aliases.pop(runner_id, ""))
        if former is not None:
            kept = tuple(alias for alias in former.descriptor.aliases if alias != runner_id)
            self._ready[former.descriptor.id] = replace(
                former, descriptor=former.descriptor.model_copy(update={"aliases": kept})
            )

    def _refuse(self, offered: OfferedRunner, plugin: PluginInfo, reason: str) -> None:
        log.warning(
            "runner_quarantined", runner=offered.name, distribution=plugin.distribution, reason=reason
        )
        self._refused.append(
            AgentRunnerDescriptor(
                id=offered.name,
                aliases=offered.aliases,
                source="builtin" if plugin.builtin else "plugin",
                plugin=_reference(offered.name, plugin),
                state="quarantined",
                reason=reason,
            )
        )


def offer(runner: Any, *, aliases: tuple[str, ...] = ()) -> OfferedRunner:
    """What becomes of `register(runner)`, while the package's own hook is still under its deadline."""
    name = getattr(runner, "__qualname__", None) or type(runner).__name__
    stated: Any = getattr(getattr(runner, "manifest", None), "id", None)
    if isinstance(stated, str):
        name = stated
    names: tuple[str, ...] = ()
    try:
        names = _aliases(aliases)
        manifest = _declared(runner)
        return OfferedRunner(name=manifest.id, manifest=manifest, instance=runner(), aliases=names)
    except (Exception, SystemExit) as error:  # isolation boundary: one bad runner of a package is alone
        return OfferedRunner(name=str(name), aliases=names, reason=_one_line(error))


def _aliases(given: Any) -> tuple[str, ...]:
    try:
        return _NAMES.validate_python(given)
    except ValidationError:
        raise TypeError(t("aliases is a tuple of names, got {value!r}", value=given)) from None


def _declared(runner: Any) -> AgentRunnerManifest:
    if not (isinstance(runner, type) and issubclass(runner, AgentRunner)):
        raise TypeError(t("{runner!r} is not a subclass of AgentRunner", runner=runner))
    manifest = AgentRunnerManifest.model_validate(runner.declare().model_dump())
    schema = thaw(manifest.config_schema)
    if foreign := sorted(reference for reference in _references(schema) if not reference.startswith("#")):
        raise ValueError(t("config_schema refers to {place!r}, outside of itself", place=foreign[0]))
    Draft202012Validator.check_schema(schema)
    return manifest


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for item in schema.values():
            yield from _references(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


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


def _one_line(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        return f"manifest.{place}: {message}" if place else message
    if isinstance(error, SchemaError):
        return f"config_schema: {error.json_path}: {error.message}"[:400]
    if isinstance(error, ValueError | TypeError):
        return " ".join(str(error).split())[:400] or type(error).__name__
    return describe(error)
