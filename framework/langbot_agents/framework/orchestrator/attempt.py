"""One call of a runner, and what becomes of what it gives."""

import asyncio  # for a timer without a task, which is never awaited
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from langbot_agents.schemas.content import ArtifactRef
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.records import RunStatus
from langbot_agents.schemas.results import TERMINAL_TYPES, AgentRunResult

from ..context import ContextInputs
from ..delivery import EMPTY_MESSAGE_ID, ERROR_MESSAGE_ID, RunDelivery, empty_text, error_text
from ..errors import LangbotAgentsError
from ..ids import new_id
from ..results import AgentResultNormalizer, RunOutput
from ..runtime import RunnerCrashedError, RunnerInvocation
from ..store import Cursor, run_results, runs, state, transcript
from ..telemetry import get_logger
from ..texts import t
from .ledger import ResultLedger
from .parts import StopRunError
from .preparing import prepare

if TYPE_CHECKING:
    from .run import Run

log = get_logger(__name__)

EXTERNAL = "external."
"""Keys of what a provider knows, such as its conversation's id: written at once, to survive a failure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How the last attempt of a run ended, as it was committed."""

    status: RunStatus
    code: str | None
    reason: str | None
    effectful: bool
    followed: bool
    """Whether the next candidate takes its place, so that nobody was told."""


class Attempt:
    """Calls the runner once; `execute` always leaves an end, `finish` writes it down."""

    def __init__(self, run: "Run", inputs: ContextInputs, *, first_sequence: int) -> None:
        self.run = run
        self.inputs = inputs
        self.parts = run.parts
        self.limits = run.document.limits
        self.output = RunOutput()
        self.ledger = ResultLedger(run.parts.db, run.record, run.parts.secrets.masker.text)
        self.normalizer = AgentResultNormalizer(
            run.record.run_id,
            self.limits,
            clock=run.parts.facts.clock,
            spill=_artifact_for,
            state_scopes=frozenset(run.session.drawers),
            first_sequence=first_sequence,
        )
        self.delivery: RunDelivery = run.parts.delivery.begin(
            run.record, run.event, run.document, self.output, run.tasks
        )
        self.state_updates: list[AgentRunResult] = []
        self.stopped: StopRunError | None = None
        self._invocation = RunnerInvocation()
        self._timer: asyncio.TimerHandle | None = None
        self._now = asyncio.get_running_loop().time
        self._started = self._last_result = self._now()

    @property
    def end(self) -> AgentRunResult:
        """The terminal result; there always is one once `execute` came back."""
        if self.normalizer.terminal is None:
            raise AssertionError("an attempt without an end")
        return self.normalizer.terminal

    @property
    def effectful(self) -> bool:
        """Whether an intent to show something has been committed."""
        return self.delivery.opened_any

    @property
    def failed(self) -> bool:
        """Whether it ended badly."""
        return self.stopped is not None or self.end.type == "run.failed"

    @property
    def retryable(self) -> bool:
        """Whether trying again may help."""
        if self.stopped is not None:
            return self.stopped.status == "timeout"
        return self.end.type == "run.failed" and self.end.data.get("retryable") is True

    async def execute(self) -> None:
        """Call the runner and take its results in, until its end or a bound."""
        self._look()
        try:
            await self._call(self._invocation)
        except LangbotAgentsError as error:
            self._take(self.normalizer.fail(error.code, error.message))
        finally:
            if self._timer is not None:
                self._timer.cancel()
            if not (self._invocation.discard() and self.delivery.idle):
                with anyio.CancelScope(shield=True):
                    await self.parts.runtime.stop(self._invocation)
                    await self.delivery.stop()
        self._end_stream()

    def stop(self, reason: StopRunError) -> None:
        """Take no more from the runner; the attempt ends for this reason, unless it has its end already."""
        if self.stopped is None:
            self.stopped = reason
            self._invocation.close()

    async def _call(self, invocation: RunnerInvocation) -> None:
        runner = self.parts.registry.resolve(self.run.binding.runner.id)
        context = await prepare(
            self.run,
            runner,
            self.inputs,
            emit=invocation.emit,
            ends_at=self._started + self.limits.timeout,
            streaming=self.delivery.streams,
        )
        if self.parts.plugins.has("run_started"):
            await self.parts.plugins.acall("run_started", run=self.run.record)
        self._last_result = self._now()
        self.parts.runtime.start(invocation, lambda: runner.instance.run(context))
        try:
            await self._receive(invocation)
        except RunnerCrashedError as crash:
            log.error(
                "runner_crashed",
                run_id=self.run.record.run_id,
                runner_id=runner.descriptor.id,
                exc_info=crash.__cause__,
            )
            self.ledger.crash(crash.__cause__)
            self._take(self.normalizer.fail("runner.exception", t("the runner raised an exception")))

    async def _receive(self, invocation: RunnerInvocation) -> None:
        watched = self.parts.plugins.has("result_received")
        prepared = self.parts.plugins.has("output_prepared")
        while self.normalizer.terminal is None or invocation.pending():
            try:
                raw = await invocation.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                return
            self._last_result = self._now()
            result = self.normalizer.accept(raw)
            if result is None:
                continue
            if self.normalizer.spilled:
                await self._store_spilled()
            if prepared and result.type in {"message.completed", "run.completed"}:
                result = await self._output_prepared(result)
            self._take(result)
            if result.type == "state.updated":
                await self._update_state(result)
            if watched:
                await self.parts.plugins.acall("result_received", run=self.run.record, result=result)

    def _look(self) -> None:
        """The one timer of the attempt: is its deadline or its idle limit over? Sets itself anew."""
        now = self._now()
        idle_end = self._last_result + self.limits.idle_timeout
        whole_end = self._started + self.limits.timeout
        if now >= whole_end:
            message = t("no end within {limit:g} s", limit=self.limits.timeout)
            self.stop(StopRunError("timeout", "runner.timeout", message))
        elif now >= idle_end:
            message = t("no result for {limit:g} s", limit=self.limits.idle_timeout)
            self.stop(StopRunError("timeout", "runner.idle_timeout", message))
        else:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(min(idle_end, whole_end), self._look)

    async def _output_prepared(self, result: AgentRunResult) -> AgentRunResult:
        data = result.data.get("message")
        if data is None:
            return result
        message = await self._hooked(Message.model_validate(data))
        changed = {**result.data, "message": message.model_dump(mode="json", exclude_none=True)}
        return self.normalizer.replace(result, changed)

    async def _hooked(self, message: Message) -> Message:
        for answer in await self.parts.plugins.acall("output_prepared", run=self.run.record, message=message):
            if isinstance(answer.value, Message):
                message = answer.value
        return message

    def _take(self, result: AgentRunResult) -> None:
        self.ledger.add(result)
        if (message := self.output.add(result)) is not None:
            self.delivery.changed(message)
        if result.type not in TERMINAL_TYPES:  # whether it is the end of the run, too, the run decides
            self.run.handle.give(result)

    def _end_stream(self) -> None:
        if self.normalizer.terminal is not None:
            self.stopped = None  # it had come to its end before it could be stopped
        elif self.stopped is not None:
            timed_out = self.stopped.status == "timeout"
            self._take(self.normalizer.fail(self.stopped.code, self.stopped.message, retryable=timed_out))
        elif (end := self.normalizer.finish()) is not None:
            self._take(end)
        for warning in self.normalizer.warnings:
            log.warning(warning.code, run_id=self.run.record.run_id, **warning.model_dump(exclude={"code"}))

    async def _store_spilled(self) -> None:
        for item in self.normalizer.spilled:
            await self.parts.artifacts.create(
                self.run.record.workspace_id,
                item.data,
                artifact_id=item.artifact.artifact_id,
                name=item.artifact.name,
                mime_type=item.artifact.mime_type,
                run_id=self.run.record.run_id,
                conversation_key=self.run.session.conversation_key,
                access="conversation",
            )
        self.normalizer.spilled.clear()

    async def finish(self) -> Ending:
        """The last commit, then the close of what was shown."""
        status, code, reason = self._verdict()
        whole = status == "completed"
        if self.parts.plugins.has("output_prepared"):
            await self._prepare_streamed(whole=whole)
        follow = self.run.follow if status in {"failed", "timeout"} and not self.effectful else None
        settle = None
        if follow is None:
            settle = self.delivery.settle(self._texts_of_ours(status), whole=whole)
        unit = self._ending(status, code, reason, follow=follow, settle=settle)
        await self.parts.db.writer.submit(unit)
        await self.delivery.close()
        return Ending(
            status=status,
            code=code,
            reason=reason,
            effectful=self.effectful or settle is not None,
            followed=follow is not None,
        )

    async def _prepare_streamed(self, *, whole: bool) -> None:
        """Show the hook each message that came in pieces only, before it is committed whole."""
        for message in [item for item in self.delivery.told(whole=whole) if item.final is None]:
            message.final = await self._hooked(Message(content=message.streamed))

    def _ending(
        self,
        status: RunStatus,
        code: str | None,
        reason: str | None,
        *,
        follow: Callable[[Cursor], None] | None,
        settle: Callable[[Cursor], None] | None,
    ) -> Callable[[Cursor], None]:
        results = self.ledger.take()
        record = self.run.record
        usage = self.run.cost(self.output.usage)
        models = tuple(self.run.session.models)
        warnings = self.normalizer.warnings

        def unit(cursor: Cursor) -> None:
            run_results.append(cursor, record.workspace_id, results)
            if status == "completed":
                for update in self.state_updates:
                    self._write_state(cursor, update)
            if status == "completed" or self.delivery.settled:
                self._write_transcript(cursor, whole=status == "completed")
            for beside in (follow, settle):
                if beside is not None:
                    beside(cursor)
            runs.finish(
                cursor,
                record.workspace_id,
                record.run_id,
                status,
                code=code,
                reason=reason,
                usage=usage,
                models=models,
                warnings=warnings,
                retention_class="run_ok" if status == "completed" else "run_failed",
                effectful=settle is not None,
            )

        return unit

    def _verdict(self) -> tuple[RunStatus, str | None, str | None]:
        if self.stopped is not None:
            return self.stopped.status, self.stopped.code, self.stopped.message
        if self.end.type == "run.failed":
            return "failed", str(self.end.data.get("code")), str(self.end.data.get("error", ""))
        return "completed", None, str(self.end.data.get("finish_reason", "stop"))

    def _texts_of_ours(self, status: RunStatus) -> list[tuple[str, str]]:
        if status in {"failed", "timeout"}:
            text = error_text(self.run.document, self.end, self.run.locale)
            return [(ERROR_MESSAGE_ID, text)] if text else []
        if (
            status == "completed"
            and not self.output.said()
            and self.end.data.get("finish_reason") != "no_reply"
        ):
            text = empty_text(self.run.document, self.run.locale)
            return [(EMPTY_MESSAGE_ID, text)] if text else []
        return []

    async def _update_state(self, update: AgentRunResult) -> None:
        if update.data["key"].startswith(EXTERNAL):
            await self.parts.db.writer.submit(self._write_state, update)
        else:
            self.state_updates.append(update)

    def _write_state(self, cursor: Cursor, update: AgentRunResult) -> None:
        drawer = self.run.session.drawers[update.data["scope"]]
        key, value = update.data["key"], update.data["value"]
        if value is None:
            state.delete(cursor, drawer, key)
        else:
            state.put(cursor, drawer, key, value, expires_at=self.run.session.state_expires_at())

    def _write_transcript(self, cursor: Cursor, *, whole: bool) -> None:
        if self.run.session.conversation_key is None or self.run.observes:
            return
        messages = [
            Message(content=message.content).model_dump(mode="json", exclude_none=True)
            for message in self.delivery.told(whole=whole)
            if message.content
        ]
        transcript.append(cursor, [self.run.entry("assistant", message["content"]) for message in messages])


def _artifact_for(data: bytes, mime_type: str) -> ArtifactRef:
    return ArtifactRef(
        artifact_id=new_id("art"),
        name="message.txt" if mime_type.startswith("text/") else "message.json",
        mime_type=mime_type,
        size=len(data),
        digest="sha256:" + hashlib.sha256(data).hexdigest(),
        access="conversation",
    )
