"""What a model provider is: the package that speaks to a service which answers prompts."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.models import ModelChunk, ModelReply

ProviderErrorKind = Literal[
    "auth",
    "not_found",
    "rate_limited",
    "quota",
    "context_overflow",
    "refused",
    "timeout",
    "connection",
    "incomplete",
    "malformed",
    "server",
]
"""`incomplete` is an answer that broke off, `malformed` one that is no answer of a model at all."""

FAILURE_CODES: Mapping[ProviderErrorKind, str] = {
    "auth": "model.auth",
    "not_found": "model.not_found",
    "rate_limited": "model.rate_limited",
    "quota": "model.quota",
    "context_overflow": "model.context_overflow",
    "refused": "model.refused",
    "timeout": "model.timeout",
    "connection": "model.unreachable",
    "incomplete": "model.incomplete",
    "malformed": "model.malformed",
    "server": "model.server",
}
"""The code of a run that failed by its model, for each way in which a service fails."""

_OWN_CODES: Mapping[APIErrorCode, str] = {
    "unauthorized": "runner.no_model",
    "not_found": "runner.no_model",
    "deadline_exceeded": "model.timeout",
    "payload_too_large": "model.refused",
    "rate_limited": "model.rate_limited",
    "invalid_argument": "model.refused",
}
"""The same for what the host itself refuses."""


def failure_code(error: AgentAPIError) -> str:
    """The code for `run.failed` of a call of `ctx.api.models` that failed; `model.fault` for any other."""
    kind: Any = error.details.get("kind")
    code = FAILURE_CODES.get(kind)
    if code is not None:
        return code
    if kind is not None:  # the host's own code: a model that is declared and cannot be used
        return "model.unusable"
    return _OWN_CODES.get(error.code, "model.fault")


class ModelProviderError(Exception):
    """A model service refused, failed or broke off; the message is fit for an admin and holds no secret."""

    def __init__(
        self,
        kind: ProviderErrorKind,
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ProviderErrorKind = kind
        self.message = message
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelEndpoint:
    """A declared model, its key resolved."""

    name: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict)


class ModelProvider(Protocol):
    """Speaks to one endpoint; made once a declared model, used by many runs at once."""

    async def invoke(
        self, messages: Sequence[Message], options: Mapping[str, Any], *, timeout: float
    ) -> ModelReply:
        """One whole answer within `timeout` seconds. Raises `ModelProviderError`."""

    def stream(
        self, messages: Sequence[Message], options: Mapping[str, Any], *, timeout: float
    ) -> AsyncGenerator[ModelChunk, None]:
        """An answer in pieces, the last one with the finish reason. Raises `ModelProviderError`."""

    async def aclose(self) -> None:
        """Close what is open; called when the host stops."""


ProviderFactory = Callable[[ModelEndpoint], ModelProvider]
"""What `register_model_providers` is given, by the provider's name."""
