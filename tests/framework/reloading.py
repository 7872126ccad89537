"""A project on disk whose files a test changes under a running host."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel

from langbot_agents.framework.app import EventStory, Host, open_host
from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.store import events
from langbot_agents.framework.store.events import StoredEvent
from langbot_agents.sdk import AgentRunContext, completed, delta

from .conftest import Opened, RunnersPlugin, runner_class

GATE: dict[str, anyio.Event] = {}
"""A runner waits here while a test changes files."""


async def _tell(ctx: AgentRunContext[Any]) -> AsyncGenerator[Any, None]:
    """Says the revision that its config names, at its begin and at its end."""
    yield delta(f"{ctx.config.says}:")
    gate = GATE.get(ctx.input.to_text())
    if gate is not None:
        await gate.wait()
    else:
        await anyio.lowlevel.checkpoint()
    yield delta(str(ctx.config.says))
    yield completed()


async def _fail(ctx: AgentRunContext[Any]) -> AsyncGenerator[Any, None]:
    """Waits, and breaks."""
    await GATE[ctx.input.to_text()].wait()
    raise RuntimeError("broken")
    yield completed()


PLUGIN = RunnersPlugin([runner_class("tell", _tell), runner_class("fail", _fail)])


def binding(name: str, says: str = "1", **fields: Any) -> dict[str, Any]:
    """A binding document."""
    return {
        "apiVersion": "langbot-agents/v1",
        "kind": "AgentBinding",
        "binding_id": name,
        "event_types": ["message.received"],
        "runner_id": "tell",
        "runner_config": {"says": says},
        **fields,
    }


class Files:
    """A project on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root_document()

    def root_document(self, **settings: Any) -> None:
        """Write langbot-agents.yaml."""
        host = {"apiVersion": "langbot-agents/v1", "kind": "Host", **settings}
        self._replace(self.root / "langbot-agents.yaml", json.dumps(host))

    def write(self, file: str, *documents: Mapping[str, Any] | str) -> None:
        """Write a file of documents in one move, as editors do."""
        texts = [item if isinstance(item, str) else json.dumps(item) for item in documents]
        self._replace(self.root / "bindings" / file, "\n---\n".join(texts))

    def remove(self, file: str) -> None:
        """Take a file away."""
        (self.root / "bindings" / file).unlink()

    def project(self) -> Project:
        """What a start loads."""
        return load_project(self.root, plugins={"tests": PLUGIN})

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Opened]:
        """A running host."""
        with anyio.fail_after(60):
            async with open_host(self.project()) as host:
                yield Opened(host)

    def _replace(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.new")
        temporary.write_text(text)
        temporary.replace(path)


def said(story: EventStory) -> list[Any]:
    """What was delivered."""
    return [item.content for item in story.deliveries]


def live(host: Host) -> dict[str, Any]:
    """What each live binding says."""
    return {item.binding_id: item.document.runner_config["says"] for item in host.bindings.live}


async def changes(opened: Opened) -> list[StoredEvent]:
    """The events about changes, oldest first."""
    page = await opened.host.db.read(events.page, "default", limit=500)
    return [item for item in reversed(page) if item.envelope.event_type == "system.config_changed"]


BROKEN = binding("a", "2", priority="high")
