"""An outsider with a token, over a real server: what it may do, see and state, and for how long."""

import time
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from langbot_agents.framework.web.table import ENDPOINTS

from .conftest import Served, make_project, sse

BINDINGS = """
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: chat
event_types: [message.received]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: shop-chat
event_types: [message.received]
scope: {workspace_id: shop}
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: slow
event_types: [api.invoked]
scope: {workspace_id: ["default", "shop"]}
runner_id: echo
runner_config: {delay: 0.2}
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: shop-broken
event_types: [message.received]
scope: {workspace_id: shop}
runner_id: nobody-has-this
"""
MESSAGE = {"event_type": "message.received", "input": {"text": "hello"}}
STREAM = {"Accept": "text/event-stream"}
ALL = ("ingest", "read", "operate")
ADDRESSES = {
    "event_uid": "evt_1",
    "run_id": "run_1",
    "binding_id": "chat",
    "key": "x",
    "name": "echo",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with two workspaces."""
    server = make_project(tmp_path_factory.mktemp("served"), BINDINGS).start()
    yield server
    server.stop()


@pytest.fixture
def outsider(served: Served) -> Iterator[httpx.Client]:
    """Somebody who may send events to the workspace `shop`, and no more."""
    name = f"outsider-{time.monotonic_ns()}"
    token = served.token(name, "ingest", workspace_id="shop", may_state={"bots": ["shop-*"]})
    with served.outsider(token) as client:
        yield client


@pytest.mark.parametrize(
    ("claim", "path"),
    [
        ({"bot_id": "other"}, "bot_id"),
        ({"actor": {"actor_type": "user", "actor_id": "boss"}}, "actor.actor_id"),
        ({"event_type": "group.member_joined"}, "event_type"),
        ({"source": {"kind": "platform_adapter", "name": "telegram"}}, "source"),
        ({"workspace_id": "default"}, "workspace_id"),
        ({"delivery": {"surface": "terminal"}}, "delivery"),
    ],
)
@pytest.mark.parametrize("headers", [{}, STREAM], ids=["answer", "stream"])
def test_outsider_cannot_name_another(
    outsider: httpx.Client, client: httpx.Client, claim: dict[str, Any], path: str, headers: dict[str, str]
) -> None:
    """Another bot, actor, type, source, workspace or target is a 403 with the field; nothing is taken."""
    before = client.get("/v1/events?workspace=shop").json()
    answer = outsider.post("/v1/events", json={**MESSAGE, **claim}, headers=headers)

    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"
    assert answer.json()["errors"][0]["path"] == path
    assert client.get("/v1/events?workspace=shop").json() == before


def test_outsiders_event_is_its_own(outsider: httpx.Client, client: httpx.Client) -> None:
    """Source, workspace and, where nobody else acts, the actor of an event are the token's."""
    done = sse(outsider.post("/v1/events", json={**MESSAGE, "bot_id": "shop-1"}, headers=STREAM))
    event = client.get(f"/v1/events/{done[0][1]['event_uid']}?workspace=shop").json()["event"]
    name = event["source"]["name"]

    assert done[-1][0] == "done"
    assert done[-1][1]["deliveries"][0]["content"] == "hello"
    assert event["workspace_id"] == "shop"
    assert event["source"] == {"kind": "http_api", "name": name}
    assert name.startswith("outsider-")
    assert {key: event["actor"][key] for key in ("actor_type", "actor_id")} == {
        "actor_type": "service",
        "actor_id": name,
    }


def test_local_caller_streams_an_event_of_another_workspace_to_its_end(client: httpx.Client) -> None:
    """Also an event that was accepted for another workspace streams its `done`, and is found again."""
    answer = client.post("/v1/events", json={**MESSAGE, "workspace_id": "shop"}, headers=STREAM)
    done = sse(answer)
    waited = client.post("/v1/events?wait=10", json={**MESSAGE, "workspace_id": "shop"}).json()

    assert done[-1][1]["dispatches"][0]["binding_id"] == "shop-chat"
    assert waited["dispatches"][0]["binding_id"] == "shop-chat"
    assert client.get(answer.headers["location"]).json()["event"]["workspace_id"] == "shop"


def test_every_endpoint_wants_its_scope(served: Served) -> None:
    """Each endpoint but the probes refuses who has all scopes but its own, before it does anything."""
    scopes = {"ingest", "read", "operate", "approve", "impersonate"}
    clients = {
        scope: served.outsider(served.token(f"without-{scope}", *(scopes - {scope}))) for scope in scopes
    }
    clients["local"] = served.outsider(served.token("with-all", *scopes))
    wrong = []
    for endpoint in ENDPOINTS:
        if endpoint.access not in clients:
            continue
        path = endpoint.path.replace(":path", "").format(**ADDRESSES)
        answer = clients[endpoint.access].request(endpoint.method, path)
        if answer.status_code != 403 or answer.json()["code"] != "forbidden":
            wrong.append((endpoint.method, path, answer.status_code))
    for each in clients.values():
        each.close()

    assert wrong == []


def test_every_endpoint_wants_a_token(served: Served) -> None:
    """Without a token only the probes answer."""
    with served.client(authorised=False) as client:
        statuses = {
            (endpoint.method, endpoint.path): client.request(
                endpoint.method, endpoint.path.replace(":path", "").format(**ADDRESSES)
            ).status_code
            for endpoint in ENDPOINTS
        }

    assert {key for key, status in statuses.items() if status != 401} == {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
    }


def test_who_only_sends_cannot_read_or_operate(outsider: httpx.Client) -> None:
    """With `ingest` alone nothing is read, cancelled, paused or reset."""
    done = outsider.post("/v1/events?wait=10", json=MESSAGE).json()
    run_id = done["runs"][0]["run_id"]
    refused = [
        outsider.get(f"/v1/events/{done['event_uid']}"),
        outsider.get(f"/v1/runs/{run_id}/results"),
        outsider.post(f"/v1/runs/{run_id}/cancel"),
        outsider.post("/v1/bindings/shop-chat/pause"),
        outsider.post("/v1/conversations/x/reset"),
        outsider.get("/v1/tokens"),
        outsider.post("/v1/tokens", json={"name": "more", "scopes": ["operate"]}),
        outsider.delete("/v1/tokens/more"),
    ]

    assert [answer.status_code for answer in refused] == [403] * len(refused)


def test_workspaces_are_isolated(served: Served, client: httpx.Client) -> None:
    """A token with every right in one workspace neither sees nor touches anything of another."""
    own = {**MESSAGE, "conversation_id": "person_iso", "event_id": "iso"}
    uid = client.post("/v1/events?wait=10", json=own).json()["event_uid"]
    run_id = client.get("/v1/runs?limit=1").json()["runs"][0]["run_id"]
    key = client.get("/v1/conversations").json()["conversations"][0]["conversation_key"]
    token = served.token("neighbour", *ALL, workspace_id="shop")
    with served.outsider(token) as neighbour:
        hidden = [
            neighbour.get(f"/v1/events/{uid}"),
            neighbour.get("/v1/events/iso"),
            neighbour.get(f"/v1/events/{uid}/decision"),
            neighbour.get(f"/v1/runs/{run_id}"),
            neighbour.get(f"/v1/runs/{run_id}/results"),
            neighbour.get(f"/v1/runs/{run_id}/results", headers=STREAM),
            neighbour.post(f"/v1/runs/{run_id}/cancel"),
            neighbour.get(f"/v1/conversations/{key}"),
            neighbour.post(f"/v1/conversations/{key}/reset"),
            neighbour.get("/v1/bindings/chat"),
            neighbour.post("/v1/bindings/chat/pause"),
            neighbour.post("/v1/bindings/chat/resume"),
        ]
        foreign = [
            neighbour.get(path, params={"workspace": "default"})
            for path in ("/v1/events", "/v1/runs", "/v1/bindings", "/v1/conversations", f"/v1/runs/{run_id}")
        ]
        listed = [
            neighbour.get("/v1/events").json()["events"],
            neighbour.get("/v1/runs").json()["runs"],
            neighbour.get("/v1/conversations").json()["conversations"],
        ]
        seen = {item["binding_id"] for item in neighbour.get("/v1/bindings").json()["bindings"]}
        explained = neighbour.post("/v1/route", json=MESSAGE).json()
        shared = neighbour.post("/v1/bindings/slow/pause")
        probed = neighbour.get("/readyz").json()
        repeated = neighbour.post("/v1/events?wait=10", json=own).json()

    assert [answer.status_code for answer in hidden] == [404] * len(hidden)
    assert [answer.status_code for answer in foreign] == [403] * len(foreign)
    assert uid not in str(listed)
    assert run_id not in str(listed)
    assert "person_iso" not in str(listed)
    assert seen == {"shop-chat", "slow", "shop-broken"}
    assert {item["binding_id"] for item in explained["bindings"]} == seen
    assert explained["winner"] == "shop-chat"
    assert shared.status_code == 403
    assert "reasons" not in probed
    assert repeated["duplicate"] is False


def test_route_stays_in_the_workspace(served: Served) -> None:
    """What would become of an event of another workspace is not told either."""
    with served.outsider(served.token("asker", "read", workspace_id="shop")) as asker:
        answer = asker.post("/v1/route", json={**MESSAGE, "workspace_id": "default"})
        own = asker.post("/v1/route", json={**MESSAGE, "bot_id": "any", "actor": {"actor_type": "user"}})

    assert answer.status_code == 403
    assert own.json()["winner"] == "shop-chat"
