"""What a runner says of itself, and what the host makes of it."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints, field_validator

from .base import JsonObject, Model
from .text import I18nText

RUNNER_ID_PATTERN = (
    r"^plugin:[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$"
)
RunnerId = Annotated[str, StringConstraints(pattern=RUNNER_ID_PATTERN, max_length=128)]
"""`plugin:author/name/runner`."""

PROTOCOL_VERSION = "1"

SELECTOR_TYPES = (
    "llm-model-selector",
    "model-fallback-selector",
    "rerank-model-selector",
    "embedding-model-selector",
    "knowledge-base-multi-selector",
    "tool-multi-selector",
    "file-selector",
    "secret",
    "prompt-editor",
)
"""What `x-selector` may say of a config field: a person names a resource there."""


class _Declaration(Model):
    model_config = ConfigDict(extra="forbid")


class AgentRunnerCapabilities(_Declaration):
    """What a runner can do; all false by default."""

    streaming: bool = Field(default=False, description="Gives its answer in pieces.")
    tool_calling: bool = Field(default=False, description="Calls tools.")
    knowledge_retrieval: bool = Field(default=False, description="Looks things up in knowledge bases.")
    multimodal_input: bool = Field(default=False, description="Understands images and files.")
    event_context: bool = Field(default=False, description="Understands events that are not messages.")
    platform_api: bool = Field(default=False, description="Asks for actions on the platform.")
    interrupt: bool = Field(default=False, description="Ends well when it is cancelled.")
    stateful_session: bool = Field(default=False, description="Keeps a conversation at a service.")
    steering: bool = Field(default=False, description="Takes messages while it runs.")
    interactions: bool = Field(default=False, description="Shows forms.")
    self_managed_context: bool = Field(default=False, description="Keeps its own history; is given none.")


class AgentRunnerPermissions(_Declaration):
    """What a runner asks for, as verbs by resource."""

    models: tuple[Literal["invoke", "stream", "embed", "rerank", "count_tokens"], ...] = Field(
        default=(), description="Verbs on models."
    )
    tools: tuple[Literal["detail", "call"], ...] = Field(default=(), description="Verbs on tools.")
    knowledge_bases: tuple[Literal["list", "retrieve"], ...] = Field(
        default=(), description="Verbs on knowledge bases."
    )
    history: tuple[Literal["page", "search"], ...] = Field(default=(), description="Verbs on history.")
    events: tuple[Literal["get", "page"], ...] = Field(default=(), description="Verbs on events.")
    state: tuple[Literal["get", "set", "list"], ...] = Field(default=(), description="Verbs on state.")
    storage: tuple[Literal["plugin", "workspace"], ...] = Field(default=(), description="Kinds of storage.")
    files: tuple[Literal["config", "knowledge"], ...] = Field(default=(), description="Kinds of files.")
    artifacts: tuple[Literal["read", "create"], ...] = Field(default=(), description="Verbs on artifacts.")
    steering: tuple[Literal["pull"], ...] = Field(default=(), description="Verbs on steering.")
    prompt: tuple[Literal["get"], ...] = Field(default=(), description="Verbs on the prompt.")
    interactions: tuple[Literal["request"], ...] = Field(default=(), description="Verbs on interactions.")
    platform_api: tuple[str, ...] = Field(default=(), description="Names of platform actions.")


class AgentContextRequest(Model):
    """How a runner wants its history."""

    strategy: Literal["window", "summary", "external", "none"] = Field(
        default="window", description="Kind of packaging."
    )
    token_budget: int | None = Field(default=None, ge=1, description="Most tokens.")
    rounds: int | None = Field(default=None, ge=0, description="Most user turns.")


class AgentRunnerManifest(Model):
    """What a runner declares."""

    id: RunnerId = Field(description="`plugin:author/name/runner`.")
    label: I18nText = Field(default="", description="Name to show.")
    description: I18nText | None = Field(default=None, description="What it is for.")
    config_schema: JsonObject = Field(
        default={"type": "object"}, validate_default=True, description="JSON Schema of `runner_config`."
    )
    config_version: str = Field(default="1", description="Version of the config schema.")
    capabilities: AgentRunnerCapabilities = Field(
        default=AgentRunnerCapabilities(), description="What it can do."
    )
    permissions: AgentRunnerPermissions = Field(
        default=AgentRunnerPermissions(), description="What it asks for."
    )
    protocol_version: str = Field(default=PROTOCOL_VERSION, description="Version of the run protocol; `1`.")
    context_request: AgentContextRequest | None = Field(default=None, description="How it wants its history.")

    @field_validator("protocol_version")
    @classmethod
    def _known_protocol(cls, value: str) -> str:
        if value != PROTOCOL_VERSION:
            raise ValueError(
                f"protocol version {value!r} is not spoken here; this host speaks {PROTOCOL_VERSION!r}"
            )
        return value


class PluginRef(Model):
    """The package that brought a runner."""

    author: str = Field(description="Author, first part of the id.")
    name: str = Field(description="Plugin, second part of the id.")
    distribution: str = Field(description="Installed distribution.")
    version: str = Field(description="Its version.")


class AgentRunnerDescriptor(Model):
    """A runner as the host knows it."""

    id: str = Field(description="`plugin:author/name/runner`.")
    aliases: tuple[str, ...] = Field(default=(), description="Other names that bindings may use.")
    source: Literal["builtin", "plugin"] = Field(description="Whether it ships with the host.")
    label: I18nText = Field(default="", description="Name to show.")
    description: I18nText | None = Field(default=None, description="What it is for.")
    config_schema: JsonObject = Field(
        default={"type": "object"}, validate_default=True, description="JSON Schema of `runner_config`."
    )
    config_version: str = Field(default="1", description="Version of the config schema.")
    capabilities: AgentRunnerCapabilities = Field(
        default=AgentRunnerCapabilities(), description="What it can do."
    )
    permissions: AgentRunnerPermissions = Field(
        default=AgentRunnerPermissions(), description="What it asks for."
    )
    context_request: AgentContextRequest | None = Field(default=None, description="How it wants its history.")
    plugin: PluginRef | None = Field(default=None, description="The package.")
    protocol_version: str = Field(default=PROTOCOL_VERSION, description="Version of the run protocol.")
    state: Literal["ready", "quarantined"] = Field(default="ready", description="Whether it can be used.")
    reason: str | None = Field(default=None, description="Why it cannot.")
