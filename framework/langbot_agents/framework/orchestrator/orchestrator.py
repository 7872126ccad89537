"""The one way a runner is invoked."""

from collections.abc import Callable, Mapping
from typing import Any

from anyio.abc import TaskGroup

from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import RunRecord

from ..bindings import BindingEntry
from ..ids import new_id
from ..store import Cursor
from .handle import RunHandle, RunOutcome
from .parts import RunParts
from .run import Run


class AgentRunOrchestrator:
    """Starts runs, each in a task of its own."""

    def __init__(self, parts: RunParts, tasks: TaskGroup) -> None:
        self.parts = parts
        self._tasks = tasks

    def run(
        self,
        event: AgentEventEnvelope,
        binding: BindingEntry,
        *,
        dispatch_id: str | None = None,
        resume: RunRecord | None = None,
        follow: Callable[[Cursor], None] | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> RunHandle:
        """Run a binding on an event that is on disk; iterate the handle for the normalised results.

        `resume` goes on with a run that a crash cut off. `follow` writes down what is tried after a failure
        without effect; it is part of the commit that ends the run, and then nobody is told of the failure.
        """
        run = self._make(event, binding, dispatch_id=dispatch_id, resume=resume, follow=follow, params=params)
        self._tasks.start_soon(run.execute, name=run.handle.run_id)
        return run.handle

    async def complete(
        self,
        event: AgentEventEnvelope,
        binding: BindingEntry,
        *,
        dispatch_id: str | None = None,
        resume: RunRecord | None = None,
        follow: Callable[[Cursor], None] | None = None,
        first: bool = False,
        params: Mapping[str, Any] | None = None,
        started: Callable[[RunHandle], None] | None = None,
    ) -> RunOutcome:
        """The same in the task of the caller, to the end; `started` gets the handle, whose results else
        nobody reads. `first` says that the event's words cannot be in the history yet.
        """
        run = self._make(event, binding, dispatch_id=dispatch_id, resume=resume, follow=follow, params=params)
        if started is None:
            run.handle.discard()
        else:
            started(run.handle)
        await run.execute()
        return await run.handle.wait(read=started is not None)

    def _make(
        self,
        event: AgentEventEnvelope,
        binding: BindingEntry,
        *,
        dispatch_id: str | None,
        resume: RunRecord | None,
        follow: Callable[[Cursor], None] | None,
        params: Mapping[str, Any] | None,
        first: bool = False,
    ) -> Run:
        return Run(
            self.parts,
            RunHandle(resume.run_id if resume else new_id("run")),
            event,
            binding,
            tasks=self._tasks,
            dispatch_id=dispatch_id,
            resume=resume,
            follow=follow,
            first=first,
            params=params or {},
        )
