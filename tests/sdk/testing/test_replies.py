"""The fake server's good answers, read by the real client over real HTTP."""

import time
from typing import Any

import pytest

from langbot_agents.sdk.testing import FakeOpenAI, FakeReply

from .asking import Asker

USAGE = {"include_usage": True}


def test_whole_answer_has_the_fields_of_the_service(server: FakeOpenAI, ask: Asker) -> None:
    """An answer that is not streamed is one chat.completion with message, finish reason and usage."""
    server.reply("Seven geese.")
    answer = ask.whole("How many?")

    assert answer.object == "chat.completion"
    assert answer.model == "fake-model"
    assert answer.system_fingerprint
    assert [choice.index for choice in answer.choices] == [0]
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content == "Seven geese."
    assert answer.choices[0].finish_reason == "stop"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (
        3,
        3,
        6,
    )
    assert answer.usage.prompt_tokens_details.cached_tokens == 0
    assert answer.usage.completion_tokens_details.reasoning_tokens == 0


def test_chunks_of_a_stream_belong_together(server: FakeOpenAI, ask: Asker) -> None:
    """id, created and model are the same in all chunks; the finish reason comes last and alone."""
    server.reply("Seven geese.")
    answer = ask.stream()

    assert {(chunk.id, chunk.created, chunk.model) for chunk in answer.chunks} == {
        (answer.chunks[0].id, answer.chunks[0].created, "fake-model")
    }
    assert {chunk.object for chunk in answer.chunks} == {"chat.completion.chunk"}
    assert answer.text == "Seven geese."
    assert [chunk.choices[0].finish_reason for chunk in answer.chunks] == [None, None, None, "stop"]
    assert answer.chunks[-1].choices[0].delta.content is None


def test_split_is_as_scripted(server: FakeOpenAI, ask: Asker) -> None:
    """Pieces have the scripted sizes: one for all, one after the other, or the whole."""
    for size in (2, (1, 3), 0):
        server.reply(FakeReply(text="abcdefg", text_split=size), times=1)
    cut = [ask.stream().texts for _ in range(3)]

    assert cut == [["ab", "cd", "ef", "g"], ["a", "bcd", "efg"], ["abcdefg"]]


@pytest.mark.parametrize(
    ("named", "roles"), [(True, ["assistant", None, None]), (False, [None, None])], ids=["role", "none"]
)
def test_first_chunk_may_leave_the_role_out(
    server: FakeOpenAI, ask: Asker, named: bool, roles: list[str | None]
) -> None:
    """The first delta names the role and has empty content; some servers begin with the text."""
    server.reply(FakeReply(text="abc", first_role=named))
    answer = ask.stream()

    assert [delta.role for delta in answer.deltas] == roles
    assert answer.deltas[0].content == ("" if named else "abc")


def test_chunks_without_choices(server: FakeOpenAI, ask: Asker) -> None:
    """Chunks whose choices are empty may come before the first and before the last one."""
    server.reply(FakeReply(text="abc", empty_choices=True))
    answer = ask.stream()

    assert [len(chunk.choices) for chunk in answer.chunks] == [0, 1, 1, 0, 1]
    assert answer.text == "abc"


@pytest.mark.parametrize(
    ("usage", "asked", "comes"),
    [
        ("asked", True, True),
        ("asked", False, False),
        ("always", False, True),
        ("never", True, False),
    ],
)
def test_usage_of_a_stream(server: FakeOpenAI, ask: Asker, usage: Any, asked: bool, comes: bool) -> None:
    """The usage chunk comes after the finish reason, when asked for, unasked, or not though asked."""
    server.reply(FakeReply(text="abc", usage=usage))
    options: dict[str, Any] = {"stream_options": USAGE} if asked else {}
    answer = ask.stream(**options)

    assert (answer.usage is not None) is comes
    assert bool(answer.chunks[-1].choices) is not comes
    if comes:
        assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_usage_can_be_scripted_and_left_out_of_a_whole_answer(server: FakeOpenAI, ask: Asker) -> None:
    """The numbers are the script's where it has some; a whole answer may lack them."""
    server.reply(FakeReply(text="a", usage_numbers={"total_tokens": 99}), times=1)
    server.reply(FakeReply(text="a", usage="never"))

    assert ask.whole().usage.total_tokens == 99
    assert ask.whole().usage is None


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_comes_in_a_field_of_its_own(server: FakeOpenAI, ask: Asker, name: Any) -> None:
    """Reasoning has either name, comes before the text, and counts as tokens."""
    server.reply(FakeReply(text="Seven.", reasoning="Let me count.", reasoning_field=name))
    streamed = ask.stream(stream_options=USAGE)
    message = ask.whole().choices[0].message

    assert "".join(getattr(delta, name, None) or "" for delta in streamed.deltas) == "Let me count."
    assert streamed.text == "Seven."
    assert streamed.usage.completion_tokens_details.reasoning_tokens == 4
    assert getattr(message, name) == "Let me count."
    assert message.content == "Seven."


def test_delays(server: FakeOpenAI, ask: Asker) -> None:
    """The first chunk waits, and so does each after it; the request is noted at once."""
    server.reply(FakeReply(text="abcd", text_split=2, first_delay=0.2, chunk_delay=0.05))
    began = time.monotonic()
    with ask.client.chat.completions.create(
        model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
    ) as chunks:
        next(chunks)
        first = time.monotonic() - began
        rest = sum(1 for _ in chunks)
    last = time.monotonic() - began

    assert rest == 3
    assert first >= 0.2
    assert last - first >= 0.14
    assert server.requests[0].received_at - began < 0.2


def test_comments_between_chunks_are_no_data(server: FakeOpenAI, ask: Asker) -> None:
    """Keep-alive comments go out on the wire, and a client that reads them right does not see them."""
    server.reply(FakeReply(text="abc", comments=2))
    with ask.client.chat.completions.with_streaming_response.create(
        model="fake-model", messages=[{"role": "user", "content": "x"}], stream=True
    ) as response:
        raw = response.read().decode()
    answer = ask.stream()

    assert raw.count(": keep-alive\n\n") == 6
    assert answer.text == "abc"
    assert len(answer.chunks) == 3


@pytest.mark.parametrize("size", [1, 7])
def test_bytes_are_cut_anywhere(server: FakeOpenAI, ask: Asker, size: int) -> None:
    """A body that is cut inside characters and line ends reads the same."""
    server.reply(FakeReply(text="你好 🙂 é", text_split=1, byte_split=size))

    assert ask.stream().text == "你好 🙂 é"
    assert server.requests[0].chunks_sent > 100


def test_missing_done(server: FakeOpenAI, ask: Asker) -> None:
    """A stream may end without [DONE]; its finish reason says that it is whole."""
    server.reply(FakeReply(text="abc", done=False))
    answer = ask.stream()

    assert answer.error is None
    assert (answer.text, answer.finish_reason) == ("abc", "stop")


def test_request_bounds_the_answer(server: FakeOpenAI, ask: Asker) -> None:
    """max_tokens and stop cut what is scripted, as a model would; n repeats it."""
    server.reply("One two three. Four five six.")
    cut, stopped, twice = (
        ask.whole(max_tokens=2),
        ask.whole(stop=["Four", "three"]),
        ask.whole(n=2),
    )

    assert (cut.choices[0].message.content, cut.choices[0].finish_reason) == ("One two ", "length")
    assert (stopped.choices[0].message.content, stopped.choices[0].finish_reason) == ("One two ", "stop")
    assert [choice.index for choice in twice.choices] == [0, 1]
    assert ask.stream(n=2).text == "One two three. Four five six."


def test_finish_reason_can_be_scripted(server: FakeOpenAI, ask: Asker) -> None:
    """Any finish reason can be given, such as that of a content filter."""
    server.reply(FakeReply(text="I", finish_reason="content_filter"))

    assert ask.stream().finish_reason == "content_filter"
    assert ask.whole().choices[0].finish_reason == "content_filter"


def test_first_due_answer_is_given(server: FakeOpenAI, ask: Asker) -> None:
    """Answers are tried in order: a text that the user's message contains, a condition, a number of times."""
    server.reply("Sunny.", when="weather")
    server.reply("Long.", when=lambda messages: len(messages) > 1)
    server.reply("First.", times=1)
    server.reply("Other.")
    said = [
        ask.whole(text).choices[0].message.content
        for text in ("a", "b", "the weather?", [{"role": "system", "content": "s"}, *_user("c")])
    ]

    assert said == ["First.", "Other.", "Sunny.", "Long."]


def test_unscripted_server_says_back_what_was_said(ask: Asker) -> None:
    """Without a script the answer is made of the messages that were sent, which is all that it remembers."""
    alone = ask.whole("blue").choices[0].message.content
    history = [*_user("blue"), {"role": "assistant", "content": alone}, *_user("and red")]
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    parts = [{"role": "user", "content": [{"type": "text", "text": "look"}, picture]}]

    assert alone == "You said: blue"
    assert ask.stream(history).text == "You said: and red\nBefore that you said: blue"
    assert ask.whole(parts).choices[0].message.content == "You said: look (images: 1)"
    assert ask.whole([{"role": "system", "content": "s"}]).choices[0].message.content == "You said nothing."


def test_models_are_listed(ask: Asker) -> None:
    """The models that are served can be listed and looked up."""
    assert [model.id for model in ask.client.models.list()] == ["fake-model"]
    assert ask.client.models.retrieve("fake-model").object == "model"


def test_embeddings_mean_something(ask: Asker) -> None:
    """Texts with common words are closer than others, and equal texts are equal, in either encoding."""

    def embed(*texts: str, **options: Any) -> list[list[float]]:
        answer = ask.client.embeddings.create(model="fake-model", input=list(texts), **options)
        return [item.embedding for item in answer.data]

    def near(first: list[float], second: list[float]) -> float:
        return sum(a * b for a, b in zip(first, second, strict=True))

    cat, cats, tax = embed("the cat sleeps", "the cat eats", "annual income report")
    (plain,) = embed("the cat sleeps", encoding_format="float")

    assert near(cat, cats) > near(cat, tax)
    assert plain == pytest.approx(cat, abs=1e-6)
    assert len(embed("x", dimensions=5)[0]) == 5


def _user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]
