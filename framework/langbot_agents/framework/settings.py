"""The root document as this process uses it: the file's values, overridden by the environment."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
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
            t("{place}: {cause}", place=_unreadable() or t("environment"), cause=t("it is not JSON")),
            remedy=t("write lists and objects as JSON, for example {example}", example='["a", "b"]'),
            details=[str(error)],
        ) from None
    except ValidationError as error:
        raise _refused(error.errors(include_url=False)[0]) from None


def _variables() -> list[str]:
    return sorted(name for name in os.environ if name.upper().startswith(ENV_PREFIX))


def _check_names() -> None:
    known = {name.upper() for name in Host.model_fields}
    for variable in _variables():
        key, *rest = variable.upper().removeprefix(ENV_PREFIX).split("__")
        if key not in known:
            near = process.extractOne(key, sorted(known), score_cutoff=60)
            meant = ENV_PREFIX + "__".join([near[0], *rest]) if near else None
            raise HostSettingsError(
                t("environment: {name} names no setting", name=variable),
                remedy=t("did you mean {name!r}?", name=meant) if meant else None,
            )


def _unreadable() -> str | None:
    """The variable whose value cannot be read: the one that fails on its own."""
    for variable in _variables():
        source = EnvSettingsSource(HostSettings)
        source.env_vars = {variable.lower(): os.environ[variable]}
        try:
            source()
        except SettingsError:
            return variable
    return None


def _refused(error: ErrorDetails) -> HostSettingsError:
    path = error["loc"]
    variable, rest = _variable_of(path)
    inside = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest).removeprefix(".")
    place = ": ".join(part for part in (variable or t("environment"), inside) if part)
    cause = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        near = process.extractOne(str(path[-1]), _names_at(path[:-1]), score_cutoff=60)
        meant = near[0] if near else ""
        if near and variable is not None and not rest:
            meant = ENV_PREFIX + "__".join([*map(str, path[:-1]), near[0]]).upper()
        return HostSettingsError(
            t("{place}: there is no such setting", place=place),
            remedy=t("did you mean {name!r}?", name=meant) if near else None,
        )
    value = error["input"]
    if isinstance(value, str | int | float) and not any(_is_secret(part) for part in path):
        return HostSettingsError(t("{place}: {cause}, got {value!r}", place=place, cause=cause, value=value))
    return HostSettingsError(t("{place}: {cause}", place=place, cause=cause))


def _variable_of(path: Sequence[str | int]) -> tuple[str | None, Sequence[str | int]]:
    """The variable that gave the value at a path, and where in its value that is."""
    for length in range(len(path), 0, -1):
        name = ENV_PREFIX + "__".join(map(str, path[:length])).upper()
        for variable in _variables():
            if variable.upper() == name or variable.upper().startswith(f"{name}__"):
                return variable, path[length:]
    return None, path


def _names_at(path: Sequence[str | int]) -> list[str]:
    """The keys of the model at a path of the root document."""
    model: Any = Host
    for part in path:
        if isinstance(part, str):
            annotation = model.model_fields[part].annotation
            model = next((each for each in (annotation, *get_args(annotation)) if _is_model(each)), None)
        if model is None:
            return []
    return sorted(model.model_fields)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_secret(part: str | int) -> bool:
    # coarser than the masking of documents, which is above this module
    return any(word in str(part).lower() for word in ("key", "secret", "token", "password", "url"))
