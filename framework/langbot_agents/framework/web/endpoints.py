"""What an endpoint is: its address, who may ask, what it takes and gives; routes and OpenAPI come from it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from langbot_agents.schemas.records import TokenScope

from ..access import ForbiddenError
from ..texts import t
from .problems import ProblemError
from .reading import caller_of

Handler = Callable[[Request], Awaitable[Response]]

Access = TokenScope | Literal["open", "token", "local"]
"""The scope that a caller needs; `token` is any token, `local` the host's own, `open` none at all."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One query parameter or header."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    place: Literal["query", "header"] = "query"


@dataclass(frozen=True, kw_only=True)
class Body:
    """What a request holds: a model as JSON, or text of some media types."""

    description: str
    model: type[BaseModel] | None = None
    media_types: tuple[str, ...] = ("application/json",)
    schema: Mapping[str, Any] | None = None
    required: bool = True
    partial: tuple[str, ...] = ()
    """The fields that are needed, where the host fills what else the model needs."""


@dataclass(frozen=True)
class Answer:
    """What one status gives."""

    description: str
    model: type[BaseModel] | None = None
    streams: bool = False
    """Whether who accepts `text/event-stream` gets events instead."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One method of one address."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    handler: Handler
    access: Access
    tag: str
    answers: Mapping[int, Answer]
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None

    def route(self) -> Route:
        """The route that answers, for callers who may ask."""
        return Route(self.path, self._answer, methods=[self.method], name=self.name)

    @property
    def name(self) -> str:
        """The handler's name, which is unique."""
        return self.handler.__name__

    async def _answer(self, request: Request) -> Response:
        self._check_access(request)
        if self.access != "open":  # a probe may ask as it likes
            self._check_query(request)
        return await self.handler(request)

    def _check_access(self, request: Request) -> None:
        if self.access == "open":
            return
        caller = caller_of(request)  # whatever the guard let pass
        if self.access == "local":
            if not caller.local:
                raise ForbiddenError(
                    t("only the host's own token may do this"),
                    remedy=t("use `lba tokens` on the machine of the host"),
                )
        elif self.access != "token":
            caller.require(self.access)

    def _check_query(self, request: Request) -> None:
        """A name that is not known is an error: a misspelt one would else ask for something wider."""
        known = [item.name for item in self.parameters if item.place == "query"]
        for name in request.query_params:
            if name not in known:
                message = t("there is no such parameter")
                raise ProblemError(
                    400,
                    "invalid_query",
                    f"{name[:100]}: {message}",
                    remedy=t("this address takes: {names}", names=", ".join(known) or "-"),
                    errors=[{"path": name[:100], "message": message}],
                )
