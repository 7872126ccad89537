"""A project on disk: its root document, its bindings, the packages they use, and every finding about them."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langbot_agents.schemas import __version__
from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.host import Host, SecretSettings

from .bindings import (
    BindingEntry,
    BindingSet,
    CheckedBindings,
    Incumbents,
    Quarantined,
    check_bindings,
    settle,
)
from .documents import (
    BindingFiles,
    Finding,
    LoadedDocument,
    MissingSecret,
    Reference,
    SecretResolver,
    by_place,
    check_literal_secrets,
    find_references,
    load_bindings,
    load_file,
)
from .documents import Path as DocumentPath
from .errors import SettingsError
from .platforms import HTTP_SURFACE, TERMINAL_SURFACE
from .plugins import OWN_DISTRIBUTION, PluginHost
from .registry import AgentRunnerRegistry
from .resources import ModelRegistry
from .resources import plugin as model_providers
from .settings import HostSettings, with_environment
from .texts import t

ROOT_NAME = "langbot-agents.yaml"


MANY = 4
"""Where more than this part of a set changed it is made anew."""

LIVE_KEYS = frozenset({"bindings", "locale", "models", "secrets", "timezone"})
"""Keys of the root document that take effect in a host that runs; any other waits for its restart."""


@dataclass(frozen=True, kw_only=True)
class RootDocument:
    """The root document as it was read, with the environment over it."""

    file: Path
    """As it was named, so that a link is followed anew each time."""
    stated: HostSettings = field(repr=False)
    """Before a command's options are laid over it."""
    document: LoadedDocument = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class LoadedBindings:
    """What the binding files gave, before anything that was live is considered."""

    files: BindingFiles
    checked: CheckedBindings


@dataclass(frozen=True, kw_only=True)
class Project:
    """Everything that a host or a command reads before it does its work."""

    root: Path
    root_document: RootDocument
    loaded: LoadedBindings = field(repr=False)
    settings: HostSettings
    plugins: PluginHost
    registry: AgentRunnerRegistry
    models: ModelRegistry
    bindings: BindingSet
    secrets: SecretResolver
    findings: tuple[Finding, ...]
    documents: int
    files: int
    environ: Mapping[str, str] = field(repr=False)
    stale: Mapping[str, Quarantined] = field(default_factory=dict)
    """By id, why the newest document of a binding is not live; its last good revision is."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that keep something out."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


def find_root(path: Path | None) -> Path:
    """The root document: a file, or the one in a folder, by default here. Raises `SettingsError`."""
    start = path if path is not None else Path(os.environ.get("LANGBOT_AGENTS_CONFIG", "."))
    found = start / ROOT_NAME if start.is_dir() else start
    if not found.is_file():
        raise SettingsError(
            t("{path}: there is no such root document", path=str(found)),
            remedy=t("`lba init` makes a project; `--config PATH` names another root document"),
        )
    return found


def load_project(
    path: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    plugins: Mapping[str, object] | None = None,
) -> Project:
    """Load a project as `serve` does; `plugins` are those of a program that embeds the host, by name.

    Raises `SettingsError` if the root document cannot be used.
    """
    file = find_root(path)
    root = file.resolve().parent
    settings, document = _settings(file)
    packages = PluginHost(settings.plugins)
    packages.discover()
    packages.add("models", model_providers, distribution=OWN_DISTRIBUTION, version=__version__)
    for name, plugin in (plugins or {}).items():
        packages.add(name, plugin)
    registry = AgentRunnerRegistry()
    registry.discover(packages)
    loaded = _load(root, settings, document, registry)
    bindings = loaded.checked.set
    environment = os.environ if environ is None else environ
    resolver = SecretResolver(root, _secret_settings(settings, bindings), environment)
    return Project(
        root=root,
        root_document=RootDocument(file=file, stated=settings, document=document),
        loaded=loaded,
        settings=settings,
        plugins=packages,
        registry=registry,
        models=_models(settings, resolver, packages),
        bindings=bindings,
        secrets=resolver,
        findings=_findings(loaded, document, bindings, resolver),
        documents=loaded.checked.documents,
        files=len(loaded.files.files),
        environ=environment,
    )


def read_root(project: Project) -> RootDocument:
    """The root document as it lies on disk now. Raises `SettingsError`."""
    file = project.root_document.file
    settings, document = _settings(file)
    return RootDocument(file=file, stated=settings, document=document)


def changed_keys(old: RootDocument, new: RootDocument) -> tuple[str, ...]:
    """The keys of the root document whose values differ."""
    return tuple(name for name in Host.model_fields if getattr(old.stated, name) != getattr(new.stated, name))


def load_again(
    project: Project, root_document: RootDocument, before: Incumbents, *, remake: bool = False
) -> Project:
    """Load the bindings of a running host anew, with the packages that it has.

    Of `root_document` the `LIVE_KEYS` are taken. What was live `before` settles errors and clashes. With
    `remake` models are made anew also where nothing about them changed.
    """
    stated = root_document.stated
    settings = project.settings.model_copy(update={name: getattr(stated, name) for name in LIVE_KEYS})
    loaded = _load(project.root, settings, root_document.document, project.registry, previous=project.loaded)
    settled = settle(loaded.checked, loaded.files, before, project.registry)
    secrets, models = project.secrets, project.models
    old = _secret_settings(project.settings, project.bindings)
    new = _secret_settings(settings, settled.set)
    if remake or new != old:
        secrets = SecretResolver(project.root, new, project.environ, masker=secrets.masker)
    if secrets is not project.secrets or settings.models != project.settings.models:
        models = _models(settings, secrets, project.plugins)
    return replace(
        project,
        root_document=root_document,
        loaded=loaded,
        settings=settings,
        models=models,
        bindings=_carried(project.bindings, settled.set),
        secrets=secrets,
        findings=_findings(loaded, root_document.document, settled.set, secrets),
        documents=loaded.checked.documents,
        files=len(loaded.files.files),
        stale=settled.stale,
    )


def _carried(old: BindingSet, new: BindingSet) -> BindingSet:
    """The new set as a change of the old one, whose index it shares; ready to decide by."""
    left = [entry.binding_id for entry in old.entries if new.get(entry.binding_id) is None]
    come = [entry for entry in new.entries if not _is_same(old.get(entry.binding_id), entry)]
    if not left and not come and (old.timezone, old.quarantined) == (new.timezone, new.quarantined):
        return old
    made = new
    if old.timezone == new.timezone and MANY * (len(left) + len(come)) < len(new):
        made = old.changed(come, left, quarantined=new.quarantined)
    # worked out here, in the thread that loads, and not at the next decision
    _ = made.index, made.digest
    return made


def _is_same(old: BindingEntry | None, new: BindingEntry) -> bool:
    return old is not None and (old.revision, old.origin, old.runner) == (
        new.revision,
        new.origin,
        new.runner,
    )


def with_last_good(project: Project, before: Incumbents) -> Project:
    """The project with what was live `before` in place of what has an error or clashes."""
    if project.loaded.checked.set is not project.bindings:  # somebody has put another set in its place
        return project
    settled = settle(project.loaded.checked, project.loaded.files, before, project.registry)
    return replace(project, bindings=settled.set, stale=settled.stale)


def _load(
    root: Path,
    settings: HostSettings,
    document: LoadedDocument,
    registry: AgentRunnerRegistry,
    *,
    previous: LoadedBindings | None = None,
) -> LoadedBindings:
    written = document.source if list(settings.bindings) == document.source.data.get("bindings") else None
    files = load_bindings(
        root,
        settings.bindings,
        host=written,
        event_types=_event_types(),
        previous=None if previous is None else previous.files,
    )
    checked = check_bindings(
        files,
        registry,
        timezone=settings.timezone,
        models=tuple(item.name for item in settings.models),
        names=declared_names(settings),
        previous=None if previous is None else previous.checked,
    )
    return LoadedBindings(files=files, checked=checked)


def declared_names(settings: HostSettings) -> dict[str, tuple[str, ...]]:
    """The names that bindings may use; no tools where MCP servers are, since they bring their own."""
    surfaces = (HTTP_SURFACE, TERMINAL_SURFACE, *(item.name for item in settings.platforms))
    names = {"surfaces": surfaces, "knowledge_bases": tuple(item.name for item in settings.knowledge_bases)}
    if not settings.mcp_servers:
        names["tools"] = tuple(item.name for item in settings.tools)
    return names


def _models(settings: HostSettings, secrets: SecretResolver, packages: PluginHost) -> ModelRegistry:
    models = ModelRegistry(settings.models, secrets)
    models.discover(packages)
    return models


def _findings(
    loaded: LoadedBindings, document: LoadedDocument, bindings: BindingSet, secrets: SecretResolver
) -> tuple[Finding, ...]:
    missing = _missing(secrets, document, loaded.files, bindings)
    plain = check_literal_secrets(document.source)
    return by_place([*document.findings, *plain, *loaded.checked.findings, *missing])


def _settings(file: Path) -> tuple[HostSettings, LoadedDocument]:
    loaded = load_file(file, shown=_shown(file))
    hosts = [document for document in loaded.documents if isinstance(document.model, Host)]
    errors = [finding for finding in loaded.findings if finding.severity == "error"]
    if errors:
        raise SettingsError(t("the root document cannot be used"), details=errors)
    if len(hosts) != 1:
        raise SettingsError(
            t(
                "{path}: one document of kind Host is needed, found {count}",
                path=_shown(file),
                count=len(hosts),
            )
        )
    data: Mapping[str, Any] = hosts[0].source.data
    return with_environment(data), hosts[0]


def _secret_settings(settings: HostSettings, bindings: BindingSet) -> SecretSettings:
    """Where nothing says which environment names may be read: all for one workspace, none for more."""
    if settings.secrets.env is not None:
        return settings.secrets
    named = {item.workspace_id for item in settings.platforms}
    named |= {item.workspace_id for item in settings.schedules}
    for entry in bindings.entries:
        stated = entry.document.scope.workspace_id or "default"
        named |= {stated} if isinstance(stated, str) else set(stated)
    several = len(named) > 1 or any("*" in name for name in named)
    return settings.secrets.model_copy(update={"env": ()}) if several else settings.secrets


def _shown(file: Path) -> str:
    try:
        return file.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return file.as_posix()


def _event_types() -> tuple[str, ...]:
    return tuple(name for contract in standard_types() for name in (contract.name, *contract.aliases))


def _missing(
    resolver: SecretResolver, document: LoadedDocument, files: BindingFiles, bindings: BindingSet
) -> list[Finding]:
    """Missing secrets, all at once, each where it is asked for; they take out only what uses them."""
    findings = []
    written: dict[tuple[str, int, str | None], LoadedDocument] | None = None
    for entry in bindings.live:
        references = find_references(entry.document.runner_config)
        for path, missing in _unresolved(resolver, references):
            if written is None:
                written = {(item.file, item.line, item.digest): item for item in files.bindings}
            origin = written.get((entry.file, entry.line, entry.revision))
            message = t(
                "binding {name!r} needs {reference}: {reason}",
                name=entry.binding_id,
                reference=str(missing.reference),
                reason=missing.reason,
            )
            remedy = t("runs of this binding fail with `secret` until it is there; the others work")
            if origin is not None:
                place = ("runner_config", *path)
                findings.append(
                    origin.source.finding("LBA162", place, message, remedy=remedy, severity="warning")
                )
            else:  # the last good revision runs, of which there is no file
                findings.append(
                    Finding(
                        code="LBA162",
                        severity="warning",
                        file=entry.file,
                        line=entry.line,
                        message=message,
                        remedy=remedy,
                    )
                )
    findings += [
        document.source.finding(
            "LBA162",
            path,
            t(
                "the root document needs {reference}: {reason}",
                reference=str(missing.reference),
                reason=missing.reason,
            ),
            remedy=t("only what uses it is out of order"),
            severity="warning",
        )
        for path, missing in _unresolved(resolver, find_references(document.source.data))
    ]
    return findings


def _unresolved(
    resolver: SecretResolver, references: Iterable[tuple[DocumentPath, Reference]]
) -> Iterator[tuple[DocumentPath, MissingSecret]]:
    """Those that lead nowhere, each once, at the first place where it stands."""
    places: dict[Reference, DocumentPath] = {}
    for path, reference in references:
        places.setdefault(reference, path)
    for missing in resolver.missing(places):
        yield places[missing.reference], missing
