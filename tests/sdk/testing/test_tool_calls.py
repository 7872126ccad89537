"""Tool calls of the fake server, in every form in which servers send them."""

import json
from typing import Any

from langbot_agents.sdk.testing import FakeOpenAI, FakeReply, FakeToolCall

from .asking import Asker

SUM = FakeToolCall(name="sum", arguments={"a": 1, "b": 2}, id="call_a")
NOW = FakeToolCall(name="now", id="call_b")
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("sum", "now")
]


def test_whole_answer_with_tool_calls(server: FakeOpenAI, ask: Asker) -> None:
    """Calls come with id, name and arguments as JSON text; the content is null; the reason is tool_calls."""
    server.reply(FakeReply(tool_calls=[SUM, NOW]))
    choice = ask.whole(tools=TOOLS).choices[0]

    assert choice.finish_reason == "tool_calls"
    assert choice.message.content is None
    assert [(call.id, call.type, call.function.name) for call in choice.message.tool_calls] == [
        ("call_a", "function", "sum"),
        ("call_b", "function", "now"),
    ]
    assert json.loads(choice.message.tool_calls[0].function.arguments) == {"a": 1, "b": 2}


def test_fragments_are_joined_by_index(server: FakeOpenAI, ask: Asker) -> None:
    """The first fragment has id, type and name, the others only their piece of the arguments."""
    server.reply(FakeReply(tool_calls=[SUM, NOW], argument_split=5))
    answer = ask.stream(tools=TOOLS)

    assert [(f.index, f.id, f.type, f.function.name, f.function.arguments) for f in answer.fragments] == [
        (0, "call_a", "function", "sum", ""),
        (0, None, None, None, '{"a":'),
        (0, None, None, None, ' 1, "'),
        (0, None, None, None, 'b": 2'),
        (0, None, None, None, "}"),
        (1, "call_b", "function", "now", ""),
        (1, None, None, None, "{}"),
    ]
    assert answer.calls == [("call_a", "sum", '{"a": 1, "b": 2}'), ("call_b", "now", "{}")]
    assert answer.finish_reason == "tool_calls"


def test_parallel_calls_may_interleave(server: FakeOpenAI, ask: Asker) -> None:
    """Fragments of several calls may take turns."""
    server.reply(FakeReply(tool_calls=[SUM, NOW], argument_split=8, interleave=True))
    answer = ask.stream(tools=TOOLS)

    assert [fragment.index for fragment in answer.fragments] == [0, 1, 0, 1, 0]
    assert answer.calls == [("call_a", "sum", '{"a": 1, "b": 2}'), ("call_b", "now", "{}")]


def test_every_fragment_may_repeat_id_and_name(server: FakeOpenAI, ask: Asker) -> None:
    """Some servers repeat id, type and name in each fragment; taken once they read the same."""
    server.reply(FakeReply(tool_calls=[SUM], argument_split=8, repeat_tool_head=True))
    answer = ask.stream(tools=TOOLS)

    assert [(f.id, f.function.name) for f in answer.fragments] == [("call_a", "sum")] * 2
    assert answer.calls == [("call_a", "sum", '{"a": 1, "b": 2}')]


def test_arguments_may_be_no_json(server: FakeOpenAI, ask: Asker) -> None:
    """Arguments given as text are sent as they are: broken JSON, or nothing at all."""
    broken = FakeToolCall(name="sum", arguments='{"a": 1,')
    server.reply(FakeReply(tool_calls=[broken, FakeToolCall(name="now", arguments="")]))
    answer = ask.stream(tools=TOOLS)

    assert [arguments for _, _, arguments in answer.calls] == ['{"a": 1,', ""]
    assert all(id.startswith("call_") for id, _, _ in answer.calls)


def test_text_and_tool_calls_in_one_answer(server: FakeOpenAI, ask: Asker) -> None:
    """A model may say something before it calls a tool."""
    server.reply(FakeReply(text="I will look.", tool_calls=[NOW]))
    answer = ask.stream(tools=TOOLS)

    assert answer.text == "I will look."
    assert [name for _, name, _ in answer.calls] == ["now"]
    assert ask.whole(tools=TOOLS).choices[0].message.content == "I will look."


def test_a_whole_tool_round(server: FakeOpenAI, ask: Asker) -> None:
    """A script that answers tool results leads a client through call, result and answer."""
    server.reply("Three.", when=lambda messages: messages[-1]["role"] == "tool")
    server.reply(FakeReply(tool_calls=[SUM]))
    message = ask.whole("1 + 2?", tools=TOOLS).choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "3"}
    history = [{"role": "user", "content": "1 + 2?"}, message.model_dump(exclude_none=True), result]

    assert ask.whole(history, tools=TOOLS).choices[0].message.content == "Three."
