"""The checks that each result of a run goes through: type, payload, size, and its place before the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from langbot_agents.schemas.base import FrozenDict, freeze
from langbot_agents.schemas.bindings import RunLimits, StateScope
from langbot_agents.schemas.content import ArtifactRef, ContentPart, FilePart, TextPart
from langbot_agents.schemas.messages import Message, text_of
from langbot_agents.schemas.results import (
    RESULT_DATA,
    TERMINAL_TYPES,
    AgentRunResult,
    MessageCompletedData,
    RunCompletedData,
    RunFailedData,
    StateUpdatedData,
)

from ..texts import t
from .output import DEFAULT_MESSAGE_ID, delta_text

MAX_STATE_VALUE = 256 * 1024
PREVIEW_CHARACTERS = 2_000
HOST_FIELDS = frozenset({"run_id", "sequence", "timestamp"})
"""What only the host sets; a runner's own are not even looked at."""

WarningCode = Literal[
    "result.not_a_result",
    "result.unknown_type",
    "result.invalid_payload",
    "result.too_large",
    "result.after_end",
    "state.refused",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultWarning:
    """Something odd in a result stream; kept with the run, never shown to people who chat."""

    code: WarningCode
    message: str
    type: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SpilledMessage:
    """A message too large for a result: its text is to be stored as this artifact."""

    artifact: ArtifactRef
    data: bytes


Spill = Callable[[bytes, str], ArtifactRef]
"""Makes the reference of a message's bytes, of this media type."""


class AgentResultNormalizer:
    """Checks one run's results, one at a time; `terminal` is set once the end came."""

    def __init__(
        self,
        run_id: str,
        limits: RunLimits,
        *,
        clock: Callable[[], float],
        spill: Spill,
        state_scopes: frozenset[StateScope],
        first_sequence: int = 1,
    ) -> None:
        self._run_id = run_id
        self._limits = limits
        self._clock = clock
        self._spill = spill
        self._state_scopes = state_scopes
        self._sequence = first_sequence - 1
        self._bytes = 0
        self._seen = 0
        self.said_something = False
        self.terminal: AgentRunResult | None = None
        self.warnings: list[ResultWarning] = []
        self.spilled: list[SpilledMessage] = []

    def accept(self, raw: Any) -> AgentRunResult | None:
        """The result to go on with, or None for one that was dropped with a warning.

        A run that breaks the bounds of its output is ended here, with `run.failed`.
        """
        if self.terminal is not None:
            self._warn("result.after_end", t("a result came after the end and is ignored"), _type_of(raw))
            return None
        self._seen += 1
        if self._seen > self._limits.max_results:
            return self.fail(
                "runner.too_many_results", t("more than {limit} results", limit=self._limits.max_results)
            )
        result = self._parse(raw)
        if result is None:
            return None
        checked = self._check_size(self._check_payload(result))
        if checked is None:
            return None
        result, size = checked
        self._bytes += size
        if self._bytes > self._limits.max_output_bytes:
            self.spilled.clear()
            return self.fail(
                "runner.output_too_large",
                t("more than {limit} bytes of output", limit=self._limits.max_output_bytes),
            )
        return self._number(result)

    def finish(self) -> AgentRunResult | None:
        """The end of a stream that had none: completed if it said anything, else failed."""
        if self.terminal is not None:
            return None
        if self.said_something:
            return self._number(AgentRunResult(type="run.completed", data={"finish_reason": "stop"}))
        return self.fail("runner.no_output", t("the runner ended without any output"))

    def fail(self, code: str, error: str, *, retryable: bool = False) -> AgentRunResult:
        """End the run as failed; an end that came before stands."""
        if self.terminal is not None:
            return self.terminal
        data = {"code": code, "error": error, "retryable": retryable}
        return self._number(AgentRunResult(type="run.failed", data=data))

    def replace(self, result: AgentRunResult, data: Mapping[str, Any]) -> AgentRunResult:
        """The same result with other data, as a hook wants it."""
        changed = result.model_copy(update={"data": freeze(data)})
        if self.terminal is result:
            self.terminal = changed
        return changed

    def _parse(self, raw: Any) -> AgentRunResult | None:
        kind: str | None = None
        try:
            if type(raw) is AgentRunResult and _is_plain_delta(raw) and _is_sound(raw):
                return raw
            data = _plain(raw)
            kind = _type_of(data)
            result = self._read(data)
        except (
            Exception
        ) as error:  # isolation boundary: a runner gives anything, also what raises when it is read
            return self._unreadable(kind, error)
        if result.type not in RESULT_DATA:
            self._warn(
                "result.unknown_type", t("unknown type {type!r} is ignored", type=result.type), result.type
            )
            return None
        return result

    def _read(self, data: dict[str, Any]) -> AgentRunResult:
        try:
            return AgentRunResult.model_validate(data)
        except ValidationError as error:
            if any(item["loc"][:1] != ("usage",) for item in error.errors(include_url=False)):
                raise
            self._warn("result.invalid_payload", _first(error), _type_of(data))
            return AgentRunResult.model_validate({**data, "usage": None})

    def _unreadable(self, kind: str | None, error: Exception) -> AgentRunResult | None:
        if kind not in TERMINAL_TYPES:
            self._warn("result.not_a_result", _first(error), kind)
            return None
        # an end stays one, however badly it is written
        self._warn("result.invalid_payload", _first(error), kind)
        return _bare_end(AgentRunResult(type=kind or ""))

    def _check_payload(self, result: AgentRunResult) -> AgentRunResult | None:
        if _is_plain_delta(result):
            return result
        try:
            data = RESULT_DATA[result.type].model_validate(result.data)
            if isinstance(data, StateUpdatedData):
                self._check_state(data)
            elif isinstance(data, MessageCompletedData) and _is_empty(data.message):
                raise ValueError(t("the message has no content"))
            elif isinstance(data, RunCompletedData) and data.message is not None and _is_empty(data.message):
                data = data.model_copy(update={"message": None})
        except (ValidationError, ValueError) as error:
            self._warn("result.invalid_payload", _first(error), result.type)
            return _salvaged(result)
        except PermissionError as error:
            self._warn("state.refused", str(error), result.type)
            return None
        dumped = data.model_dump(mode="json", exclude_none=False, exclude_unset=True)
        return result.model_copy(update={"data": freeze(dumped)})

    def _check_state(self, data: StateUpdatedData) -> None:
        if data.scope not in self._state_scopes:
            raise PermissionError(t("state scope {scope!r} is not open to this run", scope=data.scope))
        if len(to_json(data.value)) > MAX_STATE_VALUE:
            raise ValueError(
                t("the value of {key!r} is over {limit} bytes", key=data.key, limit=MAX_STATE_VALUE)
            )

    def _check_size(self, result: AgentRunResult | None) -> tuple[AgentRunResult, int] | None:
        if result is None:
            return None
        size = _size(result)
        if size <= self._limits.max_result_bytes:
            return result, size
        self._warn(
            "result.too_large",
            t("{size} bytes, at most {limit} are allowed", size=size, limit=self._limits.max_result_bytes),
            result.type,
        )
        if result.type in {"message.completed", "run.completed"} and _content_of(result):
            return self._spill_message(result), size
        if result.type in TERMINAL_TYPES:  # the end must not get lost; what is too large in it does
            return _bare_end(result), 0
        return None

    def _spill_message(self, result: AgentRunResult) -> AgentRunResult:
        content = _content_of(result)
        text = text_of(content)
        if isinstance(content, str):
            data, mime_type = text.encode(), "text/plain; charset=utf-8"
        else:
            data, mime_type = to_json(content), "application/json"
        artifact = self._spill(data, mime_type)
        self.spilled.append(SpilledMessage(artifact=artifact, data=data))
        parts: tuple[ContentPart, ...] = (
            TextPart(text=text[:PREVIEW_CHARACTERS] + "…"),
            FilePart(artifact=artifact, name=artifact.name, mime_type=artifact.mime_type),
        )
        preview = Message(role="assistant", content=parts).model_dump(mode="json", exclude_none=True)
        changed: dict[str, Any] = {"message": preview}
        if result.type == "run.completed":
            changed["finish_reason"] = result.data.get("finish_reason", "stop")
        return result.model_copy(update={"data": freeze(changed)})

    def _number(self, result: AgentRunResult) -> AgentRunResult:
        self._sequence += 1
        update: dict[str, Any] = {
            "run_id": self._run_id,
            "sequence": self._sequence,
            "timestamp": self._clock(),
        }
        if result.type.startswith("message."):
            self.said_something = self.said_something or _says_something(result)
            update["message_id"] = result.message_id or DEFAULT_MESSAGE_ID
        numbered = result.model_copy(update=update)
        if result.type in TERMINAL_TYPES:
            self.terminal = numbered
        return numbered

    def _warn(self, code: WarningCode, message: str, type_: str | None) -> None:
        if len(self.warnings) < 100:
            self.warnings.append(ResultWarning(code=code, message=message, type=type_))


def _is_plain_delta(result: AgentRunResult) -> bool:
    """Whether this is the common delta, role and text; to validate it costs more than the rest of its way."""
    if result.type != "message.delta" or type(result.data) is not FrozenDict or len(result.data) != 1:
        return False
    chunk = result.data.get("chunk")
    return (
        type(chunk) is FrozenDict
        and len(chunk) == 2
        and chunk.get("role") == "assistant"
        and type(chunk.get("content")) is str
    )


def _is_sound(delta: AgentRunResult) -> bool:
    """Whether the rest of a plain delta is as it would be had it been validated."""
    name, text = delta.message_id, delta.data["chunk"]["content"]
    return (
        delta.usage is None
        and delta.__pydantic_extra__ == {}
        and (name is None or (type(name) is str and name.isascii() and len(name) <= 128))
        and (text.isascii() or text.encode(errors="replace").decode() == text)
    )


def _size(result: AgentRunResult) -> int:
    if _is_plain_delta(result):
        return len(result.data["chunk"]["content"].encode())
    return len(to_json(result.data))


def _salvaged(result: AgentRunResult) -> AgentRunResult | None:
    """What stays of a result with a bad payload: an end, and a note of a tool call; the rest is dropped."""
    if result.type in TERMINAL_TYPES:
        return _bare_end(result)
    return result if result.type.startswith("tool.call.") else None


def _bare_end(result: AgentRunResult) -> AgentRunResult:
    if result.type == "run.completed":
        reason = result.data.get("finish_reason")
        end: RunCompletedData | RunFailedData = RunCompletedData(
            finish_reason=reason if isinstance(reason, str) and len(reason) <= 128 else "stop"
        )
    else:
        code, error = result.data.get("code"), result.data.get("error")
        end = RunFailedData(
            code=code if isinstance(code, str) and 0 < len(code) <= 128 else "runner.error",
            error=error[:PREVIEW_CHARACTERS] if isinstance(error, str) else "",
            retryable=result.data.get("retryable") is True,
        )
    return result.model_copy(update={"data": freeze(end.model_dump(mode="json", exclude_none=True))})


def _content_of(result: AgentRunResult) -> str | tuple[ContentPart, ...]:
    stated = result.data.get("message")
    return "" if stated is None else Message.model_validate(stated).content


def _is_empty(message: Message) -> bool:
    return not message.content and not message.tool_calls


def _says_something(result: AgentRunResult) -> bool:
    return result.type == "message.completed" or delta_text(result) != ""


def _plain(raw: Any) -> dict[str, Any]:
    """A result as data, without what the host says; an instance may have been built without validation."""
    if isinstance(raw, AgentRunResult):
        data = dict(raw.__dict__) | (raw.__pydantic_extra__ or {})
    elif isinstance(raw, Mapping):
        data = dict(raw)
    elif isinstance(raw, BaseModel):
        data = raw.model_dump(mode="json")
    else:
        raise TypeError(t("a result is an AgentRunResult or an object, got {kind}", kind=type(raw).__name__))
    return {key: value for key, value in data.items() if key not in HOST_FIELDS}


def _type_of(raw: Any) -> str | None:
    """The type that a raw result states, as far as it can be read."""
    kind: Any = None
    if type(raw) is dict:
        kind = raw.get("type")
    elif isinstance(raw, AgentRunResult):
        kind = raw.__dict__.get("type")
    return kind[:128] if isinstance(kind, str) else None


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(error)
