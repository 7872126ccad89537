"""A real host in a folder of its own, with the runners and bindings that a test writes."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from langbot_agents.framework.app import EventStory, Host, open_host, read_story
from langbot_agents.framework.bindings import check_bindings
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.gateway import Accepted, Caller
from langbot_agents.framework.platforms import Frame
from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.run_api import AgentRunSession
from langbot_agents.framework.store import Cursor, events, run_results, transcript
from langbot_agents.schemas.records import RunRecord, RunResultRecord, TranscriptEntry
from langbot_agents.schemas.runners import (
    AgentContextRequest,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
)
from langbot_agents.sdk import AgentRunContext, AgentRunner, hookimpl
from langbot_agents.sdk.hooks import RegisterRunner

RunFunction = Callable[[AgentRunContext[Any]], Any]
CALLER = Caller(name="local", surface="terminal", impersonate=True)
VERBS = AgentRunnerPermissions(state=("get", "set", "list"), history=("page",))


def runner_class(
    name: str,
    function: RunFunction,
    *,
    capabilities: Mapping[str, bool] | None = None,
    context_request: AgentContextRequest | None = None,
    permissions: AgentRunnerPermissions = VERBS,
    config_schema: Mapping[str, Any] | None = None,
) -> type[AgentRunner]:
    """A runner `plugin:test/<name>/default`, which is also called `<name>`, that runs a function."""

    class Runner(AgentRunner):
        manifest = AgentRunnerManifest(
            id=f"plugin:test/{name}/default",
            label=name,
            capabilities=AgentRunnerCapabilities(**(capabilities or {"streaming": True})),
            permissions=permissions,
            context_request=context_request,
            config_schema=dict(config_schema or {"type": "object"}),
        )

        def run(self, ctx: AgentRunContext[Any]) -> Any:
            return function(ctx)

    return Runner


class RunnersPlugin:
    """Offers runner classes by the hook that any package uses."""

    def __init__(self, runners: Sequence[type[AgentRunner]]) -> None:
        self._runners = runners

    @hookimpl
    def register_runners(self, register: RegisterRunner) -> None:
        """Offer them, each under its short name too."""
        for runner in self._runners:
            register(runner, aliases=(runner.manifest.id.split("/")[1],))


@dataclass
class House:
    """A project folder; `open` starts a host on it, as often as a test wants."""

    root: Path
    bindings: list[dict[str, Any]]
    runners: list[type[AgentRunner]]
    plugins: dict[str, object] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def project(self) -> Project:
        """The project as it lies on disk, with the runners of the test."""
        (self.root / "bindings").mkdir(exist_ok=True)
        host = {"apiVersion": "langbot-agents/v1", "kind": "Host", **self.settings}
        (self.root / "langbot-agents.yaml").write_text(json.dumps(host))
        documents = [
            json.dumps({"apiVersion": "langbot-agents/v1", "kind": "AgentBinding", **binding})
            for binding in self.bindings
        ]
        (self.root / "bindings/all.yaml").write_text("\n---\n".join(documents))
        project = load_project(self.root)
        project.plugins.add("tests", RunnersPlugin(self.runners))
        for name, plugin in self.plugins.items():
            project.plugins.add(name, plugin)
        registry = AgentRunnerRegistry()
        registry.discover(project.plugins)
        files = load_bindings(self.root, project.settings.bindings, event_types=())
        checked = check_bindings(files, registry, timezone="UTC")
        assert [item for item in checked.findings if item.severity == "error"] == []
        return replace(project, registry=registry, bindings=checked.set)

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Opened"]:
        """A running host."""
        with anyio.fail_after(60):
            async with open_host(self.project()) as host:
                yield Opened(host)


@dataclass
class Opened:
    """A running host, and the few things that every test asks of it."""

    host: Host

    async def accept(self, text: str | None = "hello", **fields: Any) -> Accepted:
        """Take an event in, by default a message of one conversation."""
        data: dict[str, Any] = {
            "event_type": "message.received",
            "conversation_id": "person_1",
            "actor": {"actor_type": "user", "actor_id": "u1"},
            "input": {"text": text},
            **fields,
        }
        return await self.host.run_from_event(data, CALLER)

    async def say(self, text: str | None = "hello", **fields: Any) -> EventStory:
        """Take an event in, and wait for its end."""
        accepted = await self.accept(text, **fields)
        await self.host.settled()
        return await self.story(accepted.event_uid)

    async def listen(self, text: str | None = "hello", **fields: Any) -> tuple[list[Frame], EventStory]:
        """Take an event in, and read what is delivered to the end."""
        data: dict[str, Any] = {
            "event_type": "message.received",
            "conversation_id": "person_1",
            "actor": {"actor_type": "user", "actor_id": "u1"},
            "input": {"text": text},
            **fields,
        }
        box = self.host.surfaces.mailboxes["terminal"]
        frames: list[Frame] = []
        with ExitStack() as stack:
            readers: list[Any] = []
            accepted = await self.host.run_from_event(
                data,
                CALLER,
                before_append=lambda uid: readers.append(stack.enter_context(box.listen(uid))),
            )
            frames.extend([frame async for frame in readers[0]])
        await self.host.settled()
        return frames, await self.story(accepted.event_uid)

    async def story(self, event_uid: str) -> EventStory:
        """All that is on record of an event."""

        def read(cursor: Cursor) -> EventStory:
            stored = events.get(cursor, "default", event_uid)
            assert stored is not None
            return read_story(cursor, stored)

        return await self.host.db.read(read)

    async def session(self, event_uid: str) -> AgentRunSession:
        """The run of an event, once it lives."""
        sessions = self.host.parts.sessions
        await until(lambda: sessions.of_event(event_uid))
        return sessions.of_event(event_uid)[0]

    async def results(self, run: RunRecord) -> list[RunResultRecord]:
        """What the ledger has of a run."""
        return await self.host.db.read(run_results.after, "default", run.run_id)

    async def history(self, conversation: str = "person_1") -> list[TranscriptEntry]:
        """What was said in a conversation of this source."""
        key = json.dumps(["local", conversation, None], separators=(",", ":"))
        window = await self.host.db.read(transcript.page, "default", key, limit=1000)
        return list(window.entries)


async def until(condition: Callable[[], object]) -> None:
    """Wait until it is so."""
    with anyio.fail_after(10):
        while not condition():  # noqa: ASYNC110  # there is nothing to wait for: the runs are not the test's own
            await anyio.sleep(0.005)


MakeHouse = Callable[..., House]


@pytest.fixture
def make_house(tmp_path: Path) -> MakeHouse:
    """Make a project with one binding per runner function, or with the bindings given."""

    def make(
        *functions: RunFunction,
        bindings: Sequence[Mapping[str, Any]] | None = None,
        runners: Sequence[type[AgentRunner]] = (),
        plugins: Mapping[str, object] | None = None,
        settings: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> House:
        classes = [runner_class(function.__name__.strip("_"), function) for function in functions]
        classes += runners
        made: list[dict[str, Any]] = []
        for number, binding in enumerate(bindings if bindings is not None else [{}]):
            runner_id = classes[0].manifest.id if classes else "echo"
            made.append(
                {
                    "binding_id": f"b{number}",
                    "event_types": ["message.received"],
                    "runner_id": runner_id,
                    **fields,
                    **binding,
                }
            )
        return House(tmp_path, made, classes, dict(plugins or {}), dict(settings or {}))

    return make
