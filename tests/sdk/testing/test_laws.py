"""However an answer is cut, it is the same answer."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langbot_agents.sdk.testing import FakeOpenAI, FakeReply, FakeToolCall
from langbot_agents.sdk.testing.fake_openai.answers import Drop, Pause, cut_into
from langbot_agents.sdk.testing.fake_openai.completion import pieces

from .asking import Asker

SIZES = st.one_of(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
OVER_HTTP = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(text=TEXT, sizes=SIZES)
def test_pieces_join_to_the_text(text: str, sizes: Any) -> None:
    """No size of the pieces loses or repeats a character, or gives an empty piece."""
    cut = list(pieces(text, sizes))

    assert "".join(cut) == text
    assert all(cut)


@given(parts=st.lists(st.binary(max_size=20)), size=st.integers(0, 9))
def test_cut_bytes_join_to_the_body(parts: list[bytes], size: int) -> None:
    """Cutting a body anywhere keeps its bytes, and nothing comes after a closed connection."""
    steps = [step for part in parts for step in (part, Pause(0))]
    cut = list(cut_into([*steps, Drop()], size))

    assert b"".join(step for step in cut if isinstance(step, bytes)) == b"".join(parts)
    assert isinstance(cut[-1], Drop)
    if size:
        assert all(len(step) <= size for step in cut if isinstance(step, bytes))


@OVER_HTTP
@given(
    text=TEXT,
    reasoning=TEXT,
    sizes=SIZES,
    byte_split=st.integers(0, 40),
    comments=st.integers(0, 2),
    odd=st.booleans(),
)
def test_streamed_text_is_the_script(
    server: FakeOpenAI,
    ask: Asker,
    text: str,
    reasoning: str,
    sizes: Any,
    byte_split: int,
    comments: int,
    odd: bool,
) -> None:
    """The real client puts text and reasoning together again, however they were cut."""
    server.reset()
    server.reply(
        FakeReply(
            text=text,
            reasoning=reasoning,
            text_split=sizes,
            byte_split=byte_split,
            comments=comments,
            first_role=odd,
            empty_choices=odd,
        )
    )
    answer = ask.stream()
    thought = "".join(getattr(delta, "reasoning_content", None) or "" for delta in answer.deltas)

    assert (answer.text, thought, answer.finish_reason) == (text, reasoning, "stop")


@OVER_HTTP
@given(
    calls=st.lists(
        st.tuples(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), st.dictionaries(TEXT, TEXT, max_size=3)),
        min_size=1,
        max_size=3,
    ),
    sizes=SIZES,
    interleave=st.booleans(),
    repeat=st.booleans(),
)
def test_streamed_tool_calls_are_the_script(
    server: FakeOpenAI, ask: Asker, calls: list[Any], sizes: Any, interleave: bool, repeat: bool
) -> None:
    """Tool calls joined by index are the scripted ones, in any form of fragments."""
    server.reset()
    scripted = [FakeToolCall(name=name, arguments=arguments) for name, arguments in calls]
    server.reply(
        FakeReply(tool_calls=scripted, argument_split=sizes, interleave=interleave, repeat_tool_head=repeat)
    )
    answer = ask.stream()

    assert [(name, json.loads(arguments)) for _, name, arguments in answer.calls] == calls


@pytest.mark.parametrize("after", range(5))
def test_counts_are_of_chunks(server: FakeOpenAI, ask: Asker, after: int) -> None:
    """A break after k chunks lets exactly k through, whatever else is between them."""
    server.reply(FakeReply(text="abcd", text_split=1, comments=2, byte_split=5, drop_after=after))

    assert len(ask.stream().chunks) == after
