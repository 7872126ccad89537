"""One run from its start to its last commit: its attempts, its record, its place in the history."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import anyio
from anyio.abc import TaskGroup

from langbot_agents.schemas import __version__
from langbot_agents.schemas.base import changed, freeze, trusted
from langbot_agents.schemas.bindings import AgentBinding, StateScope
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import RunRecord, TranscriptEntry
from langbot_agents.schemas.results import AgentRunResult, Usage

from ..bindings import BindingEntry
from ..clock import utc_now
from ..context import ContextInputs, RunScope, read_inputs
from ..delivery import ERROR_MESSAGE_ID, error_text
from ..errors import LangbotAgentsError
from ..identity import conversation_key, state_ids
from ..results import sum_usage
from ..run_api import AgentRunSession
from ..store import Cursor, conversations, dispatches, run_results, runs, state, transcript
from ..telemetry import get_logger
from ..texts import t
from .attempt import Attempt
from .handle import RunHandle, RunOutcome
from .parts import RunParts, StopRunError

log = get_logger(__name__)


class Run:
    """One run; `execute` is its one task."""

    def __init__(
        self,
        parts: RunParts,
        handle: RunHandle,
        event: AgentEventEnvelope,
        binding: BindingEntry,
        *,
        tasks: TaskGroup,
        dispatch_id: str | None,
        resume: RunRecord | None,
        follow: Callable[[Cursor], None] | None,
        first: bool,
        params: Mapping[str, Any],
    ) -> None:
        self.parts = parts
        self.tasks = tasks
        self.handle = handle
        self.event = event
        self.binding = binding
        self.document: AgentBinding = binding.document
        self.follow = follow
        self.first = first and resume is None
        self.params = params
        self.locale = event.locale or parts.facts.locale
        self.observes = binding.document.mode == "observe"
        self.stop_reason: StopRunError | None = None
        self._pause: anyio.Event | None = None
        """While it waits to try again; set to wait no longer."""
        self.usage: Usage | None = None
        """What the attempts before this one cost."""
        self._attempt: Attempt | None = None
        self.resumed = resume is not None
        self.record = resume or self._new_record(dispatch_id)
        self.session = self._new_session()
        self._scope = RunScope(
            event=event,
            binding=binding,
            grant=self.session.grant,
            conversation_key=self.session.conversation_key,
            drawers=self.session.drawers,
        )
        handle.on_cancel = self.cancel

    def cancel(self, reason: str) -> None:
        """Ask the run to end as `cancelled`."""
        if self.stop_reason is None:
            self.stop_reason = StopRunError("cancelled", "run.cancelled", reason)
            if self._attempt is not None:
                self._attempt.stop(self.stop_reason)
            if self._pause is not None:
                self._pause.set()

    async def execute(self) -> None:
        """The whole run; never raises, but when the host itself is stopped."""
        outcome: RunOutcome | None = None
        self.parts.sessions.add(self.session)
        try:
            outcome = await self._attempts()
        except LangbotAgentsError as error:
            # the store refused: the run stays in the ledger as it is, and the next start goes on with it
            log.error("run_not_recorded", run_id=self.record.run_id, error=str(error))
        except Exception:  # isolation boundary: a fault of ours in one run must not end the host
            log.exception("run_broke", run_id=self.record.run_id)
            outcome = await self._break()
        finally:
            self.parts.sessions.end(self.record.run_id)
            self.handle.finish(outcome)

    async def _attempts(self) -> RunOutcome:
        retry = self.document.limits.retry
        sequence = 1
        if self.resumed:
            last = await self.parts.db.read(
                run_results.last_sequence, self.record.workspace_id, self.record.run_id
            )
            sequence = last + 1
        tried = 0
        while True:
            tried += 1
            number = self.record.attempt + (1 if tried > 1 else 0)
            inputs = await self.parts.db.writer.submit(self._begin, number, first=tried == 1)
            self.record = changed(self.record, status="running", attempt=number)
            attempt = self._attempt = Attempt(self, inputs, first_sequence=sequence)
            if self.stop_reason is not None:
                attempt.stop(self.stop_reason)
            await attempt.execute()
            if (
                tried >= retry.max_attempts
                or not attempt.retryable
                or attempt.effectful
                or self.stop_reason is not None
            ):
                return await self._finish(attempt)
            sequence = (attempt.end.sequence or 0) + 1
            self.usage = sum_usage(self.usage, attempt.output.usage)
            attempt.ledger.flush()
            self._pause = anyio.Event()
            with anyio.move_on_after(retry.backoff * 2 ** (tried - 1)):
                await self._pause.wait()

    async def _finish(self, attempt: Attempt) -> RunOutcome:
        self.parts.sessions.end(self.record.run_id)  # whatever still runs of the runner reaches nothing now
        ending = await attempt.finish()
        self.record = changed(
            self.record,
            status=ending.status,
            code=ending.code,
            reason=ending.reason,
            usage=self.cost(attempt.output.usage),
            models=tuple(self.session.models),
            effectful=ending.effectful,
        )
        self.handle.give(attempt.end)
        if self.parts.plugins.has("run_finished"):
            await self.parts.plugins.acall("run_finished", run=self.record, outcome=ending.status)
        return RunOutcome(
            run_id=self.record.run_id,
            status=ending.status,
            code=ending.code,
            reason=ending.reason,
            effectful=ending.effectful,
            followed=ending.followed,
        )

    def cost(self, said: Usage | None) -> Usage | None:
        """What the run cost: as its runner says, else as the models said; `said` is of the last attempt."""
        return sum_usage(self.usage, said) or self.session.usage

    async def _break(self) -> RunOutcome | None:
        """End a run in which the host itself failed; what it had begun to show is closed."""
        reason = t("a fault in the host; see its log")
        delivery = None if self._attempt is None else self._attempt.delivery
        settle = None
        try:
            if delivery is not None:
                end = AgentRunResult(type="run.failed", data={"code": "host.fault", "error": reason})
                text = error_text(self.document, end, self.locale)
                settle = delivery.settle([(ERROR_MESSAGE_ID, text)] if text else [], whole=False)
            ended = await self.parts.db.writer.submit(self._fail, reason, settle)
            if ended and delivery is not None:
                await delivery.close()
        except Exception:  # isolation boundary: what broke the run breaks its end as well
            log.exception("run_not_recorded", run_id=self.record.run_id)
            return None
        if not ended:
            return None
        # nobody can say what was shown, so nothing is tried in its place
        return RunOutcome(
            run_id=self.record.run_id, status="failed", code="host.fault", reason=reason, effectful=True
        )

    def _fail(self, cursor: Cursor, reason: str, settle: Callable[[Cursor], None] | None) -> bool:
        record = self.record
        ended = runs.finish(
            cursor,
            record.workspace_id,
            record.run_id,
            "failed",
            code="host.fault",
            reason=reason,
            usage=self.cost(None),
            models=tuple(self.session.models),
            effectful=settle is not None,
        )
        if ended and settle is not None:
            settle(cursor)
        return ended

    def _begin(self, cursor: Cursor, number: int, *, first: bool) -> ContextInputs:
        """Commit the attempt before the runner is called; gives what it is to be told."""
        record = self.record
        if first and not self.resumed:
            runs.create(cursor, record, attempt=number)
            if record.dispatch_id is not None:
                dispatches.finish(
                    cursor, record.workspace_id, record.dispatch_id, "started", run_id=record.run_id
                )
            self._remember_turn(cursor)
        else:
            restarts = record.crash_restarts if self.resumed else None
            runs.start_attempt(
                cursor, record.workspace_id, record.run_id, attempt=number, crash_restarts=restarts
            )
        return read_inputs(cursor, self._scope)

    def _remember_turn(self, cursor: Cursor) -> None:
        key = self.session.conversation_key
        if key is None or self.observes:
            return
        spoken = self.event.event_type == "message.received" and (
            self.first
            or not transcript.has_event(
                cursor, self.event.workspace_id, key, self.record.event_uid, role="user"
            )
        )
        conversations.touch(cursor, self.event.workspace_id, key, envelope=self.event, turns=int(spoken))
        if spoken:
            content = self.event.input.as_message().model_dump(mode="json", exclude_none=True)["content"]
            transcript.append(cursor, [self.entry("user", content)])

    def entry(self, role: Literal["user", "assistant"], content: Any) -> TranscriptEntry:
        """A line of history that this run writes."""
        by_user = role == "user"
        return trusted(
            TranscriptEntry,
            workspace_id=self.event.workspace_id,
            conversation_key=self.session.conversation_key or "",
            role=role,
            content=freeze(content),
            event_uid=self.record.event_uid,
            run_id=None if by_user else self.record.run_id,
            actor_id=self.event.actor.actor_id if by_user and self.event.actor else None,
            created_at=utc_now(),
        )

    def _new_record(self, dispatch_id: str | None) -> RunRecord:
        runner = self.binding.runner
        return trusted(
            RunRecord,
            run_id=self.handle.run_id,
            workspace_id=self.event.workspace_id,
            event_uid=self.event.event_uid or "",
            dispatch_id=dispatch_id,
            binding_id=self.binding.binding_id,
            revision=self.binding.revision,
            runner_id=runner.id,
            runner_distribution=runner.plugin.distribution if runner.plugin else None,
            runner_version=runner.plugin.version if runner.plugin else None,
            host_version=__version__,
            parent_run_id=self.event.cause.run_id if self.event.cause else None,
            created_at=utc_now(),
        )

    def _new_session(self) -> AgentRunSession:
        return AgentRunSession(
            run_id=self.record.run_id,
            workspace_id=self.record.workspace_id,
            event_uid=self.record.event_uid,
            binding_id=self.record.binding_id,
            grant=self.parts.grant(self.binding),
            drawers=self._drawers(),
            conversation_key=conversation_key(self.event),
            state_expires_at=self._state_expiry,
            cancel=self.cancel,
        )

    def _drawers(self) -> dict[StateScope, state.StateKey]:
        ids = state_ids(self.event)
        return {
            scope: state.StateKey(
                workspace_id=self.event.workspace_id,
                namespace=self.document.state_namespace,
                runner_id=self.binding.runner.id,
                scope=scope,
                scope_id=ids[scope],
            )
            for scope in self.document.state_policy.scopes
            if scope in ids
        }

    def _state_expiry(self) -> datetime | None:
        after = self.document.state_policy.expire_after
        return None if after is None else utc_now() + timedelta(seconds=after)
