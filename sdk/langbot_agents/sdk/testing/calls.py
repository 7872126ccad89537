"""The calls that a runner made on `ctx.api`, and those that are to be refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode

from ..errors import AgentAPIException


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiCall:
    """One call of the run API, noted before it was answered or refused."""

    resource: str
    verb: str
    arguments: Mapping[str, Any]


@dataclass(kw_only=True, slots=True)
class _Refusal:
    resource: str
    verb: str
    error: AgentAPIError
    left: int | None


class CallBook:
    """Notes each call, then refuses it if a test wants that."""

    def __init__(self) -> None:
        self.calls: list[ApiCall] = []
        self._refusals: list[_Refusal] = []

    def enter(self, resource: str, verb: str, /, **arguments: Any) -> None:
        """A call comes in. Raises `AgentAPIException` for one that is to be refused."""
        self.calls.append(ApiCall(resource=resource, verb=verb, arguments=arguments))
        for refusal in self._refusals:
            if refusal.resource == resource and refusal.verb in {verb, "*"} and refusal.left != 0:
                if refusal.left is not None:
                    refusal.left -= 1
                raise AgentAPIException(refusal.error)

    def refuse(self, resource: str, verb: str, error: AgentAPIError, *, times: int | None) -> None:
        """Answer the next `times` calls of a verb with an error; None is all of them."""
        self._refusals.append(_Refusal(resource=resource, verb=verb, error=error, left=times))


def refused(code: APIErrorCode, message: str) -> AgentAPIException:
    """The exception that a runner gets."""
    return AgentAPIException(AgentAPIError(code=code, message=message))
