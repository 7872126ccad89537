"""The fake server's refusals and broken answers, as the real client sees them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import openai
import pytest
from openai import OpenAI

from langbot_agents.sdk.testing import FakeFailure, FakeOpenAI, FakeReply
from langbot_agents.sdk.testing.fake_openai import FAILURES

from .asking import Asker


@pytest.mark.parametrize(
    ("kind", "error", "status", "code"),
    [
        ("invalid_api_key", openai.AuthenticationError, 401, "invalid_api_key"),
        ("permission_denied", openai.PermissionDeniedError, 403, "permission_denied"),
        ("model_not_found", openai.NotFoundError, 404, "model_not_found"),
        ("content_policy", openai.BadRequestError, 400, "content_policy_violation"),
        ("context_length", openai.BadRequestError, 400, "context_length_exceeded"),
        ("rate_limit", openai.RateLimitError, 429, "rate_limit_exceeded"),
        ("insufficient_quota", openai.RateLimitError, 429, "insufficient_quota"),
        ("server_error", openai.InternalServerError, 500, None),
        ("bad_gateway", openai.InternalServerError, 502, None),
        ("unavailable", openai.InternalServerError, 503, None),
        ("gateway_timeout", openai.InternalServerError, 504, None),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_failure_by_name(
    server: FakeOpenAI,
    ask: Asker,
    kind: Any,
    error: type[openai.APIStatusError],
    status: int,
    code: str | None,
    stream: bool,
) -> None:
    """Each failure has the status and the code that clients tell them apart by, streamed or not."""
    server.fail(kind)
    with pytest.raises(error) as caught:
        (ask.stream if stream else ask.whole)()

    assert (caught.value.status_code, caught.value.code) == (status, code)
    assert caught.value.response.headers["x-request-id"]
    assert [(request.status, request.outcome) for request in server.requests] == [(status, "answered")]


def test_every_failure_has_a_name_that_is_tested() -> None:
    """No kind of failure is left out above; `no_answer` has a test of its own."""
    (mark,) = [mark for mark in test_failure_by_name.pytestmark if "kind" in mark.args[0]]

    assert {row[0] for row in mark.args[1]} | {"no_answer"} == set(FAILURES)


def test_proxy_answers_with_a_page(server: FakeOpenAI, ask: Asker) -> None:
    """A 502 is a page of HTML, and not the service's JSON."""
    server.fail("bad_gateway")
    with pytest.raises(openai.InternalServerError) as caught:
        ask.whole()

    assert caught.value.response.headers["content-type"] == "text/html"
    assert "<h1>502 Bad Gateway</h1>" in caught.value.response.text


def test_rate_limit_then_success(server: FakeOpenAI) -> None:
    """A client that heeds Retry-After gets through once the limit is over."""
    server.fail("rate_limit", times=2, retry_after=0.02)
    server.reply("Now.")
    with OpenAI(base_url=server.base_url, api_key="k", max_retries=2) as client:
        answer = Asker(client).whole()

    assert answer.choices[0].message.content == "Now."
    assert [request.status for request in server.requests] == [429, 429, 200]


def test_rate_limit_says_how_long(server: FakeOpenAI, ask: Asker) -> None:
    """Retry-After comes in seconds and in milliseconds."""
    server.fail("rate_limit", retry_after=2)
    with pytest.raises(openai.RateLimitError) as caught:
        ask.whole()

    assert caught.value.response.headers["retry-after"] == "2"
    assert caught.value.response.headers["retry-after-ms"] == "2000"


def test_whole_failures_can_be_written(server: FakeOpenAI) -> None:
    """Any status, message and header can be scripted, such as the one that forbids to try again."""
    never = replace(FAILURES["unavailable"], headers={"x-should-retry": "false"}, message="Closed.")
    server.fail(never, times=1)
    server.fail(FakeFailure(status=418, message="teapot", code="pot"))
    with OpenAI(base_url=server.base_url, api_key="k", max_retries=3) as client:
        with pytest.raises(openai.InternalServerError, match=r"Closed\."):
            Asker(client).whole()
        with pytest.raises(openai.APIStatusError, match="teapot"):
            Asker(client).whole()

    assert len(server.requests) == 2


def test_connection_without_an_answer(server: FakeOpenAI, ask: Asker) -> None:
    """The connection may be closed before any answer."""
    server.fail("no_answer", times=1)
    with pytest.raises(openai.APIConnectionError):
        ask.whole()

    assert (server.requests[0].status, server.requests[0].wait()) == (None, "dropped")
    assert ask.whole().choices[0].finish_reason == "stop"


@pytest.mark.parametrize("after", [0, 1, 3])
def test_connection_dropped_within_a_stream(server: FakeOpenAI, ask: Asker, after: int) -> None:
    """The socket is closed after so many chunks, all of which arrive; there is no end."""
    server.reply(FakeReply(text="abcdefgh", text_split=1, drop_after=after))
    answer = ask.stream()

    assert isinstance(answer.error, Exception)
    assert len(answer.chunks) == after
    assert answer.finish_reason is None
    assert server.requests[0].wait() == "dropped"
    assert server.requests[0].chunks_sent == after


def test_connection_dropped_within_a_whole_answer(server: FakeOpenAI, ask: Asker) -> None:
    """A body that stops in its middle is no answer."""
    server.reply(FakeReply(text="abc", drop_after=1))
    with pytest.raises(openai.APIConnectionError):
        ask.whole()

    assert server.requests[0].wait() == "dropped"


def test_error_within_a_stream(server: FakeOpenAI, ask: Asker) -> None:
    """An error frame ends the stream; the client raises it with its code."""
    failure = replace(FAILURES["server_error"], message="out of memory", code="oom")
    server.reply(FakeReply(text="abcdef", text_split=2, error_after=2, error=failure))
    answer = ask.stream()

    assert answer.text == "ab"
    assert isinstance(answer.error, openai.APIError)
    assert (answer.error.message, answer.error.code) == ("out of memory", "oom")


def test_error_in_place_of_a_whole_answer(server: FakeOpenAI, ask: Asker) -> None:
    """What fails within a stream fails as a status where nothing is streamed."""
    server.reply(FakeReply(text="abcdef", error_after=2))
    with pytest.raises(openai.InternalServerError):
        ask.whole()


def test_stream_that_just_ends(server: FakeOpenAI, ask: Asker) -> None:
    """A stream may end well-formed, yet without finish reason and [DONE]."""
    server.reply(FakeReply(text="abcdef", text_split=2, end_after=3))
    answer = ask.stream()

    assert answer.error is None
    assert (answer.text, answer.finish_reason) == ("abcd", None)


def test_empty_stream(server: FakeOpenAI, ask: Asker) -> None:
    """A 200 may have an empty body; so do not take the status for an answer."""
    server.reply(FakeReply(text="abc", end_after=0))
    answer = ask.stream()

    assert (answer.chunks, answer.error) == ([], None)
    assert server.requests[0].status == 200


@pytest.mark.parametrize(
    ("reply", "stream"),
    [
        (FakeReply(text="abc", first_delay=30), False),
        (FakeReply(text="abc", first_delay=30), True),
    ],
)
def test_client_that_gives_up(server: FakeOpenAI, reply: FakeReply, stream: bool) -> None:
    """A client whose time is up goes away, and the server notices and stops."""
    server.reply(reply)
    with OpenAI(base_url=server.base_url, api_key="k", max_retries=0, timeout=0.2) as client:
        asker = Asker(client)
        call: Callable[[], Any] = asker.stream if stream else asker.whole
        with pytest.raises(openai.APITimeoutError):
            call()

    assert server.requests[0].wait() == "disconnected"


def test_client_that_closes_a_stream(server: FakeOpenAI, ask: Asker) -> None:
    """A stream that its reader closes is not sent to its end."""
    server.reply(FakeReply(text="a" * 1000, text_split=1, chunk_delay=0.01))
    with ask.client.chat.completions.create(
        model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
    ) as chunks:
        next(chunks)
        next(chunks)

    assert server.requests[0].wait() == "disconnected"
    assert 2 <= server.requests[0].chunks_sent < 1000


def test_script_without_a_fitting_answer() -> None:
    """With `otherwise=None` a question that nobody scripted is an error that says so."""
    with FakeOpenAI(otherwise=None) as server, _client(server) as client:
        server.reply("yes", when="expected")
        with pytest.raises(openai.InternalServerError, match="the script has no reply"):
            Asker(client).whole("surprise")


def test_key_check() -> None:
    """Only the right key is taken, on every path."""
    with FakeOpenAI(api_key="right") as server:
        with _client(server, "wrong") as client:
            with pytest.raises(openai.AuthenticationError) as caught:
                Asker(client).whole()
            with pytest.raises(openai.AuthenticationError):
                client.models.list()
        with _client(server, "right") as client:
            assert Asker(client).whole().choices[0].finish_reason == "stop"

    assert caught.value.code == "invalid_api_key"


def test_prompt_that_is_too_long() -> None:
    """Above a number of characters it is a 400 that names the maximum and what was asked."""
    with FakeOpenAI(max_characters=20) as server, _client(server) as client:
        ask = Asker(client)
        assert ask.whole("x" * 20).choices
        for call in (ask.whole, ask.stream):
            with pytest.raises(openai.BadRequestError) as caught:
                call("x" * 21)

            assert caught.value.code == "context_length_exceeded"
            assert "maximum context length is 5 tokens" in caught.value.message
            assert "have 6 tokens" in caught.value.message


def test_stream_that_is_empty_for_a_prompt_that_is_too_long() -> None:
    """Some servers answer a stream with an empty 200 there; without a stream it stays an error."""
    with FakeOpenAI(max_characters=20, overflow="empty_stream") as server, _client(server) as client:
        assert Asker(client).stream("x" * 21).chunks == []
        with pytest.raises(openai.BadRequestError):
            Asker(client).whole("x" * 21)


def _client(server: FakeOpenAI, key: str = "k") -> OpenAI:
    return OpenAI(base_url=server.base_url, api_key=key, max_retries=0)
