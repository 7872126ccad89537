"""The root document as this process uses it: the file's values, overridden by the environment."""

import os
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError
from rapidfuzz import process

from langbot_agents.schemas.host import Host

from .errors import SettingsError as HostSettingsError
from .texts import t

ENV_PREFIX = "LANGBOT_AGENTS__"


class HostSettings(Host, BaseSettings):
    """`Host`, where `LANGBOT_AGENTS__SERVER__PORT=9000` overrides `server.port` of the file."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", case_sensitive=False
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file; nothing else is read."""
        return env_settings, init_settings


def with_environment(document: Mapping[str, Any]) -> HostSettings:
    """Lay the environment over a root document's data. Raises `SettingsError` that names the variable."""
    _check_names()
    try:
        return HostSettings(**document)
    except SettingsError as error:
        raise HostSettingsError(
            t("environment: {cause}", cause=str(error)), remedy=t("write lists and objects as JSON")
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = [str(part) for part in first["loc"]]
        name = ENV_PREFIX + "__".join(path).upper()
        place = name if name in {key.upper() for key in os.environ} else ".".join(path)
        raise HostSettingsError(
            t("{place}: {cause}, got {value!r}", place=place, cause=first["msg"], value=first["input"])
        ) from None


def _check_names() -> None:
    known = {name.upper() for name in Host.model_fields}
    for variable in os.environ:
        if not variable.upper().startswith(ENV_PREFIX):
            continue
        key = variable.upper()[len(ENV_PREFIX) :].split("__", 1)[0]
        if key not in known:
            near = process.extractOne(key, sorted(known), score_cutoff=60)
            raise HostSettingsError(
                t("environment: {name} names no setting", name=variable),
                remedy=t("did you mean {name!r}?", name=ENV_PREFIX + near[0]) if near else None,
            )
