"""A case's run: through the real host, on a store of its own that is gone afterwards."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.binding_tests import NOBODY, TestRunner
from langbot_agents.schemas.messages import Message, text_of
from langbot_agents.schemas.records import Decision, DeliveryRecord, RunRecord

from ..access import Caller
from ..app import EventStory, Host, open_host, read_story
from ..bindings import BindingEntry, BindingSet
from ..platforms import HTTP_SURFACE
from ..project import Project
from ..store import Cursor, events, run_results
from .cases import Case
from .deciding import Decided
from .expectations import Happened
from .stand_in import HARMLESS, SILENT, add_stand_in, standing_in, without_pauses

CALLER = Caller(name="test", kind="system", surface=HTTP_SURFACE, impersonate=True)
"""States the whole event, where its answer goes included."""


def runs_for_real(case: Case, entry: BindingEntry | None) -> bool:
    """Whether a case says what the runner of a binding does, or the runner may run as it is."""
    return entry is None or entry.runner.id in HARMLESS or case.document.runner is not None


async def happened(project: Project, case: Case, decided: Decided) -> Happened:
    """What comes of a case's event in a host, at the time at which it was decided."""
    decision = decided.decision
    add_stand_in(project.registry)
    with tempfile.TemporaryDirectory(prefix="lba-test-") as folder:
        settings = project.settings.model_copy(
            update={
                "storage": project.settings.storage.model_copy(update={"url": f"sqlite:///{folder}/test.db"}),
                "artifacts": project.settings.artifacts.model_copy(update={"path": f"{folder}/artifacts"}),
                "platforms": (),
                "schedules": (),
            }
        )
        ours = replace(project, settings=settings, bindings=_bindings(project.bindings, case, decision))
        async with open_host(ours, clock=lambda: decided.clock) as host:
            return await _through(host, decided)


def _bindings(bindings: BindingSet, case: Case, decision: Decision) -> BindingSet:
    entries = [
        without_pauses(_entry(entry, case, chosen=entry.binding_id == decision.winner))
        for entry in bindings.entries
    ]
    return bindings.changed(entries)


def _entry(entry: BindingEntry, case: Case, *, chosen: bool) -> BindingEntry:
    runner = case.document.runner
    if chosen and isinstance(runner, TestRunner):
        return standing_in(entry, runner)
    return entry if entry.runner.id in HARMLESS or runner == "real" else standing_in(entry, SILENT)


async def _through(host: Host, decided: Decided) -> Happened:
    event, decision = decided.event.envelope, decided.decision
    data = event.model_dump(mode="json")
    if event.delivery.surface in host.surfaces.mailboxes or (
        event.source.kind == "http_api" and event.delivery.reply_target is None
    ):
        del data["delivery"]  # the answer to a program waits in a mailbox, which only the host can name
    accepted = await host.run_from_event(data, CALLER)
    await host.settled()
    workspace = accepted.workspace_id

    def read(cursor: Cursor) -> tuple[EventStory, list[dict[str, Any]]]:
        stored = events.get(cursor, workspace, accepted.event_uid)
        assert stored is not None
        story = read_story(cursor, stored)
        asked = [
            {key: thaw(value) for key, value in record.data.items() if value is not None}
            for run in _answering(story, decision)
            for record in run_results.after(cursor, workspace, run.run_id)
            if record.type == "action.requested"
        ]
        return story, asked

    story, asked = await host.db.read(read)
    runs = _answering(story, decision)
    last = runs[-1] if runs else None
    chosen = [item for item in story.dispatches if item.binding_id == decision.winner]
    return Happened(
        dispatch=chosen[0].outcome if chosen else None,
        status=NOBODY if last is None else last.status,
        code=None if last is None else last.code,
        reason=None if last is None else last.reason,
        messages=_messages(story, {run.run_id for run in runs}),
        actions=tuple(asked),
        warnings=tuple(warning.message for run in runs for warning in run.warnings),
    )


def _answering(story: EventStory, decision: Decision) -> list[RunRecord]:
    """The runs that answer: of the winner, and of what was tried after it; not those of observers."""
    return [run for run in story.runs if run.binding_id not in decision.observers]


def _messages(story: EventStory, runs: set[str]) -> tuple[str, ...]:
    """The texts of one place in the order in which they were begun; each place gets the same."""
    rows: Sequence[DeliveryRecord] = sorted(story.deliveries, key=lambda row: row.delivery_id)
    rows = [row for row in rows if row.run_id in runs and row.content is not None]
    places = {(row.surface, row.target): None for row in rows}
    first = next(iter(places), None)
    return tuple(_text(row.content) for row in rows if (row.surface, row.target) == first)


def _text(content: Any) -> str:
    return text_of(Message.model_validate({"content": thaw(content)}).content)
