"""What a crash cut off: gone on with where nobody saw anything, else ended, listed and told."""

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import DeadLetter, RunRecord
from langbot_agents.schemas.results import AgentRunResult

from ..clock import utc_now
from ..delivery import ERROR_MESSAGE_ID, error_text
from ..ids import new_id
from ..results import RunOutput
from ..store import Cursor, dead_letters, runs
from ..texts import t
from .parts import RunParts


def may_restart(run: RunRecord, binding: AgentBinding) -> bool:
    """Whether a run that a crash cut off starts again: nothing effectful happened, and it has starts left."""
    return not run.effectful and run.crash_restarts < binding.limits.crash_restarts


def restarted(run: RunRecord) -> RunRecord:
    """The record with which it starts again."""
    attempt = run.attempt + 1 if run.status == "running" else run.attempt
    return run.model_copy(update={"attempt": attempt, "crash_restarts": run.crash_restarts + 1})


async def end_interrupted(
    parts: RunParts, run: RunRecord, event: AgentEventEnvelope | None, binding: AgentBinding | None
) -> None:
    """End a run that cannot go on: `interrupted`, a dead letter, and the user told by the error policy."""
    reason = t("the host stopped while it ran; what was shown may be incomplete")
    delivery = None
    texts: list[tuple[str, str]] = []
    if event is not None and binding is not None:
        delivery = parts.delivery.begin(run, event, binding, RunOutput())
        data = {"code": "run.interrupted", "error": reason}
        text = error_text(
            binding, AgentRunResult(type="run.failed", data=data), event.locale or parts.facts.locale
        )
        texts = [(ERROR_MESSAGE_ID, text)] if text else []
    settle = delivery.settle(texts) if delivery is not None else None

    def unit(cursor: Cursor) -> None:
        runs.finish(
            cursor,
            run.workspace_id,
            run.run_id,
            "interrupted",
            code="run.interrupted",
            reason=reason,
            retention_class="run_failed",
            effectful=settle is not None,
        )
        dead_letters.insert(
            cursor,
            DeadLetter(
                dead_letter_id=new_id("dlt"),
                workspace_id=run.workspace_id,
                kind="run",
                event_uid=run.event_uid,
                run_id=run.run_id,
                code="run.interrupted",
                reason=reason,
                created_at=utc_now(),
            ),
        )
        if settle is not None:
            settle(cursor)

    await parts.db.writer.submit(unit)
    if delivery is not None:
        await delivery.close()
