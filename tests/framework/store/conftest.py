"""A real database in a folder of its own, and makers of records."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from langbot_agents.framework.clock import utc_now
from langbot_agents.framework.ids import new_id
from langbot_agents.framework.store import Database, events
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DispatchRecord, RunRecord

MakeEvent = Callable[..., AgentEventEnvelope]


@pytest.fixture
def anyio_backend() -> str:
    """Asyncio: the writer settles its futures."""
    return "asyncio"


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    """A fresh database."""
    async with Database.open("sqlite:///store.db", root=tmp_path) as database:
        yield database


@pytest.fixture
def make_event() -> MakeEvent:
    """Make an event, with an id or without."""

    def make(event_id: str | None = None, **fields: Any) -> AgentEventEnvelope:
        values = {
            "event_id": event_id,
            "event_type": "message.received",
            "source": {"kind": "platform_adapter", "name": "telegram"},
            "bot_id": "bot-1",
            "conversation_id": "person_7",
            "delivery": {"surface": "telegram"},
        }
        return events.stamped(AgentEventEnvelope.model_validate(values | fields))

    return make


@pytest.fixture
def make_decision() -> Callable[..., Decision]:
    """Make a decision of an event."""

    def make(event_uid: str, **fields: Any) -> Decision:
        values = {
            "decision_id": new_id("dec"),
            "event_uid": event_uid,
            "clock": 1.5,
            "set_digest": "sha256:0",
            "function_set": "1",
        }
        return Decision.model_validate(values | fields)

    return make


@pytest.fixture
def make_dispatch() -> Callable[..., DispatchRecord]:
    """Make a dispatch of an event."""

    def make(event_uid: str, binding_id: str = "helper", **fields: Any) -> DispatchRecord:
        values = {
            "dispatch_id": new_id("dsp"),
            "event_uid": event_uid,
            "binding_id": binding_id,
            "revision": "sha256:1",
            "flow_key": "k",
            "created_at": utc_now(),
        }
        return DispatchRecord.model_validate(values | fields)

    return make


@pytest.fixture
def make_run() -> Callable[..., RunRecord]:
    """Make a run of an event."""

    def make(event_uid: str = "evt_1", **fields: Any) -> RunRecord:
        values = {
            "run_id": new_id("run"),
            "event_uid": event_uid,
            "binding_id": "helper",
            "revision": "sha256:1",
            "runner_id": "plugin:a/b/default",
            "host_version": "0.1.0",
            "created_at": utc_now(),
        }
        return RunRecord.model_validate(values | fields)

    return make
