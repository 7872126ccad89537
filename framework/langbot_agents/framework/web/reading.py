"""What a request says: who asks, for which workspace, its parameters and its body."""

from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request

from langbot_agents.schemas.base import Name

from ..access import Caller, ForbiddenError
from ..app import Host
from ..documents import fault_entry, headline, request_faults
from ..texts import t
from .guard import read_body, unauthorized
from .json_body import read_json
from .problems import ProblemError

ModelT = TypeVar("ModelT", bound=BaseModel)

MAX_PAGE = 500
_NAME: TypeAdapter[str] = TypeAdapter(Name)


def host_of(request: Request) -> Host:
    """The host that answers."""
    host: Host = request.app.state.host
    return host


def caller_of(request: Request) -> Caller:
    """Who asks, as the guard found it. Raises `ProblemError` for nobody."""
    caller: Caller | None = request.state.caller
    if caller is None:
        raise unauthorized()
    return caller


def workspace_of(request: Request) -> str:
    """The workspace that is asked about: the caller's own; only the local caller may name another."""
    caller = caller_of(request)
    stated = request.query_params.get("workspace")
    if stated is None or stated == caller.workspace_id:
        return caller.workspace_id
    if not caller.local:
        raise foreign_workspace(caller, stated)
    try:
        return _NAME.validate_python(stated)
    except ValidationError:
        raise bad_query("workspace", t("{value!r} is not a name", value=stated[:128])) from None


def foreign_workspace(caller: Caller, stated: str) -> ForbiddenError:
    """The refusal of a workspace that is not the caller's."""
    return ForbiddenError(
        t("workspace: token {name!r} may not name {value!r}", name=caller.name, value=stated[:128]),
        remedy=t("a token opens one workspace; leave `workspace` out"),
    )


def whole_house(request: Request) -> bool:
    """Whether the local caller asks about all workspaces, for what is not kept by workspace."""
    return caller_of(request).local and "workspace" not in request.query_params


def limit_of(request: Request, *, default: int = 50, most: int = MAX_PAGE) -> int:
    """How many are wanted at most."""
    limit = number(request.query_params.get("limit", str(default)), "limit")
    if not 1 <= limit <= most:
        raise bad_query("limit", t("give 1 to {limit}", limit=most))
    return limit


def number(text: str, name: str) -> int:
    """A whole number that is not negative."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise bad_query(name, t("{value!r} is not a number of ours", value=text[:100]))
    return int(text)


def one_of(request: Request, name: str, allowed: tuple[str, ...]) -> str | None:
    """A parameter that is one of these, or not given."""
    value = request.query_params.get(name)
    if value is not None and value not in allowed:
        raise bad_query(name, t("allowed: {names}", names=", ".join(allowed)))
    return value


def bad_query(name: str, message: str) -> ProblemError:
    """The refusal of one parameter."""
    return ProblemError(
        400, "invalid_query", f"{name}: {message}", errors=[{"path": name, "message": message}]
    )


def media_type(request: Request) -> str:
    """The media type of the body, without its parameters."""
    return request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()


async def read_model(request: Request, model: type[ModelT]) -> ModelT:
    """The body as a model; an empty one counts as `{}`. Raises `ProblemError` with the field."""
    body = await read_body(request, host_of(request).project.settings.server)
    media = media_type(request)
    if body and media != "application/json" and not media.endswith("+json"):
        raise unsupported(media, t("send application/json (curl: --json)"))
    data = read_json(body) if body.strip() else {}
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = request_faults(error, data, model)
        raise ProblemError(
            400,
            "invalid_body",
            headline(faults[0], "body"),
            remedy=faults[0].cause.remedy,
            errors=[fault_entry(fault, "body") for fault in faults],
        ) from None


def unsupported(media: str, remedy: str) -> ProblemError:
    """The refusal of a media type."""
    return ProblemError(
        415, "unsupported_media_type", t("{media!r} is not taken", media=media[:100]), remedy=remedy
    )
