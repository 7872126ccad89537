"""The class a runner author writes."""

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.results import AgentRunResult
from langbot_agents.schemas.runners import AgentRunnerCapabilities, AgentRunnerManifest

from .context import AgentRunContext
from .forms import schema_from_form


class AnyConfig(BaseModel):
    """The config of a runner that declares none: every key is kept."""

    model_config = ConfigDict(extra="allow", frozen=True)


class AgentRunner:
    """A stateless executor: one instance serves all runs, and what must last goes through `ctx.api`."""

    __kind__: ClassVar[str] = "AgentRunner"
    __protocol_version__: ClassVar[str] = "1"
    manifest: ClassVar[AgentRunnerManifest]
    Config: ClassVar[type[BaseModel]] = AnyConfig

    def run(self, ctx: AgentRunContext[Any]) -> AsyncGenerator[AgentRunResult, None]:
        """Answer one event; write it as `async def` with `yield`."""
        raise NotImplementedError(f"{type(self).__name__}.run is not written")

    @classmethod
    def get_capabilities(cls) -> AgentRunnerCapabilities:
        """What the runner can do; the seed's form of `manifest.capabilities`."""
        return cls.manifest.capabilities

    @classmethod
    def get_config_schema(cls) -> dict[str, Any] | list[dict[str, Any]]:
        """JSON Schema of the config, or a LangBot form list; default made from `Config`."""
        if cls.Config is AnyConfig:
            return dict(cls.manifest.config_schema)
        return cls.Config.model_json_schema(by_alias=True)

    @classmethod
    def declare(cls) -> AgentRunnerManifest:
        """The whole manifest, from either form of declaration. Raises `ValueError` if it is unusable."""
        if getattr(cls, "manifest", None) is None:
            raise ValueError(f"{cls.__qualname__} has no `manifest`; set it to an AgentRunnerManifest")
        if cls.__kind__ != "AgentRunner":
            raise ValueError(f"{cls.__qualname__}.__kind__ is {cls.__kind__!r}; it must be 'AgentRunner'")
        if cls.__protocol_version__ != "1":
            raise ValueError(
                f"protocol version {cls.__protocol_version__!r} is not spoken here; this host speaks '1'"
            )
        schema = cls.get_config_schema()
        return cls.manifest.model_copy(
            update={
                "capabilities": AgentRunnerCapabilities.model_validate(cls.get_capabilities()),
                "config_schema": freeze(schema_from_form(schema) if isinstance(schema, list) else schema),
            }
        )
