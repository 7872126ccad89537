"""The one way a runner is invoked."""

from collections.abc import Mapping
from typing import Any

from anyio.abc import TaskGroup

from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import RunRecord

from ..bindings import BindingEntry
from ..ids import new_id
from .handle import RunHandle
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
        falls_through: bool = False,
        params: Mapping[str, Any] | None = None,
    ) -> RunHandle:
        """Run a binding on an event that is on disk; iterate the handle for the normalised results.

        `resume` goes on with a run that a crash cut off. `falls_through` says that another binding will
        be tried after a failure without effect, so that nobody is told of it.
        """
        handle = RunHandle(resume.run_id if resume else new_id("run"))
        run = Run(
            self.parts,
            handle,
            event,
            binding,
            dispatch_id=dispatch_id,
            resume=resume,
            falls_through=falls_through,
            params=params or {},
        )
        self._tasks.start_soon(run.execute, name=handle.run_id)
        return handle
