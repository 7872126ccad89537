"""What a runner gives, made into results the host can trust: checked, numbered, bounded, with one end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_core import to_json

from langbot_agents.schemas.base import FrozenDict, freeze
from langbot_agents.schemas.bindings import RunLimits, StateScope
from langbot_agents.schemas.content import ArtifactRef, ContentPart, FilePart, TextPart
from langbot_agents.schemas.messages import Message, text_of
from langbot_agents.schemas.results import (
    RESULT_DATA,
    TERMINAL_TYPES,
    AgentRunResult,
    RunCompletedData,
    RunFailedData,
    StateUpdatedData,
    Usage,
)

from .texts import t

DEFAULT_MESSAGE_ID = "main"
"""The message of a run whose results name none."""

MAX_STATE_VALUE = 256 * 1024
PREVIEW_CHARACTERS = 2_000

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


Spill = Callable[[bytes], ArtifactRef]


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
        try:
            # an instance may have been built without validation, so it is read as data as well
            result = raw if isinstance(raw, AgentRunResult) else AgentRunResult.model_validate(_plain(raw))
        except (ValidationError, ValueError, TypeError) as error:
            self._warn("result.not_a_result", _first(error), _type_of(raw))
            return None
        if result.type not in RESULT_DATA:
            self._warn(
                "result.unknown_type", t("unknown type {type!r} is ignored", type=result.type), result.type
            )
            return None
        return result

    def _check_payload(self, result: AgentRunResult) -> AgentRunResult | None:
        if _is_plain_delta(result):
            return result
        try:
            data = RESULT_DATA[result.type].model_validate(result.data)
            if isinstance(data, StateUpdatedData):
                self._check_state(data)
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
        if result.type == "message.completed":
            return self._spill_message(result), 0
        if result.type in TERMINAL_TYPES:  # the end must not get lost; what is too large in it does
            return _bare_end(result), 0
        return None

    def _spill_message(self, result: AgentRunResult) -> AgentRunResult:
        content = Message.model_validate(result.data["message"]).content
        text = text_of(content)
        data = text.encode() if isinstance(content, str) else to_json(content)
        artifact = self._spill(data)
        self.spilled.append(SpilledMessage(artifact=artifact, data=data))
        parts: list[ContentPart] = [
            TextPart(text=text[:PREVIEW_CHARACTERS] + "…"),
            FilePart(artifact=artifact, name=artifact.name, mime_type=artifact.mime_type),
        ]
        message = Message(content=tuple(parts)).model_dump(mode="json", exclude_unset=True) | {
            "role": "assistant"
        }
        return result.model_copy(update={"data": freeze({"message": message})})

    def _number(self, result: AgentRunResult) -> AgentRunResult:
        self._sequence += 1
        update: dict[str, Any] = {
            "run_id": self._run_id,
            "sequence": self._sequence,
            "timestamp": self._clock(),
        }
        if result.type.startswith("message."):
            self.said_something = True
            update["message_id"] = result.message_id or DEFAULT_MESSAGE_ID
        numbered = result.model_copy(update=update)
        if result.type in TERMINAL_TYPES:
            self.terminal = numbered
        return numbered

    def _warn(self, code: WarningCode, message: str, type_: str | None) -> None:
        if len(self.warnings) < 100:
            self.warnings.append(ResultWarning(code=code, message=message, type=type_))


def _is_plain_delta(result: AgentRunResult) -> bool:
    """Whether this is the common delta, role and text, whose check would cost more than the rest of its way."""
    if result.type != "message.delta" or len(result.data) != 1:
        return False
    chunk = result.data.get("chunk")
    return (
        type(chunk) is FrozenDict
        and len(chunk) == 2
        and chunk.get("role") == "assistant"
        and type(chunk.get("content")) is str
    )


def _size(result: AgentRunResult) -> int:
    if _is_plain_delta(result):
        return len(result.data["chunk"]["content"].encode())
    return len(to_json(result.data))


def _salvaged(result: AgentRunResult) -> AgentRunResult | None:
    """What stays of a result with a bad payload: an end keeps being one, a note of a tool call stays, the rest is dropped."""
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


def _plain(raw: Any) -> Any:
    if isinstance(raw, Mapping):
        return raw
    dump = getattr(raw, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    raise TypeError(t("a result is an AgentRunResult or an object, got {kind}", kind=type(raw).__name__))


def _type_of(raw: Any) -> str | None:
    kind = raw.get("type") if isinstance(raw, Mapping) else getattr(raw, "type", None)
    return kind[:128] if isinstance(kind, str) else None


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(error)
