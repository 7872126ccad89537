"""The description of our HTTP: whole, true, and the same as what is checked in."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from langbot_agents.framework.web import create_app
from langbot_agents.framework.web.guard import OPEN_PATHS
from langbot_agents.framework.web.openapi import openapi, path_of
from langbot_agents.framework.web.table import ENDPOINTS

from .conftest import BINDINGS

ROOT = Path(__file__).parents[3]
DOCUMENT = openapi(ENDPOINTS)
MESSAGE = {"event_type": "message.received", "conversation_id": "person_1", "input": {"text": "hello"}}
YAML = {"Content-Type": "application/yaml"}


def strict(value: Any) -> Any:
    """A schema in which an object of ours has no key that is not described."""
    if isinstance(value, Mapping):
        made = {key: strict(item) for key, item in value.items()}
        if made.get("type") == "object" and "properties" in made:
            made.setdefault("additionalProperties", False)
        return made
    return [strict(item) for item in value] if isinstance(value, list) else value


STRICT = strict(DOCUMENT)


def check(method: str, path: str, answer: httpx.Response) -> None:
    """Hold an answer against what is described for it."""
    responses = STRICT["paths"][path][method.lower()]["responses"]
    described = responses.get(str(answer.status_code), responses["default"])
    if not answer.content:
        assert "content" not in described
        return
    media = answer.headers["content-type"].partition(";")[0]
    schema = described["content"][media]["schema"]
    Draft202012Validator({**schema, "components": STRICT["components"]}).validate(answer.json())


@pytest.fixture(scope="module")
def places(request: pytest.FixtureRequest) -> dict[str, str]:
    """What the placeholders of the paths stand for, on a host that has done something."""
    served = request.getfixturevalue("served")
    with served.client() as client:
        done = client.post("/v1/events?wait=10", json={**MESSAGE, "event_id": "known"}).json()
        client.post("/v1/events?wait=10", json={"event_type": "api.invoked", "input": {"data": [1]}})
        client.post("/v1/events?wait=10", json={"event_type": "bot.muted"})
        served.token("described", "read", expires_after=1000)
    return {
        "event_uid": done["event_uid"],
        "run_id": done["runs"][0]["run_id"],
        "binding_id": "slow",
        "key": quote(json.dumps(["local", "person_1", None], separators=(",", ":")), safe=""),
        "name": "echo",
    }


def references(value: Any) -> set[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(item) for item in value.values()))
    return set().union(*(references(item) for item in value)) if isinstance(value, list) else set()


def test_description_is_whole() -> None:
    """Each schema is valid, each reference leads somewhere, and none is there for nothing."""
    schemas = DOCUMENT["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)

    assert references(DOCUMENT) == {f"#/components/schemas/{name}" for name in schemas}


def test_every_operation_says_what_it_is() -> None:
    """Each operation has a name of its own, a summary, what it needs, and at least one good answer."""
    operations = [each for path in DOCUMENT["paths"].values() for each in path.values()]

    assert len({each["operationId"] for each in operations}) == len(operations) == len(ENDPOINTS)
    assert all(each["summary"] and each["description"] for each in operations)
    assert all(any(status.startswith("2") for status in each["responses"]) for each in operations)


@pytest.mark.anyio
async def test_every_route_is_described(make_house: Callable[..., Any]) -> None:
    """The application has a route for each operation, and no other."""
    async with make_house(bindings=[{"runner_id": "echo"}]).open() as opened:
        app = create_app(opened.host, token="x")
    routes = {
        (method, route.path)
        for route in app.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    described = {
        (method.upper(), path) for path, operations in DOCUMENT["paths"].items() for method in operations
    }

    assert len(routes) == len(app.routes)
    assert routes == {(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}
    assert described == {(endpoint.method, path_of(endpoint)) for endpoint in ENDPOINTS}


def test_description_is_served_and_checked_in(client: httpx.Client) -> None:
    """What is served is what is checked in."""
    stored = json.loads((ROOT / "schemas/json/openapi.json").read_text("utf-8"))

    assert client.get("/openapi.json").json() == stored == DOCUMENT


@pytest.mark.parametrize("path", [path_of(item) for item in ENDPOINTS if item.method == "GET"])
def test_answers_are_as_described(client: httpx.Client, places: dict[str, str], path: str) -> None:
    """A real call's answer has exactly what is described, and a refusal is a problem."""
    good = client.get(path.format(**places))
    bad = client.get(path.format(**places), params={"nonsense": "1"})

    assert good.status_code == 200
    if path != "/openapi.json":
        check("GET", path, good)
    assert bad.status_code == (200 if path in OPEN_PATHS else 400)
    check("GET", path, bad)


def test_answers_to_changes_are_as_described(client: httpx.Client, places: dict[str, str]) -> None:
    """Also what is answered to what is sent is exactly what is described."""
    run = f"/v1/runs/{places['run_id']}/cancel"
    made = client.post("/v1/tokens", json={"name": "made", "scopes": ["ingest"]})
    broken = BINDINGS.lstrip().replace("runner_id: discard", "runner_id: discrad")
    long = client.post("/v1/events", json={**MESSAGE, "input": {"text": "slow " * 50}}).json()
    while not (runs := client.get(f"/v1/events/{long['event_uid']}").json()["runs"]):
        pass
    conversation = f"/v1/conversations/{places['key']}"
    answers = [
        ("POST", "/v1/runs/{run_id}/cancel", client.post(f"/v1/runs/{runs[0]['run_id']}/cancel")),
        ("POST", "/v1/runs/{run_id}/cancel", client.post(run)),
        ("POST", "/v1/events", client.post("/v1/events", json=MESSAGE)),
        ("POST", "/v1/events", client.post("/v1/events?wait=20", json=MESSAGE)),
        ("POST", "/v1/events", client.post("/v1/events", json={"event_type": "X"})),
        ("POST", "/v1/route", client.post("/v1/route", json={**MESSAGE, "input": {"text": "slow"}})),
        ("POST", "/v1/route", client.post("/v1/route", json={"event_type": "friend.added"})),
        ("POST", "/v1/bindings/{binding_id}/pause", client.post("/v1/bindings/quiet/pause", json={})),
        ("GET", "/v1/bindings", client.get("/v1/bindings")),
        ("POST", "/v1/route", client.post("/v1/route", json={"event_type": "bot.muted"})),
        ("POST", "/v1/bindings/{binding_id}/resume", client.post("/v1/bindings/quiet/resume")),
        ("POST", "/v1/bindings/validate", client.post("/v1/bindings/validate", content=broken, headers=YAML)),
        ("POST", "/v1/conversations/{key}/reset", client.post(f"{conversation}/reset")),
        ("GET", "/v1/conversations/{key}", client.get(conversation)),
        ("POST", "/v1/tokens", made),
        ("POST", "/v1/tokens", client.post("/v1/tokens", json={"name": "made", "scopes": ["ingest"]})),
        ("DELETE", "/v1/tokens/{name}", client.delete("/v1/tokens/made")),
        ("DELETE", "/v1/tokens/{name}", client.delete("/v1/tokens/made")),
    ]
    for method, path, answer in answers:
        check(method, path, answer)
    called = {(method, path) for method, path, _ in answers if method != "GET"}

    assert called == {(item.method, path_of(item)) for item in ENDPOINTS if item.method != "GET"}
    assert [answer.status_code for _, _, answer in answers] == [
        *(202, 200, 202, 200, 400, 200, 200, 200, 200, 200, 200, 200, 200, 200, 201, 409, 204, 404)
    ]
