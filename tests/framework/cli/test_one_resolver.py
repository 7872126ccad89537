"""The host, `POST /v1/route`, `lba route`, `diff`, `why` and `replay` come to one decision."""

import json
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from langbot_agents.framework.bindings import BindingEntry
from langbot_agents.framework.router import RoutedEvent

from ..routing_worlds import happenings, worlds
from .conftest import ROOT_DOCUMENT, Run, Server

NAMES = (
    "event_type",
    "bot_id",
    "conversation_id",
    "thread_id",
    "actor",
    "subject",
    "source",
    "input",
    "metadata",
)


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the project of each example lies."""
    return tmp_path_factory.mktemp("worlds")


def write_project(folder: Path, world: list[BindingEntry]) -> None:
    """A project of these bindings, whatever `validate` has to say about them."""
    documents = [
        {
            "apiVersion": "langbot-agents/v1",
            "kind": "AgentBinding",
            **entry.document.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            "binding_id": entry.binding_id,
        }
        for entry in world
    ]
    (folder / "bindings").mkdir(parents=True)
    (folder / "langbot-agents.yaml").write_text(ROOT_DOCUMENT)
    (folder / "bindings" / "all.yaml").write_text(yaml.safe_dump_all(documents, sort_keys=False))


def decided(explained: Any) -> tuple[Any, ...]:
    """What an explanation says of who answers, and each reason."""
    codes = {(item["binding_id"], item["code"]) for item in explained["bindings"]}
    return explained["winner"], tuple(explained["observers"]), explained["set_digest"], codes


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(world=worlds(), events=st.lists(happenings(), min_size=2, max_size=3))
def test_one_resolver(lba: Run, folder: Path, world: list[BindingEntry], events: list[RoutedEvent]) -> None:
    """For generated bindings and events all say the same: the winner, the observers and each reason."""
    project = folder / str(len(list(folder.iterdir())))
    write_project(project, world)
    here = ("-c", str(project))
    server = Server(*here)
    try:
        server.until("  -d ")
        host = json.loads((project / "data" / "host.json").read_text())
        for number, event in enumerate(events):
            whole = event.envelope.model_dump(mode="json")
            data = {name: whole[name] for name in NAMES} | {"event_id": f"e{number}"}
            posted = httpx.post(
                f"{host['url']}/v1/events",
                json=data,
                headers={"Authorization": f"Bearer {host['token']}"},
                trust_env=False,
            )
            assert posted.status_code == 202, posted.text
            _same_everywhere(lba, here, host, posted.json()["event_uid"])
    finally:
        server.stop()
    same = lba("diff", *here, str(project), str(project), "--events", "1h", "-o", "json").json

    assert (same["events"], same["moved"]) == (len(events), 0)


def _same_everywhere(lba: Run, here: tuple[str, ...], host: dict[str, str], uid: str) -> None:
    why = lba("why", *here, uid, "-o", "json").json
    stored = why["decision"]
    at = str(stored["clock"])
    route = lba("route", *here, uid, "--at", at, "-o", "json").json
    asked = httpx.post(
        f"{host['url']}/v1/route",
        params={"at": at},
        json=why["event"],
        headers={"Authorization": f"Bearer {host['token']}"},
        trust_env=False,
    ).json()
    replay = lba("events", "replay", *here, uid, "-o", "json").json

    assert why["repeats"]
    assert not why["differs"]
    assert decided(why["then"]) == decided(why["now"]) == decided(route) == decided(asked)
    assert (stored["winner"], tuple(stored["observers"]), stored["set_digest"]) == decided(route)[:3]
    listed = {(item["binding_id"], item["code"]) for item in stored["entries"]}
    assert listed <= decided(route)[3]
    assert replay["then"] == replay["now"]
