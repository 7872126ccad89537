"""Captures of a real server, replayed to the real client."""

import json
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI

from langbot_agents.sdk.testing import FakeOpenAI
from langbot_agents.sdk.testing.fake_openai.replay import Capture

from .asking import Asker

FOLDER = Path(__file__).parents[4] / "shared/data/service-transcripts/openai-compatible"
CAPTURES = sorted(FOLDER.glob("*.json"))
NEEDED = pytest.mark.skipif(not CAPTURES, reason=f"the captures are not here: {FOLDER}")


def send(server: FakeOpenAI, capture: Capture) -> tuple[int, bytes]:
    """Status and body of the answer to a capture's own request."""
    request = capture.request
    content = (
        request["body_text"].encode()
        if "body_text" in request
        else json.dumps(request["body"]).encode()
        if "body" in request
        else None
    )
    url = server.base_url.removesuffix("/v1") + request["path"]
    with OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        web: Any = client._client
        answer = web.request(request["method"], url, content=content)
        return answer.status_code, answer.content


@NEEDED
@pytest.mark.parametrize(
    "path", [path for path in CAPTURES if path.stem != "client-disconnect"], ids=lambda path: path.stem
)
def test_capture_is_answered_byte_for_byte(path: Path) -> None:
    """From the folder, each captured request gets its own captured status and body."""
    capture = Capture.read(path)
    with FakeOpenAI(replay=FOLDER) as server:
        status, body = send(server, capture)
        sent = server.requests[0].chunks_sent

    assert status == int(capture.response["status_line"].split()[1])
    assert body == capture.body
    assert sent == len(capture.response["chunks"])


def ask_capture(name: str, text: str = "hello", **options: Any) -> Any:
    """What the client makes of one capture."""
    with (
        FakeOpenAI(replay=FOLDER / f"{name}.json") as server,
        OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client,
    ):
        ask = Asker(client)
        return ask.stream(text, **options) if "stream" in name else ask.whole(text, **options)


@NEEDED
def test_client_reads_a_real_stream() -> None:
    """A genuine stream has a role without content first, an end, and no usage though it was asked for."""
    answer = ask_capture("chat-stream-usage", stream_options={"include_usage": True})

    assert answer.deltas[0].content is None
    assert answer.text.startswith("1. Red: The")
    assert answer.finish_reason == "length"
    assert answer.usage is None


@NEEDED
def test_client_reads_a_real_streamed_tool_call() -> None:
    """Each fragment repeats id and name; taken once, with the arguments joined, it is one call."""
    answer = ask_capture("tools-stream")
    ((id, name, arguments),) = answer.calls

    assert len({fragment.id for fragment in answer.fragments}) == 1 < len(answer.fragments)
    assert id == answer.fragments[0].id
    assert name == "get_weather"
    assert json.loads(arguments) == {"city": "Oslo"}
    assert answer.finish_reason == "tool_calls"


@NEEDED
def test_client_reads_a_real_overflow() -> None:
    """Streamed, the overflow is an empty 200; else it is an error with its code."""
    assert ask_capture("error-overlong-stream").chunks == []
    with pytest.raises(openai.BadRequestError) as caught:
        ask_capture("error-overlong")

    assert caught.value.code == "context_length_exceeded"


@NEEDED
def test_capture_that_broke_off_breaks_off() -> None:
    """What was captured only in part ends with a closed connection, not with an end."""
    with (
        FakeOpenAI(replay=FOLDER / "client-disconnect.json") as server,
        OpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client,
    ):
        answer = Asker(client).stream()

    assert answer.text == "Once upon a time, there"
    assert answer.error is not None


def test_own_captures_can_be_written(tmp_path: Path) -> None:
    """A capture is a small JSON file; pieces that are no text are base64, and times can be kept."""
    file = tmp_path / "own.json"
    chunks = [{"t_ms": 0, "base64": "eyJhIjo="}, {"t_ms": 200, "text": "1}"}]
    request = {"method": "GET", "path": "/v1/models"}
    response = {
        "status_line": "HTTP/1.1 207 Odd",
        "headers": [["X-Own", "1"], ["Connection", "close"]],
        "framing": "chunked",
        "chunks": chunks,
        "ended": "final zero chunk",
    }
    file.write_text(json.dumps({"request": request, "response": response}))
    with FakeOpenAI(replay=tmp_path, replay_speed=2) as server:
        status, body = send(server, Capture.read(file))
        sent = server.requests[0].chunks_sent
        other, refusal = send(
            server, Capture(name="x", note="", request={**request, "path": "/v1/x"}, response={})
        )

    assert (status, body, sent) == (207, b'{"a":1}', 2)
    assert other == 404
    assert b"have own" in refusal


def test_folder_without_captures(tmp_path: Path) -> None:
    """A folder that has none is refused by name."""
    with pytest.raises(ValueError, match="has no captures"):
        FakeOpenAI(replay=tmp_path)
