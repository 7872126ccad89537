"""Models behind any OpenAI-compatible endpoint, through the `openai` SDK, imported at the first call."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anyio

from langbot_agents.schemas.messages import Message, ToolCall
from langbot_agents.schemas.models import ModelChunk, ModelReply
from langbot_agents.schemas.results import Usage
from langbot_agents.sdk.models import ModelEndpoint, ModelProviderError, ProviderErrorKind

from ..texts import t
from .models import ModelError
from .openai_wire import (
    ToolCallPieces,
    read_arguments,
    read_chunk,
    read_reasoning,
    read_usage,
    wire_message,
)

if TYPE_CHECKING:
    import openai

OVERFLOW_MARKS = (
    "prompt is too long",
    "maximum context length",
    "context_length_exceeded",
    "too many tokens",
    "input is too long",
)
SDK_ARGUMENTS = frozenset({"extra_headers", "extra_query", "extra_body"})
"""Keys of a model's `extra` that speak to the SDK; every other one goes into the request."""
RATE_MARKS = ("rate limit", "too many requests", "throttl")


class OpenAIProvider:
    """One declared model; retries are the run's business, so the SDK's own are off."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint
        self._client: openai.AsyncOpenAI | None = None
        self._lock = anyio.Lock()

    async def invoke(
        self, messages: Sequence[Message], options: Mapping[str, Any], *, timeout: float
    ) -> ModelReply:
        """One whole answer."""
        client = await self._connected()
        try:
            answer: Any = await client.chat.completions.create(
                **self._request(messages, options), timeout=timeout
            )
        except Exception as error:  # isolation boundary: the SDK's errors become ours, others pass
            raise self._translated(error) from error
        try:
            return self._reply(answer)
        except (AttributeError, TypeError, ValueError) as error:  # the SDK takes any JSON for an answer
            raise self._malformed() from error

    async def stream(
        self, messages: Sequence[Message], options: Mapping[str, Any], *, timeout: float
    ) -> AsyncGenerator[ModelChunk, None]:
        """An answer in pieces; a stream that ends without its finish reason is `incomplete`."""
        client = await self._connected()
        request = self._request(messages, options)
        request["extra_body"].setdefault("stream_options", {"include_usage": True})
        finish: str | None = None
        usage: Usage | None = None
        begun = False
        calls = ToolCallPieces()
        try:
            async with await client.chat.completions.create(
                **request, stream=True, timeout=timeout
            ) as answer:
                media = answer.response.headers.get("content-type", "").lower()
                async for piece in answer:
                    usage = read_usage(piece.usage) or usage
                    for choice in piece.choices[:1]:
                        begun = True
                        finish = choice.finish_reason or finish
                        calls.add(choice.delta.tool_calls or ())
                        chunk = read_chunk(choice.delta)
                        if chunk is not None:
                            yield chunk
        except (GeneratorExit, anyio.get_cancelled_exc_class()):
            raise
        except (AttributeError, TypeError) as error:  # the SDK takes any JSON for a piece
            raise self._malformed() from error
        except Exception as error:  # isolation boundary: as above
            raise (self._broken_off() if begun and _is_lost(error) else self._translated(error)) from error
        if finish is None:
            # a page or a JSON error looks like a stream without pieces
            raise self._broken_off() if begun or "event-stream" in media else self._malformed()
        yield ModelChunk(
            content="", tool_calls=calls.whole(), is_final=True, finish_reason=finish, usage=usage
        )

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _connected(self) -> "openai.AsyncOpenAI":
        async with self._lock:
            if self._client is None:
                # 1 to 2 s of import: in a thread, so that other runs go on
                module = await anyio.to_thread.run_sync(_import_openai)
                self._client = module.AsyncOpenAI(
                    api_key=self._endpoint.api_key or "none", base_url=self._endpoint.base_url, max_retries=0
                )
            return self._client

    def _request(self, messages: Sequence[Message], options: Mapping[str, Any]) -> dict[str, Any]:
        fixed = {name: value for name, value in self._endpoint.extra.items() if name in SDK_ARGUMENTS}
        body = {name: value for name, value in self._endpoint.extra.items() if name not in SDK_ARGUMENTS}
        # in the body as they are: a service may take arguments that the SDK does not know
        fixed["extra_body"] = {**body, **fixed.get("extra_body", {}), **options}
        return {
            "model": self._endpoint.model,
            "messages": [wire_message(message) for message in messages],
            **fixed,
        }

    def _reply(self, answer: Any) -> ModelReply:
        if isinstance(answer, str):
            raise self._malformed()
        if not answer.choices:
            message = t("model {name!r} gave no answer", name=self._endpoint.name)
            raise ModelProviderError("incomplete", message, retryable=True)
        choice = answer.choices[0]
        calls = tuple(
            ToolCall(id=call.id, name=call.function.name, arguments=read_arguments(call.function.arguments))
            for call in choice.message.tool_calls or ()
        )
        return ModelReply(
            message=Message(content=choice.message.content or "", tool_calls=calls),
            reasoning=read_reasoning(choice.message),
            finish_reason=choice.finish_reason,
            usage=read_usage(answer.usage),
            model=answer.model or self._endpoint.model,
        )

    def _broken_off(self) -> ModelProviderError:
        message = t("model {name!r} broke off before the end of its answer", name=self._endpoint.name)
        return ModelProviderError("incomplete", message, retryable=True)

    def _malformed(self) -> ModelProviderError:
        message = t(
            "model {name!r}: what answers at {url} speaks no protocol of models; check base_url",
            name=self._endpoint.name,
            url=self._endpoint.base_url or "api.openai.com",
        )
        return ModelProviderError("malformed", message)

    def _translated(self, error: Exception) -> Exception:
        import openai

        name = self._endpoint.name
        if isinstance(error, ModelProviderError):
            return error
        if isinstance(error, openai.APITimeoutError):
            return ModelProviderError(
                "timeout", t("model {name!r} did not answer in time", name=name), retryable=True
            )
        if isinstance(error, openai.APIConnectionError):
            where = self._endpoint.base_url or "api.openai.com"
            message = t("model {name!r} cannot be reached at {url}", name=name, url=where)
            return ModelProviderError("connection", message, retryable=True)
        if isinstance(error, openai.APIStatusError):
            return self._refused(error)
        if isinstance(error, openai.APIError):
            message = t("model {name!r} failed: {cause}", name=name, cause=_plain(error.message))
            return ModelProviderError("server", message, retryable=True)
        if _is_lost(error):  # a connection that ends
            return self._broken_off()
        if isinstance(error, ValueError):  # a body that is no JSON
            return self._malformed()
        return error

    def _refused(self, error: "openai.APIStatusError") -> ModelProviderError:
        status, text = error.status_code, f"{error.code or ''} {error.message}".lower()
        kind, retryable = _kind(status, error.code, text)
        message = _explanation(kind, self._endpoint.name, status, _plain(error.message))
        return ModelProviderError(
            kind,
            message,
            retryable=retryable,
            status=status,
            retry_after=_retry_after(error.response.headers),
        )


def _kind(status: int, code: str | None, text: str) -> tuple[ProviderErrorKind, bool]:
    """What a refusal means, and whether trying again may help.

    A rate limit may speak of tokens too, and is no overflow for that.
    """
    if status in {401, 403}:
        return "auth", False
    if code == "insufficient_quota" or "insufficient_quota" in text:
        return "quota", False
    if status == 429 or any(mark in text for mark in RATE_MARKS):
        return "rate_limited", True
    if any(mark in text for mark in OVERFLOW_MARKS) or ("context window" in text and "exceed" in text):
        return "context_overflow", False
    if status == 404:
        return "not_found", False
    if status in {408, 504}:
        return "timeout", True
    if status >= 500:
        return "server", True
    return "refused", False


def _explanation(kind: ProviderErrorKind, name: str, status: int, cause: str) -> str:
    match kind:
        case "auth":
            return t("model {name!r} refused the key ({status}); check its api_key", name=name, status=status)
        case "quota":
            return t("model {name!r}: the account has no quota left", name=name)
        case "rate_limited":
            return t("model {name!r} takes no more requests just now", name=name)
        case "context_overflow":
            return t("the conversation is too long for model {name!r}", name=name)
        case "not_found":
            return t(
                "model {name!r} is not known there: {cause}; check model and base_url", name=name, cause=cause
            )
        case "timeout":
            return t("model {name!r} did not answer in time", name=name)
        case "server":
            return t("model {name!r} has a fault of its own ({status})", name=name, status=status)
        case _:
            return t(
                "model {name!r} refused the request ({status}): {cause}",
                name=name,
                status=status,
                cause=cause,
            )


def _plain(message: str) -> str:
    """A service's words, shortened; a proxy's HTML page says nothing to anybody."""
    text = re.sub(r"^Error code: \d+ - ", "", " ".join(str(message).split()))
    if "<html" in text.lower() or "<!doctype" in text.lower():
        return t("it answered with a web page")
    return text if len(text) <= 300 else text[:297] + "..."


def _is_lost(error: Exception) -> bool:
    """Whether the connection was lost, by the SDK's words or by its HTTP library's."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return False
    library = type(error).__module__.split(".")[0]
    return isinstance(error, openai.APIConnectionError) or library in {
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
    }


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the service asks to wait, from either header; None for a date or nonsense."""
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * factor
        except ValueError:
            continue
        if 0 < seconds <= 86_400:
            return seconds
    return None


def _import_openai() -> Any:
    try:
        import openai
    except ImportError as error:
        raise ModelError(
            t("provider 'openai' needs a package that is not installed: {name}", name=error.name or "openai"),
            remedy=t("pip install 'langbot-agents[openai]'"),
        ) from error
    return openai
