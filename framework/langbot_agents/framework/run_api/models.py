"""`ctx.api.models`: language models, by the names that were granted."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import anyio
from pydantic import ValidationError

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.errors import APIErrorCode
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.models import ModelChunk, ModelReply
from langbot_agents.sdk import AgentAPIException
from langbot_agents.sdk.models import ModelProvider, ModelProviderError, ProviderErrorKind

from ..errors import LangbotAgentsError
from ..resources import ModelRegistry
from ..store import Database
from ..store.artifacts import Artifacts
from ..telemetry import get_logger
from ..texts import t
from .pictures import Pictures
from .session import AgentRunSession, check, check_open, refused

log = get_logger(__name__)

API_CODES: Mapping[ProviderErrorKind, APIErrorCode] = {
    "auth": "runtime_error",
    "not_found": "not_found",
    "rate_limited": "rate_limited",
    "quota": "runtime_error",
    "context_overflow": "payload_too_large",
    "refused": "invalid_argument",
    "timeout": "deadline_exceeded",
    "connection": "runtime_error",
    "incomplete": "runtime_error",
    "malformed": "runtime_error",
    "server": "runtime_error",
}
"""What a runner is told of each way in which a provider fails; `details.kind` keeps the difference."""

RESERVED = frozenset({"model", "messages", "stream", "extra_headers", "extra_query", "extra_body"})
"""Options that the host sets itself, or that reach past the model."""


class ModelCalls:
    """Each call is checked, bounded by what remains of the run, and noted in the session."""

    def __init__(
        self,
        session: AgentRunSession,
        models: ModelRegistry,
        *,
        db: Database,
        artifacts: Artifacts,
        ends_at: float,
    ) -> None:
        self._session = session
        self._models = models
        self._pictures = Pictures(session, db, artifacts)
        self._ends_at = ends_at

    async def invoke(self, model: str, messages: Sequence[Message], **options: Any) -> ModelReply:
        """A whole answer."""
        provider = self._provider("invoke", model)
        asked, given, ends_at = await self._request(messages, options)
        try:
            with anyio.fail_after(ends_at - anyio.current_time()):
                reply = await provider.invoke(asked, given, timeout=ends_at - anyio.current_time())
        except Exception as error:  # isolation boundary: a provider may be anybody's package
            raise self._translated(model, error) from error
        check_open(self._session)
        self._session.cost(reply.usage)
        return reply

    async def stream(
        self, model: str, messages: Sequence[Message], **options: Any
    ) -> AsyncGenerator[ModelChunk, None]:
        """An answer in pieces."""
        provider = self._provider("stream", model)
        asked, given, ends_at = await self._request(messages, options)
        pieces = provider.stream(asked, given, timeout=ends_at - anyio.current_time())
        # the run's own end is watched by its timer; a nearer one by a scope around each wait
        timed = pieces if ends_at == self._ends_at else _within(pieces, ends_at)
        try:
            async with aclosing(pieces), aclosing(timed):
                async for chunk in timed:
                    check_open(self._session)
                    self._session.cost(chunk.usage)
                    yield chunk
        except (GeneratorExit, AgentAPIException):
            raise
        except Exception as error:  # isolation boundary: as above
            raise self._translated(model, error) from error

    def _provider(self, verb: str, model: str) -> ModelProvider:
        check_open(self._session)
        if model not in self._models.names:
            message = t(
                "no model {name!r} is declared; declare it under `models` in langbot-agents.yaml", name=model
            )
            raise refused("not_found", message)
        check(self._session, "models", verb)
        if model not in self._session.grant.named.get("models", frozenset()):
            message = t(
                "model {name!r} is not granted; name it in the binding's runner_config or resource_policy",
                name=model,
            )
            raise refused("unauthorized", message)
        try:
            provider = self._models.get(model)
        except LangbotAgentsError as error:
            raise self._translated(model, error) from error
        self._session.models[model] = None
        return provider

    async def _request(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> tuple[list[Message], Mapping[str, Any], float]:
        given = {name: value for name, value in options.items() if name != "timeout"}
        if named := sorted(RESERVED & given.keys()):
            raise refused("invalid_argument", t("option {name!r} is not a runner's to set", name=named[0]))
        try:
            frozen = freeze(given)
            asked = [_message(item) for item in messages]
        except (ValueError, TypeError) as error:
            raise refused("invalid_argument", _first_cause(error)) from None
        if not asked:
            raise refused("invalid_argument", t("a model is asked with one message at least"))
        ends_at = self._deadline(options.get("timeout"))
        return await self._pictures.filled(asked), frozen, ends_at

    def _deadline(self, timeout: Any) -> float:
        if timeout is not None and (
            isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0
        ):
            raise refused(
                "invalid_argument", t("timeout is a number of seconds, got {value!r}", value=timeout)
            )
        now = anyio.current_time()
        ends_at = min(self._ends_at, now + timeout) if timeout else self._ends_at
        if ends_at <= now:
            raise refused("deadline_exceeded", t("no time is left in this run"), retryable=True)
        return ends_at

    def _translated(self, model: str, error: Exception) -> AgentAPIException:
        if isinstance(error, AgentAPIException):
            return error
        if isinstance(error, ModelProviderError):
            details = {"kind": error.kind, "status": error.status, "retry_after": error.retry_after}
            return refused(API_CODES[error.kind], error.message, retryable=error.retryable, details=details)
        if isinstance(error, TimeoutError):
            message = t("model {name!r} did not answer in time", name=model)
            details = {"kind": "timeout", "status": None, "retry_after": None}
            return refused("deadline_exceeded", message, retryable=True, details=details)
        if isinstance(error, LangbotAgentsError):
            said = f"{error.message}; {error.remedy}" if error.remedy else error.message
            return refused("runtime_error", said, details={"kind": error.code})
        log.error("model_broke", model=model, run_id=self._session.run_id, exc_info=error)
        return refused("runtime_error", t("model {name!r}: its provider has a fault", name=model))


async def _within(
    pieces: AsyncGenerator[ModelChunk, None], ends_at: float
) -> AsyncGenerator[ModelChunk, None]:
    """The same pieces; raises `TimeoutError` where the next one is not there in time."""
    while True:
        with anyio.fail_after(ends_at - anyio.current_time()):
            try:
                chunk = await anext(pieces)
            except StopAsyncIteration:
                return
        yield chunk


def _message(item: Any) -> Message:
    return item if isinstance(item, Message) else Message.model_validate(item)


def _first_cause(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(("messages", *(str(part) for part in first["loc"])))
        return f"{place}: {first['msg']}"
    return str(error)
