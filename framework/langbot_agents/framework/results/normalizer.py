"""The checks that each result of a run goes through: type, payload, size, and its place before the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_core import to_json

from langbot_agents.schemas.base import changed, freeze
from langbot_agents.schemas.bindings import RunLimits, StateScope
from langbot_agents.schemas.content import ArtifactRef, ContentPart, FilePart, TextPart
from langbot_agents.schemas.messages import Message, text_of
from langbot_agents.schemas.records import RunWarning
from langbot_agents.schemas.results import (
    RESULT_DATA,
    TERMINAL_TYPES,
    AgentRunResult,
    MessageCompletedData,
    RunCompletedData,
    StateUpdatedData,
)

from ..texts import t
from .output import DEFAULT_MESSAGE_ID
from .reading import (
    PREVIEW_CHARACTERS,
    as_data,
    bare_end,
    content_of,
    first_cause,
    is_empty,
    is_plain_end,
    is_sound,
    plain_text,
    salvaged,
    says_something,
    size_of,
    stated_type,
)

MAX_STATE_VALUE = 256 * 1024

MAX_WARNINGS = 100
"""Different warnings that are kept of a run."""


WarningCode = Literal[
    "result.not_a_result",
    "result.unknown_type",
    "result.invalid_payload",
    "result.too_large",
    "result.after_end",
    "state.refused",
]


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
        self._warnings: dict[tuple[WarningCode, str | None, str], int] = {}
        self.spilled: list[SpilledMessage] = []

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """What was odd so far, each once with its count."""
        return tuple(
            RunWarning(code=code, message=message, type=type_, count=count)
            for (code, type_, message), count in self._warnings.items()
        )

    def accept(self, raw: Any) -> AgentRunResult | None:
        """The result to go on with, or None for one that was dropped with a warning.

        A run that breaks the bounds of its output is ended here, with `run.failed`.
        """
        if self.terminal is not None:
            self._warn("result.after_end", t("a result came after the end and is ignored"), stated_type(raw))
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
        replaced = changed(result, data=freeze(data))
        if self.terminal is result:
            self.terminal = replaced
        return replaced

    def _parse(self, raw: Any) -> AgentRunResult | None:
        kind: str | None = None
        try:
            if type(raw) is AgentRunResult and _is_plain(raw):
                return raw
            data = as_data(raw)
            kind = stated_type(data)
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
            self._warn("result.invalid_payload", first_cause(error), stated_type(data))
            return AgentRunResult.model_validate({**data, "usage": None})

    def _unreadable(self, kind: str | None, error: Exception) -> AgentRunResult | None:
        if kind not in TERMINAL_TYPES:
            self._warn("result.not_a_result", first_cause(error), kind)
            return None
        # an end stays one, however badly it is written
        self._warn("result.invalid_payload", first_cause(error), kind)
        return bare_end(AgentRunResult(type=kind or ""))

    def _check_payload(self, result: AgentRunResult) -> AgentRunResult | None:
        if plain_text(result) is not None or is_plain_end(result):
            return result
        try:
            data = RESULT_DATA[result.type].model_validate(result.data)
            if isinstance(data, StateUpdatedData):
                self._check_state(data)
            elif isinstance(data, MessageCompletedData) and is_empty(data.message):
                raise ValueError(t("the message has no content"))
            elif isinstance(data, RunCompletedData) and data.message is not None and is_empty(data.message):
                data = data.model_copy(update={"message": None})
        except (ValidationError, ValueError) as error:
            self._warn("result.invalid_payload", first_cause(error), result.type)
            return salvaged(result)
        except PermissionError as error:
            self._warn("state.refused", str(error), result.type)
            return None
        dumped = data.model_dump(mode="json", exclude_none=False, exclude_unset=True)
        return changed(result, data=freeze(dumped))

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
        size = size_of(result)
        if size <= self._limits.max_result_bytes:
            return result, size
        self._warn(
            "result.too_large",
            t("{size} bytes, at most {limit} are allowed", size=size, limit=self._limits.max_result_bytes),
            result.type,
        )
        if result.type in {"message.completed", "run.completed"} and content_of(result):
            return self._spill_message(result), size
        if result.type in TERMINAL_TYPES:  # the end must not get lost; what is too large in it does
            return bare_end(result), 0
        return None

    def _spill_message(self, result: AgentRunResult) -> AgentRunResult:
        content = content_of(result)
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
        preview_data: dict[str, Any] = {"message": preview}
        if result.type == "run.completed":
            preview_data["finish_reason"] = result.data.get("finish_reason", "stop")
        return changed(result, data=freeze(preview_data))

    def _number(self, result: AgentRunResult) -> AgentRunResult:
        self._sequence += 1
        message_id = result.message_id
        if result.type.startswith("message."):
            self.said_something = self.said_something or says_something(result)
            message_id = message_id or DEFAULT_MESSAGE_ID
        numbered = changed(
            result,
            run_id=self._run_id,
            sequence=self._sequence,
            timestamp=self._clock(),
            message_id=message_id,
        )
        if result.type in TERMINAL_TYPES:
            self.terminal = numbered
        return numbered

    def _warn(self, code: WarningCode, message: str, type_: str | None) -> None:
        # what a runner wrote may hold halves of characters, which nobody can store
        key = (code, None if type_ is None else _whole(type_), _whole(message))
        if key in self._warnings or len(self._warnings) < MAX_WARNINGS:
            self._warnings[key] = self._warnings.get(key, 0) + 1


def _is_plain(raw: AgentRunResult) -> bool:
    text = plain_text(raw)
    return is_sound(raw, text) if text is not None else is_plain_end(raw) and is_sound(raw)


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
