"""The composition root: the only module that knows every part, and puts them together."""

import json
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from langbot_agents.schemas import __version__
from langbot_agents.schemas.records import DeliveryRecord, DispatchRecord, RunRecord

from .access import LOCAL_NAME, TokenBook
from .bindings import BindingSet, PauseBook
from .delivery import DeliveryController
from .dispatcher import Dispatcher
from .gateway import Accepted, Caller, EventGateway
from .legacy import LegacyEntry, LegacyRun
from .orchestrator import AgentRunOrchestrator, HostFacts, RunParts
from .platforms import HTTP_SURFACE, Surfaces
from .project import Project, with_last_good
from .recovery import Recovered, Recovery
from .reload import Reloader
from .resources import ModelRegistry
from .revisions import SetBook, StoredIncumbents, store_revisions
from .router import EventRouter
from .runtime import InProcessRuntime
from .store import Artifacts, Cursor, Database, dispatches, outbox, runs
from .store.database import sqlite_path
from .store.events import StoredEvent
from .telemetry import get_logger, set_mask
from .texts import t

log = get_logger(__name__)

HOST_FILE = "host.json"


class Host:
    """A running host: what every surface and command of this process talks to."""

    def __init__(
        self,
        *,
        project: Project,
        db: Database,
        parts: RunParts,
        orchestrator: AgentRunOrchestrator,
        dispatcher: Dispatcher,
        gateway: EventGateway,
        surfaces: Surfaces,
        router: EventRouter,
        tokens: TokenBook,
        pauses: PauseBook,
        sets: SetBook,
        made: list[ModelRegistry],
    ) -> None:
        self.project = project
        self.db = db
        self.parts = parts
        self.orchestrator = orchestrator
        self.dispatcher = dispatcher
        self.gateway = gateway
        self.surfaces = surfaces
        self.router = router
        self.tokens = tokens
        self.pauses = pauses
        self.sets = sets
        self._made = made
        self.reloader = Reloader(
            db=db,
            gateway=gateway,
            current=lambda: self.project,
            use=self.use,
            live=lambda: self.bindings,
        )
        self.recovered = Recovered()
        self.started_at = time.time()

    @property
    def bindings(self) -> BindingSet:
        """The set that is live; whatever is stored after this comes after the set itself."""
        live = self.pauses.applied(self.project.bindings)
        self.sets.keep(live)
        return live

    def use(self, project: Project) -> None:
        """Let another load take effect: for the next decision, and for runs that begin from now on."""
        old, self.project = self.project, project
        facts = _facts(project, self.parts.facts.clock)
        if (
            project.models is not old.models
            or project.secrets is not old.secrets
            or facts != self.parts.facts
        ):
            # runs keep the parts they began with; grants depend on what there is, so they are made anew
            self.parts = replace(
                self.parts, models=project.models, secrets=project.secrets, facts=facts, _grants={}
            )
            self.orchestrator.parts = self.parts
        if project.models is not old.models:
            self._made.append(project.models)  # those of before may be in use until the end

    async def run_from_event(
        self, data: Mapping[str, Any], caller: Caller, *, before_append: Callable[[str], None] | None = None
    ) -> Accepted:
        """Take an event in at the gateway; it is on disk and decided when this returns."""
        return await self.gateway.accept(data, caller, before_append=before_append)

    def run_from_query(self, query: Any, pipeline_config: Any) -> LegacyRun:
        """Run a LangBot query by its Pipeline; iterate what it gives for the normalised results."""
        entry = LegacyEntry(
            db=self.db,
            gateway=self.gateway,
            surfaces=self.surfaces,
            registry=self.project.registry,
            models=self.project.models,
        )
        return entry.run_from_query(query, pipeline_config)

    async def settled(self) -> None:
        """Wait until nothing is under way; for commands that run a host for one event."""
        await self.dispatcher.idle()
        await self.db.writer.flush()

    def hurry(self, grace: float = 0.0) -> None:
        """Wait no longer than so many seconds for what runs, once the host stops."""
        limits = self.project.settings.limits.model_copy(update={"shutdown_grace": grace})
        settings = self.project.settings.model_copy(update={"limits": limits})
        self.project = replace(self.project, settings=settings)

    def readiness(self) -> tuple[str, list[str]]:
        """`ready`, `degraded` or `failing`, and why."""
        if not self.db.writer.healthy:
            return "failing", [str(self.db.writer.last_error)]
        reasons = [] if self.reloader.root.reason is None else [self.reloader.root.reason]
        reasons += [f"{item.origin}: {item.reason}" for item in self.bindings.quarantined]
        reasons += [
            t("{reason}; binding {name!r} goes on with its last good revision", name=name, reason=item.reason)
            for name, item in self.project.stale.items()
        ]
        reasons += [
            f"{info.distribution}: {info.reason}"
            for info in self.project.plugins.infos
            if info.state == "quarantined"
        ]
        return ("degraded", reasons) if reasons else ("ready", [])


@asynccontextmanager
async def open_host(project: Project, *, clock: Callable[[], float] = time.time) -> AsyncIterator[Host]:
    """Open the store, take up what a crash left, and run until the block ends."""
    settings = project.settings
    set_mask(project.secrets.masker.data)
    failure: Exception | None = None
    async with AsyncExitStack() as stack:
        db = await stack.enter_async_context(
            Database.open(settings.storage.url, root=project.root, on_error=_write_failed)
        )
        if project.bindings.quarantined:  # what answered before the stop goes on
            project = await db.read(_with_last_good, project)
        await db.writer.submit(store_revisions, project.bindings.entries)
        tokens = TokenBook(db=db, surface=HTTP_SURFACE, reserved=_source_names(project))
        pauses = PauseBook(db=db)
        await tokens.load()
        await pauses.load()
        sets = SetBook(db, clock)
        await sets.begin(pauses.applied(project.bindings))
        made = [project.models]
        stack.push_async_callback(_close_models, made)
        tasks = await stack.enter_async_context(anyio.create_task_group())
        surfaces = Surfaces()
        parts = RunParts(
            db=db,
            artifacts=Artifacts(db, project.root / settings.artifacts.path),
            registry=project.registry,
            models=project.models,
            plugins=project.plugins,
            delivery=DeliveryController(db, surfaces),
            secrets=project.secrets,
            facts=_facts(project, clock),
            runtime=InProcessRuntime(tasks),
        )
        orchestrator = AgentRunOrchestrator(parts, tasks)
        router = EventRouter()
        dispatcher = Dispatcher(
            db=db,
            orchestrator=orchestrator,
            surfaces=surfaces,
            router=router,
            bindings=lambda: host.bindings,
            clock=clock,
            concurrency=settings.limits.concurrency,
            tasks=tasks,
        )
        gateway = EventGateway(
            db=db,
            artifacts=parts.artifacts,
            dispatcher=dispatcher,
            plugins=project.plugins,
            surfaces=surfaces,
            max_pending=settings.limits.max_pending,
        )
        host = Host(
            project=project,
            db=db,
            parts=parts,
            orchestrator=orchestrator,
            dispatcher=dispatcher,
            gateway=gateway,
            surfaces=surfaces,
            router=router,
            tokens=tokens,
            pauses=pauses,
            sets=sets,
            made=made,
        )
        tasks.start_soon(dispatcher.expire)
        recovery = Recovery(
            parts=parts, dispatcher=dispatcher, gateway=gateway, bindings=lambda: host.bindings
        )
        try:
            host.recovered = await recovery.recover()
            await project.plugins.acall("host_started", host=host)
            yield host
        except Exception as error:  # kept out of the task group, which would wrap it
            failure = error
        finally:
            with anyio.CancelScope(shield=True):
                await _stop(host)
                tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _stop(host: Host) -> None:
    """Let what runs come to its end for a while; what does not is taken up by the next start."""
    host.gateway.close()
    await host.project.plugins.acall("host_stopping", host=host)
    with anyio.move_on_after(host.project.settings.limits.shutdown_grace) as grace:
        await host.dispatcher.idle()
    if grace.cancelled_caught:
        log.warning("stopped_with_runs_under_way", pending=host.dispatcher.pending)


def _facts(project: Project, clock: Callable[[], float]) -> HostFacts:
    return HostFacts(
        timezone=project.settings.timezone,
        locale=project.settings.locale,
        available={"models": project.models.names},
        clock=clock,
    )


async def _close_models(made: list[ModelRegistry]) -> None:
    for models in made:
        await models.aclose()


def _write_failed(error: BaseException) -> None:
    log.error("write_failed", error=str(error))


def _with_last_good(cursor: Cursor, project: Project) -> Project:
    return with_last_good(project, StoredIncumbents(cursor, project.registry))


def _source_names(project: Project) -> frozenset[str]:
    """Names of sources that are not tokens: conversations and repeats go by them."""
    settings = project.settings
    platforms = {item.name for item in settings.platforms}
    return frozenset(platforms | {item.name for item in settings.schedules} | {LOCAL_NAME})


_DISPATCH_FIELDS = {"dispatch_id", "binding_id", "outcome", "reason", "run_id"}
_RUN_FIELDS = {
    *("run_id", "binding_id", "runner_id", "attempt", "status", "code", "reason", "usage"),
    *("models", "warnings"),
}
_DELIVERY_FIELDS = {"delivery_id", "run_id", "message_id", "surface", "status", "content", "error"}


@dataclass(frozen=True, kw_only=True)
class EventStory:
    """All that is on record of one event."""

    stored: StoredEvent
    dispatches: tuple[DispatchRecord, ...]
    runs: tuple[RunRecord, ...]
    deliveries: tuple[DeliveryRecord, ...]

    def summary(self) -> dict[str, Any]:
        """How it ended: the outcome of each chosen binding, its run, and what was delivered, in order."""
        return {
            "event_uid": self.stored.envelope.event_uid,
            "outcome": self.stored.outcome,
            "dispatches": [
                item.model_dump(mode="json", include=_DISPATCH_FIELDS) for item in self.dispatches
            ],
            "runs": [item.model_dump(mode="json", include=_RUN_FIELDS) for item in self.runs],
            "deliveries": [
                item.model_dump(mode="json", include=_DELIVERY_FIELDS)
                for item in sorted(self.deliveries, key=lambda item: item.delivery_id)
            ],
        }


def read_story(cursor: Cursor, stored: StoredEvent) -> EventStory:
    """What became of an event, in one snapshot."""
    workspace, uid = stored.envelope.workspace_id, stored.envelope.event_uid or ""
    return EventStory(
        stored=stored,
        dispatches=tuple(dispatches.of_event(cursor, workspace, uid)),
        runs=tuple(runs.of_event(cursor, workspace, uid)),
        deliveries=tuple(outbox.of_event(cursor, workspace, uid)),
    )


@dataclass(frozen=True, kw_only=True)
class HostFile:
    """`host.json` beside the store: how commands find and reach the running host."""

    url: str
    pid: int
    token: str = field(repr=False)
    version: str = __version__

    @classmethod
    def path(cls, project: Project) -> Path:
        """Where it lies."""
        return sqlite_path(project.settings.storage.url, project.root).parent / HOST_FILE

    def write(self, path: Path) -> None:
        """Write it so that only its owner can read it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{self.pid}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            data = {"url": self.url, "pid": self.pid, "token": self.token, "version": self.version}
            # a copy of the folder has a copy of the file, which must not lead to the original's host
            json.dump({**data, "place": str(path.resolve())}, file)
        temporary.replace(path)

    @classmethod
    def read(cls, path: Path) -> "HostFile | None":
        """The running host, or None where there is none."""
        try:
            data = json.loads(path.read_text())
            if data["place"] != str(path.resolve()):
                return None
            found = cls(url=data["url"], pid=int(data["pid"]), token=data["token"], version=data["version"])
            os.kill(found.pid, 0)
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return None  # not there, not readable, not whole, or its process is gone
        return found

    @staticmethod
    def remove(path: Path) -> None:
        """Take it away at the end."""
        with suppress(FileNotFoundError):
            path.unlink()


def new_local_token() -> str:
    """A token for this host's own commands."""
    return "lba_local_" + secrets.token_urlsafe(24)
