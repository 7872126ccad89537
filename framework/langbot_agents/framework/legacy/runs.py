"""A LangBot query through the one path: gateway, log, router, dispatcher, run."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import anyio

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.records import BindingRevision, DispatchOutcome
from langbot_agents.schemas.results import AgentRunResult

from ..access import Caller
from ..bindings import BindingEntry, BindingSet, entry_of
from ..clock import utc_now
from ..dispatcher import DirectRoute
from ..documents import model_digest
from ..errors import RunnerNotFoundError
from ..gateway import EventGateway
from ..orchestrator import RunHandle, RunOutcome
from ..platforms import LEGACY_SURFACE, Surfaces
from ..registry import AgentRunnerRegistry
from ..resources import ModelRegistry
from ..store import Cursor, Database, revisions
from .notes import LegacyNote
from .pipeline import project_pipeline
from .query import pipeline_of, project_query

LEGACY_CALLER = Caller(name="langbot", kind="platform_adapter", surface=LEGACY_SURFACE)


class LegacyEntry:
    """What `run_from_query` needs of a host."""

    def __init__(
        self,
        *,
        db: Database,
        gateway: EventGateway,
        surfaces: Surfaces,
        registry: AgentRunnerRegistry,
        models: ModelRegistry,
    ) -> None:
        self.db = db
        self.gateway = gateway
        self.surfaces = surfaces
        self.registry = registry
        self.models = models

    def run_from_query(self, query: Any, pipeline_config: Any) -> "LegacyRun":
        """One query, run by its Pipeline; iterate what it gives for the normalised results."""
        return LegacyRun(self, query, pipeline_config)


class LegacyRun:
    """Iterated once for the normalised results; `notes` says which keys of the Pipeline have no effect.

    Iterating raises `RunnerError` where the Pipeline's runner is not there, and what the gateway raises.
    To leave early cancels the run.
    """

    def __init__(self, entry: LegacyEntry, query: Any, pipeline_config: Any) -> None:
        self._entry = entry
        self._query = query
        self._config = pipeline_config
        self._handle: RunHandle | None = None
        self._decided = anyio.Event()
        self.event_uid: str | None = None
        self.duplicate = False
        """Whether the query had been run before; then nothing is given."""
        self.dispatch: DispatchOutcome | None = None
        self.reason: str | None = None
        """Why there was no run, such as a full queue."""
        self._pipeline = project_pipeline(
            pipeline_config,
            lambda name: entry.registry.resolve(name).descriptor,
            models=entry.models.names,
            pipeline_uuid=pipeline_of(query),
        )
        self.notes: tuple[LegacyNote, ...] = tuple(self._pipeline.notes)

    @property
    def outcome(self) -> RunOutcome | None:
        """How the run ended, once it has."""
        return None if self._handle is None else self._handle.outcome

    def cancel(self, reason: str = "cancelled") -> None:
        """Ask the run to end as `cancelled`."""
        if self._handle is not None:
            self._handle.cancel(reason)

    async def __aiter__(self) -> AsyncIterator[AgentRunResult]:
        if self._pipeline.problem is not None or self._pipeline.binding is None:
            raise self._pipeline.problem or RunnerNotFoundError("")
        query = await project_query(self._query)
        binding = self._pipeline.binding
        if not query.streams:
            policy = binding.delivery_policy.model_copy(update={"streaming": "off"})
            binding = binding.model_copy(update={"delivery_policy": policy})
        entry = entry_of(binding, model_digest(binding), self._entry.registry, file="langbot")
        await self._entry.db.writer.submit(_store_revision, entry)
        route = DirectRoute(
            bindings=BindingSet([entry]), params=query.params, started=self._started, refused=self._refused
        )
        with ExitStack() as stack:
            # the caller reads the results, so the run has somebody who watches
            accepted = await self._entry.gateway.accept(
                query.event,
                LEGACY_CALLER,
                before_append=partial(self._listen, stack),
                direct=route,
            )
            self.event_uid, self.duplicate = accepted.event_uid, accepted.duplicate
            if self.duplicate:
                return
            try:
                await self._decided.wait()
                if self._handle is not None:
                    async for result in self._handle:
                        yield result
            finally:
                self.cancel("the caller went away")  # of no effect on a run that has ended

    def _listen(self, stack: ExitStack, event_uid: str) -> None:
        stack.enter_context(self._entry.surfaces.mailboxes[LEGACY_SURFACE].listen(event_uid))

    def _started(self, handle: RunHandle) -> None:
        self._handle = handle
        self._decided.set()

    def _refused(self, outcome: DispatchOutcome, reason: str | None) -> None:
        self.dispatch, self.reason = outcome, reason
        self._decided.set()


def _store_revision(cursor: Cursor, entry: BindingEntry) -> None:
    """What a start after a crash goes on with."""
    revisions.insert(
        cursor,
        BindingRevision(
            digest=entry.revision,
            workspace_id=entry.workspace_id,
            binding_id=entry.binding_id,
            document=freeze(entry.document.model_dump(mode="json", by_alias=True)),
            origin=entry.origin,
            created_at=utc_now(),
        ),
    )
