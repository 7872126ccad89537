"""A chat completion from a reply: whole, or as the chunks of a stream."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .answers import Drop, Outgoing, Pause, Step, cut_into, failure_answer, json_answer
from .check import ChatRequest
from .script import FakeFailure, FakeReply, FakeToolCall, Sizes, WireMessages, text_of

CHARACTERS_A_TOKEN = 4
FINGERPRINT = "fp_fake"


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """One answer to one request, before it is put on the wire."""

    id: str
    created: int
    request: ChatRequest
    reply: FakeReply
    text: str
    calls: Sequence[Mapping[str, Any]]
    finish_reason: str
    usage: Mapping[str, Any]

    def head(self, kind: str) -> dict[str, Any]:
        """The fields that all chunks of an answer share."""
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.request.model,
            "system_fingerprint": FINGERPRINT,
        }


def make_completion(
    request: ChatRequest, messages: WireMessages, reply: FakeReply, *, id: str, created: int
) -> Completion:
    """What is said, cut where the request wants an end."""
    said = reply.text(messages) if callable(reply.text) else reply.text
    text = _stopped(said, request.stop)
    limit = request.max_completion_tokens or request.max_tokens
    cut = limit is not None and tokens(text) > limit
    if cut and limit is not None:
        text = text[: limit * CHARACTERS_A_TOKEN]
    natural = "tool_calls" if reply.tool_calls else "length" if cut else "stop"
    calls = [_call(call, f"call_{id[-8:]}_{place}") for place, call in enumerate(reply.tool_calls)]
    return Completion(
        id=id,
        created=created,
        request=request,
        reply=reply,
        text=text,
        calls=calls,
        finish_reason=reply.finish_reason or natural,
        usage=reply.usage_numbers or _usage(messages, text, reply, calls, request.n or 1),
    )


def answer_completion(completion: Completion) -> Outgoing:
    """The completion on the wire, as its request wants it."""
    reply = completion.reply
    if completion.request.stream:
        head = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        return Outgoing(status=200, headers=head, steps=cut_into(_stream(completion), reply.byte_split))
    if reply.end_after == 0:
        return Outgoing(status=200, headers={"content-type": "application/json", "content-length": "0"})
    if reply.error_after is not None:
        return failure_answer(reply.error)
    answer = json_answer(_whole(completion))
    (body,) = answer.steps
    assert isinstance(body, bytes)
    rest: tuple[Step, ...] = (body[: len(body) // 2], Drop()) if reply.drop_after is not None else (body,)
    answer.steps = cut_into((Pause(reply.first_delay), *rest), reply.byte_split)
    return answer


def _whole(completion: Completion) -> dict[str, Any]:
    reply = completion.reply
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if completion.calls and not completion.text else completion.text,
        "refusal": None,
    }
    if reply.reasoning:
        message[reply.reasoning_field] = reply.reasoning
    if completion.calls:
        message["tool_calls"] = completion.calls
    choices = [
        {"index": index, "message": message, "logprobs": None, "finish_reason": completion.finish_reason}
        for index in range(completion.request.n or 1)
    ]
    body = {**completion.head("chat.completion"), "choices": choices}
    return body if reply.usage == "never" else {**body, "usage": completion.usage}


def _stream(completion: Completion) -> Iterator[Step]:
    """The frames with their pauses, until the reply breaks them off."""
    reply = completion.reply
    yield Pause(reply.first_delay)
    for count, chunk in enumerate(_chunks(completion)):
        if count == reply.end_after:
            return
        if count == reply.drop_after:
            yield Drop()
            return
        if count == reply.error_after:
            yield _frame(reply.error)
            return
        if count:
            yield Pause(reply.chunk_delay)
        for _ in range(reply.comments):
            yield b": keep-alive\n\n"
        yield _data(chunk)
    if reply.drop_after is not None:
        yield Drop()
    elif reply.error_after is not None:
        yield _frame(reply.error)
    elif reply.done:
        yield b"data: [DONE]\n\n"


def _chunks(completion: Completion) -> Iterator[dict[str, Any]]:
    reply, options = completion.reply, completion.request.stream_options
    asked = options is not None and bool(options.include_usage)
    counted = reply.usage == "always" or (reply.usage == "asked" and asked)
    head = completion.head("chat.completion.chunk")
    tail: dict[str, Any] = {"usage": None} if counted else {}
    indexes = range(completion.request.n or 1)

    def chunk(delta: Mapping[str, Any], index: int, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice], **tail}

    if reply.empty_choices:
        yield {**head, "choices": [], **tail}
    for delta in _deltas(completion):
        for index in indexes:
            yield chunk(delta, index)
    if reply.empty_choices:
        yield {**head, "choices": [], **tail}
    for index in indexes:
        yield chunk({}, index, completion.finish_reason)
    if counted:
        yield {**head, "choices": [], "usage": completion.usage}


def _deltas(completion: Completion) -> Iterator[dict[str, Any]]:
    reply = completion.reply
    if reply.first_role:
        only_calls = bool(completion.calls) and not completion.text
        yield {"role": "assistant", "content": None if only_calls else ""}
    for piece in pieces(reply.reasoning, reply.text_split):
        yield {reply.reasoning_field: piece}
    for piece in pieces(completion.text, reply.text_split):
        yield {"content": piece}
    fragments = [_fragments(place, call, reply) for place, call in enumerate(completion.calls)]
    if reply.interleave:
        turns = itertools.zip_longest(*fragments)
        ordered = [fragment for turn in turns for fragment in turn if fragment is not None]
    else:
        ordered = [fragment for row in fragments for fragment in row]
    for fragment in ordered:
        yield {"tool_calls": [fragment]}


def _fragments(place: int, call: Mapping[str, Any], reply: FakeReply) -> list[dict[str, Any]]:
    function = call["function"]
    cut = list(pieces(function["arguments"], reply.argument_split))
    if reply.repeat_tool_head:
        return [
            {"index": place, **call, "function": {"name": function["name"], "arguments": piece}}
            for piece in cut or [""]
        ]
    first = {"index": place, **call, "function": {"name": function["name"], "arguments": ""}}
    return [first, *({"index": place, "function": {"arguments": piece}} for piece in cut)]


def pieces(text: str, sizes: Sizes) -> Iterator[str]:
    """The text cut into pieces of these sizes, the last one for all the rest."""
    each = iter((sizes,) if isinstance(sizes, int) else sizes)
    size, at = 0, 0
    while at < len(text):
        size = next(each, size)
        end = at + size if size > 0 else len(text)
        yield text[at:end]
        at = end


def tokens(text: str) -> int:
    """A made-up count: one for each four characters."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _usage(
    messages: WireMessages, text: str, reply: FakeReply, calls: Sequence[Mapping[str, Any]], count: int
) -> dict[str, Any]:
    prompt = sum(tokens(text_of(message)) for message in messages)
    reasoning = tokens(reply.reasoning)
    spoken = tokens(text) + reasoning + sum(tokens(call["function"]["arguments"]) for call in calls)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": spoken * count,
        "total_tokens": prompt + spoken * count,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": reasoning * count},
    }


def _call(call: FakeToolCall, id: str) -> dict[str, Any]:
    given = call.arguments
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {
        "id": call.id or id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def _stopped(text: str, stop: str | Sequence[str] | None) -> str:
    marks = (stop,) if isinstance(stop, str) else stop or ()
    places = [text.find(mark) for mark in marks if mark and mark in text]
    return text[: min(places)] if places else text


def _data(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def _frame(failure: FakeFailure) -> bytes:
    return _data(failure.body())
