"""A project on disk: its root document, its bindings, the packages they use, and every finding about them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langbot_agents.schemas import __version__
from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.host import Host, SecretSettings

from .bindings import BindingSet, check_bindings, secret_references
from .documents import (
    Finding,
    LoadedDocument,
    SecretResolver,
    by_place,
    find_references,
    load_bindings,
    load_file,
)
from .errors import SettingsError
from .plugins import OWN_DISTRIBUTION, PluginHost
from .registry import AgentRunnerRegistry
from .resources import ModelRegistry
from .resources import plugin as model_providers
from .settings import HostSettings, with_environment
from .texts import t

ROOT_NAME = "langbot-agents.yaml"


@dataclass(frozen=True, kw_only=True)
class Project:
    """Everything that a host or a command reads before it does its work."""

    root: Path
    settings: HostSettings
    plugins: PluginHost
    registry: AgentRunnerRegistry
    models: ModelRegistry
    bindings: BindingSet
    secrets: SecretResolver
    findings: tuple[Finding, ...]
    documents: int
    files: int

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
    written = document.source if list(settings.bindings) == document.source.data.get("bindings") else None
    files = load_bindings(root, settings.bindings, host=written, event_types=_event_types())
    checked = check_bindings(
        files,
        registry,
        timezone=settings.timezone,
        models=tuple(item.name for item in settings.models),
    )
    resolver = SecretResolver(
        root, _secret_settings(settings, checked.set), os.environ if environ is None else environ
    )
    models = ModelRegistry(settings.models, resolver)
    models.discover(packages)
    findings = [*document.findings, *checked.findings, *_missing(resolver, document, checked.set)]
    return Project(
        root=root,
        settings=settings,
        plugins=packages,
        registry=registry,
        models=models,
        bindings=checked.set,
        secrets=resolver,
        findings=by_place(findings),
        documents=checked.documents,
        files=len(files.files),
    )


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


def _missing(resolver: SecretResolver, document: LoadedDocument, bindings: BindingSet) -> list[Finding]:
    """Missing secrets, all at once, each at the binding that needs it; they take out only what uses them."""
    findings = [
        Finding(
            code="LBA162",
            severity="warning",
            file=entry.file,
            line=entry.line,
            message=t(
                "binding {name!r} needs {reference}: {reason}",
                name=entry.binding_id,
                reference=str(missing.reference),
                reason=missing.reason,
            ),
            remedy=t("runs of this binding fail with `secret` until it is there; the others work"),
        )
        for entry in bindings.live
        for missing in resolver.missing(secret_references([entry]))
    ]
    findings += [
        Finding(
            code="LBA162",
            severity="warning",
            file=document.file,
            line=document.line,
            message=t(
                "the root document needs {reference}: {reason}",
                reference=str(missing.reference),
                reason=missing.reason,
            ),
            remedy=t("only what uses it is out of order"),
        )
        for missing in resolver.missing(reference for _, reference in find_references(document.source.data))
    ]
    return findings
