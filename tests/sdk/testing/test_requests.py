"""What the fake server takes, what it refuses and why, and what it keeps of it."""

import json
from typing import Any

import openai
import pytest

from langbot_agents.sdk.testing import FakeOpenAI

from .asking import Asker

HELLO = {"role": "user", "content": "hello"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "sum", "arguments": "{}"}}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "3"}
TOOL = {"type": "function", "function": {"name": "sum"}}


def refuse(ask: Asker, messages: Any, **options: Any) -> tuple[int, str | None, str]:
    """Status, parameter and message of the error."""
    with pytest.raises(openai.APIStatusError) as caught:
        ask.whole(messages, **options)
    return caught.value.status_code, caught.value.param, caught.value.message


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ([], "messages"),
        ([{"role": "alien", "content": "x"}], "messages[0].role"),
        ([{"content": "x"}], "messages[0].role"),
        ([{"role": "user"}], "messages[0].content"),
        ([{"role": "user", "content": 7}], "messages[0].content"),
        ([{"role": "user", "content": None}], "messages[0].content"),
        ([HELLO, {"role": "user", "content": []}], "messages[1].content"),
        ([{"role": "user", "content": [{"type": "video"}]}], "messages[0].content[0].type"),
        ([{"role": "user", "content": [{"type": "text"}]}], "messages[0].content[0].text"),
        (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}],
            "messages[0].content[0].image_url.url",
        ),
        ([{"role": "assistant", "content": None}], "messages[0]"),
        ([HELLO, {**CALLS, "tool_calls": [{**CALL, "type": "x"}]}], "messages[1].tool_calls[0].type"),
        ([HELLO, {"role": "tool", "content": "3"}], "messages[1].tool_call_id"),
        ("not a list", "messages"),
    ],
)
def test_malformed_messages(ask: Asker, messages: Any, param: str) -> None:
    """A message that the service would not take is a 400 that names the place."""
    status, found, _ = refuse(ask, [HELLO], extra_body={"messages": messages})

    assert status == 400
    assert found == param


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 2.5},
        {"temperature": "hot"},
        {"top_p": -1},
        {"max_tokens": 0},
        {"max_completion_tokens": 1.5},
        {"n": 0},
        {"stop": ["a", "b", "c", "d", "e"]},
        {"seed": "x"},
        {"stream": "yes"},
        {"stream_options": {"include_usage": True}},
        {"tools": []},
        {"tools": [{"type": "function", "function": {"name": "not a name"}}]},
        {"tool_choice": "auto"},
        {"parallel_tool_calls": True},
        {"tools": [TOOL], "tool_choice": "sometimes"},
        {"response_format": {"type": "xml"}},
        {"max_tokens": 5, "max_completion_tokens": 5},
        {"user": 7},
    ],
    ids=str,
)
def test_malformed_options(ask: Asker, options: dict[str, Any]) -> None:
    """A field of the wrong type or range is a 400 that names the field."""
    status, param, _ = refuse(ask, [HELLO], extra_body=options)

    assert status == 400
    assert param is not None
    assert param.split(".")[0].split("[")[0] in options


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HELLO, CALLS], "call_1"),
        ([HELLO, CALLS, HELLO], "call_1"),
        ([HELLO, CALLS, {"role": "assistant", "content": "x"}, RESULT], "call_1"),
        ([HELLO, RESULT], "right before"),
        ([HELLO, CALLS, RESULT, RESULT], "right before"),
        ([HELLO, CALLS, {**RESULT, "tool_call_id": "call_2"}], "right before"),
    ],
    ids=["unanswered", "interrupted", "late", "unasked", "twice", "another"],
)
def test_order_of_tool_messages(ask: Asker, messages: Any, words: str) -> None:
    """Each call is answered by one tool message before anything else comes, else it is a 400."""
    status, _, message = refuse(ask, messages)

    assert status == 400
    assert words in message


def test_well_formed_requests_pass(ask: Asker) -> None:
    """Every documented field and message form is taken, and fields of other services too."""
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
        {"role": "user", "name": "ada", "content": [{"type": "text", "text": "look"}, image]},
        CALLS,
        RESULT,
        {"role": "assistant", "content": "Three."},
        HELLO,
    ]
    answer = ask.whole(
        messages,
        tools=[TOOL],
        tool_choice={"type": "function", "function": {"name": "sum"}},
        parallel_tool_calls=False,
        temperature=1,
        top_p=0.5,
        max_completion_tokens=100,
        stop="END",
        response_format={"type": "json_object"},
        seed=1,
        user="ada",
        reasoning_effort="low",
        extra_body={"top_k": 5},
    )

    assert answer.choices[0].finish_reason == "stop"


def test_unknown_model_and_path(ask: Asker) -> None:
    """A model that is not served is a 404 with its code, and so is another path."""
    with pytest.raises(openai.NotFoundError) as chat:
        ask.whole(model="gpt-none")
    with pytest.raises(openai.NotFoundError) as lookup:
        ask.client.models.retrieve("gpt-none")
    with pytest.raises(openai.NotFoundError) as embedding:
        ask.client.embeddings.create(model="gpt-none", input="x")
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        ask.client.files.list()

    assert {error.value.code for error in (chat, lookup, embedding)} == {"model_not_found"}


def test_any_model_can_be_served() -> None:
    """With `models=None` every name is answered, and stands in the answer."""
    with FakeOpenAI(models=None) as server, openai.OpenAI(base_url=server.base_url, api_key="k") as client:
        assert Asker(client).whole(model="anything").model == "anything"


@pytest.mark.parametrize("body", [b'{"model":', b"[]", b"", b"{}"])
def test_body_that_is_no_request(server: FakeOpenAI, ask: Asker, body: bytes) -> None:
    """A body that is not JSON, no object, or without a model is a 400, and is recorded as it came."""
    with pytest.raises(openai.BadRequestError):
        ask.client.post("/chat/completions", content=body, cast_to=object)

    assert server.requests[0].raw == body
    assert server.requests[0].messages == []


def test_bad_embeddings(ask: Asker) -> None:
    """Embeddings want a text or a list of texts."""
    with pytest.raises(openai.BadRequestError):
        ask.client.embeddings.create(model="fake-model", input=[])


def test_requests_are_recorded(server: FakeOpenAI, ask: Asker) -> None:
    """Each request is kept: method, path, headers, body, and how its answer ended."""
    ask.whole("What is it?", temperature=0.5, extra_headers={"X-Trace": "t1"})
    (request,) = server.requests

    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == "Bearer test-key"
    assert request.headers["x-trace"] == "t1"
    assert request.body["temperature"] == 0.5
    assert request.body == json.loads(request.raw)
    assert request.text == "What is it?"
    assert (request.status, request.wait()) == (200, "answered")
