"""The root document `langbot-agents.yaml`."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_core import PydanticCustomError

from .base import Document, JsonData, JsonObject, Name
from .bindings import API_VERSION, ApiVersion
from .units import Duration, Size, check_zone


class StorageSettings(Document):
    """Where the records lie."""

    url: str = Field(
        default="sqlite:///data/langbot-agents.db",
        description="SQLite or PostgreSQL URL; a relative path starts at the root document's folder.",
    )


class ArtifactSettings(Document):
    """Where files lie."""

    path: str = Field(
        default="data/artifacts",
        description="Directory; a relative path starts at the root document's folder.",
    )


class ServerSettings(Document):
    """The HTTP server."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8620, ge=0, le=65535, description="Port; 0 takes a free one.")
    max_body_bytes: Size = Field(default=4 * 1024**2, gt=0, description="Largest request body.")
    body_timeout: Duration = Field(
        default=60, gt=0, description="Time in which the whole body of a request must have come."
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=("localhost", "127.0.0.1", "[::1]"), description="Host headers that are answered; `*` is all."
    )
    allowed_origins: tuple[str, ...] = Field(default=(), description="Origins besides the server's own.")


class SecretSettings(Document):
    """Where `${env:…}` and `${file:…}` may look."""

    directory: str = Field(default="secrets", description="Folder of `${file:…}` secrets.")
    env: tuple[str, ...] | None = Field(
        default=None,
        description="Environment names that may be read, with `*`; default all for one workspace, else none.",
    )


class ModelSettings(Document):
    """A model that bindings may name."""

    name: Name = Field(description="Name that bindings use.")
    provider: str = Field(default="openai", description="Provider that a plugin registered.")
    model: str = Field(description="The provider's own name of the model.")
    base_url: str | None = Field(default=None, description="Endpoint, where it is not the provider's own.")
    api_key: SecretStr | None = Field(default=None, description="Key; write `${env:NAME}`.")
    extra: JsonObject = Field(
        default={}, validate_default=True, description="Arguments given along with each call."
    )

    @field_validator("base_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://", "${")):
            raise PydanticCustomError("url_parsing", "Input should be an http or https URL")
        return value


class NamedSettings(Document):
    """Something that a plugin provides, with settings of its own."""

    name: Name = Field(description="Name that bindings use.")
    type: str = Field(description="What a plugin registered it as.")
    config: JsonObject = Field(default={}, validate_default=True, description="Its settings.")


class PlatformSettings(NamedSettings):
    """A platform adapter; its name is the event's `source.name`."""

    workspace_id: Name = Field(default="default", description="Workspace of its events.")
    bot_id: str | None = Field(default=None, description="Bot of its events.")


class ScheduleSettings(Document):
    """A timer that makes `schedule.triggered` events."""

    name: Name = Field(description="Name; the event's `source.name`.")
    cron: str = Field(description="Cron expression.")
    timezone: str | None = Field(default=None, description="IANA zone; default the root timezone.")
    workspace_id: Name = Field(default="default", description="Workspace of its events.")
    data: JsonData = Field(default=None, description="Payload, the event's `input.data`.")


class PluginSettings(Document):
    """Which installed packages are used."""

    in_process: tuple[str, ...] = Field(
        default=(),
        description="Distributions that are imported into the host; only those whose code you trust.",
    )
    disabled: tuple[str, ...] = Field(default=(), description="Distributions that are left out.")
    hook_deadline: Duration = Field(default=10.0, gt=0, description="Longest time one hook may take.")


class HostLimits(Document):
    """Bounds of the whole host."""

    concurrency: int = Field(default=200, ge=1, description="Most runs at once.")
    max_pending: int = Field(
        default=10_000, ge=1, description="Most events that wait; more are refused with 429."
    )
    shutdown_grace: Duration = Field(default=10.0, description="How long a stop waits for runs to end.")


class RetentionSettings(Document):
    """How long records stay, by class."""

    events: Duration | None = Field(
        default=None, description="Events, decisions and dispatches; default for ever."
    )
    runs: Duration | None = Field(default=None, description="Runs and their results; default for ever.")
    raw: Duration | None = Field(default=None, description="Raw payloads; default for ever.")
    artifacts: Duration | None = Field(default=None, description="Artifacts; default for ever.")


class TelemetrySettings(Document):
    """Logs, metrics and traces."""

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least level that is logged."
    )
    log_format: Literal["auto", "console", "json"] = Field(
        default="auto", description="`auto`: readable on a terminal, JSON elsewhere."
    )


class Host(Document):
    """The root document: where bindings and records lie, and what the host offers."""

    apiVersion: ApiVersion = Field(default=API_VERSION, description="`langbot-agents/v1`.")
    kind: Literal["Host"] = Field(default="Host", description="`Host`.")
    bindings: tuple[str, ...] = Field(
        default=("bindings/**/*.yaml",),
        description="Globs of binding files, from the root document's folder.",
    )
    storage: StorageSettings = Field(default=StorageSettings(), description="Records.")
    artifacts: ArtifactSettings = Field(default=ArtifactSettings(), description="Files.")
    server: ServerSettings = Field(default=ServerSettings(), description="HTTP server.")
    secrets: SecretSettings = Field(default=SecretSettings(), description="Secret references.")
    timezone: str = Field(default="UTC", description="IANA zone of hours and timers.")
    locale: str = Field(default="en_US", description="Language of our own texts where nothing else says one.")
    models: tuple[ModelSettings, ...] = Field(default=(), description="Models.")
    tools: tuple[NamedSettings, ...] = Field(default=(), description="Tools.")
    mcp_servers: tuple[NamedSettings, ...] = Field(default=(), description="MCP servers.")
    knowledge_bases: tuple[NamedSettings, ...] = Field(default=(), description="Knowledge bases.")
    platforms: tuple[PlatformSettings, ...] = Field(default=(), description="Platform adapters.")
    schedules: tuple[ScheduleSettings, ...] = Field(default=(), description="Timers.")
    plugins: PluginSettings = Field(default=PluginSettings(), description="Packages.")
    limits: HostLimits = Field(default=HostLimits(), description="Bounds of the host.")
    retention: RetentionSettings = Field(default=RetentionSettings(), description="How long records stay.")
    legacy: JsonObject = Field(
        default={}, validate_default=True, description="LangBot Pipelines that become bindings."
    )
    telemetry: TelemetrySettings = Field(default=TelemetrySettings(), description="Logs, metrics, traces.")

    @field_validator("timezone")
    @classmethod
    def _check_timezone(cls, value: str) -> str:
        return check_zone(value)

    @model_validator(mode="after")
    def _unique_names(self) -> "Host":
        for key in ("models", "tools", "mcp_servers", "knowledge_bases", "platforms", "schedules"):
            names = [item.name for item in getattr(self, key)]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{key}: name {twice[0]!r} is given twice")
        return self
