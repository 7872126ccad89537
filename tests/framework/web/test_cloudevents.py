"""CloudEvents 1.0 over HTTP: both modes in, structured out, and the way round."""

from typing import Any

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.web import cloudevents
from langbot_agents.framework.web.problems import ProblemError
from langbot_agents.schemas import AgentEventEnvelope, sample, standard_types

CE = {"specversion": "1.0", "id": "7", "source": "/orders", "type": "api.invoked"}
STRUCTURED = {"Content-Type": "application/cloudevents+json"}


def test_structured_mode(client: httpx.Client) -> None:
    """A structured CloudEvent is an event: source and id are its identity, data its payload."""
    body = {**CE, "data": {"order": 3}, "time": "2026-01-01T00:00:00Z", "subject": "order-3"}
    uid = client.post("/v1/events?wait=5", json=body, headers=STRUCTURED).json()["event_uid"]
    event = client.get(f"/v1/events/{uid}").json()["event"]

    assert event["event_id"] == "/orders#7"
    assert event["input"]["data"] == {"order": 3}
    assert event["metadata"] == {"ce_source": "/orders"}
    assert event["event_time"] == 1767225600
    assert event["subject"]["subject_id"] == "order-3"


def test_binary_mode(client: httpx.Client) -> None:
    """The same event in binary mode is the same event, and is noticed as a repeat."""
    headers = {f"ce-{key}": value for key, value in {**CE, "id": "b%201"}.items()}
    first = client.post("/v1/events", json={"order": 4}, headers=headers).json()
    second = client.post(
        "/v1/events", json={**CE, "id": "b 1", "data": {"order": 4}}, headers=STRUCTURED
    ).json()

    assert second == {**first, "duplicate": True}


def test_binary_mode_takes_text_and_bytes(client: httpx.Client) -> None:
    """Data that is not JSON comes as text, or as base64."""
    headers = {f"ce-{key}": value for key, value in CE.items()}
    texts = client.post(
        "/v1/events?wait=5", content=b"hi", headers={**headers, "ce-id": "t", "Content-Type": "text/plain"}
    )
    raw = client.post(
        "/v1/events?wait=5",
        content=b"\x00\xff",
        headers={**headers, "ce-id": "r", "Content-Type": "image/png"},
    )

    assert texts.json()["deliveries"][0]["content"] == '"hi"'
    assert raw.json()["deliveries"][0]["content"] == '{"data_base64": "AP8="}'


def test_event_is_produced_as_cloudevent(client: httpx.Client) -> None:
    """An event is given as a structured CloudEvent to who asks for one."""
    uid = client.post("/v1/events", json={**CE, "id": "out", "data": 1}, headers=STRUCTURED).json()[
        "event_uid"
    ]
    answer = client.get(f"/v1/events/{uid}", headers={"Accept": "application/cloudevents+json"})

    assert answer.headers["content-type"] == "application/cloudevents+json"
    assert {key: answer.json()[key] for key in CE} == {**CE, "id": "out"}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "specversion"),
        ({**CE, "specversion": "0.3"}, "specversion"),
        ({**CE, "id": ""}, "id"),
        ({**CE, "source": 3}, "source"),
        ({**CE, "time": "yesterday"}, "time"),
        ({**CE, "time": "2026-01-01T00:00:00"}, "time"),
        ({**CE, "data": 1, "data_base64": "YQ=="}, "data_base64"),
        ({**CE, "data_base64": "?"}, "data_base64"),
        ({**CE, "type": "Com.Example.Thing"}, "event_type"),
    ],
)
def test_wrong_attribute_is_named(client: httpx.Client, body: dict[str, Any], path: str) -> None:
    """A CloudEvent that is not one is refused with its attribute."""
    answer = client.post("/v1/events", json=body, headers=STRUCTURED)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["path"] == path


def test_batches_are_refused(client: httpx.Client) -> None:
    """One event a request; a batch is refused, not half taken."""
    answer = client.post(
        "/v1/events", json=[CE], headers={"Content-Type": "application/cloudevents-batch+json"}
    )

    assert answer.status_code == 415


@pytest.mark.parametrize("contract", standard_types(), ids=lambda contract: contract.name)
def test_round_trip(contract: Any) -> None:
    """What we produce we read back as the same event."""
    event = AgentEventEnvelope.model_validate(sample(contract.name))
    document = cloudevents.to_structured(event)
    back = AgentEventEnvelope.model_validate(cloudevents.from_structured(document))

    again = cloudevents.to_structured(back)
    assert {**again, "data": None} == {**document, "data": None}
    assert back.input == event.input
    assert back.actor == event.actor


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_is_taken_or_refused(document: Any) -> None:
    """No JSON makes the reader break: it is an event's data, or a problem."""
    try:
        read = cloudevents.from_structured(document)["event_id"]
    except ProblemError as error:
        read = error.status
    assert read == 400 or isinstance(read, str)
