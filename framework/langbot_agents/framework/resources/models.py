"""The models of a host: declared once in the root document, reached by name, each through its provider."""

from collections.abc import Mapping, Sequence

import anyio

from langbot_agents.schemas.host import ModelSettings
from langbot_agents.sdk.models import ModelEndpoint, ModelProvider, ProviderFactory

from ..documents import SecretResolver
from ..errors import LangbotAgentsError, NotFoundError
from ..plugins import PluginHost
from ..telemetry import get_logger
from ..texts import t

log = get_logger(__name__)
CLOSE_DEADLINE = 5.0


class ModelError(LangbotAgentsError):
    """A declared model cannot be used."""

    code = "model.unusable"


class ModelRegistry:
    """Declared models by name; a provider is made at its first use, with its secrets resolved then."""

    def __init__(self, settings: Sequence[ModelSettings], secrets: SecretResolver) -> None:
        self._settings: Mapping[str, ModelSettings] = {item.name: item for item in settings}
        self._secrets = secrets
        self._factories: dict[str, ProviderFactory] = {}
        self._made: dict[str, ModelProvider] = {}

    def discover(self, plugins: PluginHost) -> None:
        """Ask each package for its providers; the first to offer a name keeps it."""
        for info, offers in plugins.collect("register_model_providers", _offer):
            for name, factory in offers:
                if name in self._factories:
                    log.warning("provider_taken", provider=name, distribution=info.distribution)
                else:
                    self._factories[name] = factory

    @property
    def names(self) -> tuple[str, ...]:
        """The names that bindings may use."""
        return tuple(self._settings)

    @property
    def providers(self) -> tuple[str, ...]:
        """The kinds of provider that packages offer."""
        return tuple(sorted(self._factories))

    def get(self, name: str) -> ModelProvider:
        """The provider of a declared model. Raises `NotFoundError`, `ModelError` or `SecretError`."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    async def aclose(self) -> None:
        """Close every provider that was made."""
        made, self._made = self._made, {}
        for name, provider in made.items():
            try:
                with anyio.fail_after(CLOSE_DEADLINE):
                    await provider.aclose()
            except Exception as error:  # isolation boundary: a provider may be anybody's package
                log.warning("provider_not_closed", model=name, error=str(error))

    def _make(self, name: str) -> ModelProvider:
        settings = self._settings.get(name)
        if settings is None:
            listed = ", ".join(self.names) or "-"
            raise NotFoundError(
                t("no model {name!r} is declared", name=name),
                remedy=t("declare it under `models` in langbot-agents.yaml; declared: {names}", names=listed),
            )
        factory = self._factories.get(settings.provider)
        if factory is None:
            raise ModelError(
                t(
                    "model {name!r}: no provider {provider!r} is installed",
                    name=name,
                    provider=settings.provider,
                ),
                remedy=t("installed: {names}", names=", ".join(self.providers) or "-"),
            )
        key = settings.api_key.get_secret_value() if settings.api_key is not None else None
        resolved = self._secrets.resolve(
            {"api_key": key, "base_url": settings.base_url, "extra": settings.extra}
        )
        if isinstance(resolved["api_key"], str):
            self._secrets.masker.add(resolved["api_key"])
        return factory(
            ModelEndpoint(
                name=name,
                model=settings.model,
                base_url=resolved["base_url"],
                api_key=resolved["api_key"],
                extra=resolved["extra"],
            )
        )


def _offer(name: str, factory: ProviderFactory) -> tuple[str, ProviderFactory]:
    return name, factory
