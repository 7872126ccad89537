"""What each path of the service answers."""

import itertools
import json
import secrets
import time
from collections.abc import Sequence
from typing import Any, Literal

from .answers import Outgoing, failure_answer, json_answer
from .check import check_chat, unknown_model
from .completion import answer_completion, make_completion, tokens
from .embeddings import answer_embeddings
from .replay import Replay
from .requests import RecordedRequest
from .script import FAILURES, FakeFailure, FakeReply, Script, WireMessages, text_of

Overflow = Literal["error", "empty_stream"]
"""What a stream is answered whose prompt is too long: an error, or a 200 with nothing in it."""


class Service:
    """The model service behind the HTTP: it records what is asked and decides what is answered."""

    def __init__(
        self,
        *,
        script: Script,
        models: Sequence[str] | None,
        api_key: str | None,
        max_characters: int | None,
        overflow: Overflow,
        otherwise: FakeReply | None,
        replay: Replay | None,
    ) -> None:
        self.script = script
        self.requests: list[RecordedRequest] = []
        self._models = models
        self._api_key = api_key
        self._max_characters = max_characters
        self._overflow = overflow
        self._otherwise = otherwise
        self._replay = replay
        self._numbers = itertools.count(1)

    def answer(self, request: RecordedRequest) -> Outgoing:
        """The answer to a request, which is recorded first."""
        self.requests.append(request)
        found = self._refuse_key(request) or self._find(request)
        answer = failure_answer(found) if isinstance(found, FakeFailure) else found
        if self._replay is None:
            pairs = answer.headers.items() if not isinstance(answer.headers, list) else answer.headers
            answer.headers = [*pairs, ("x-request-id", f"req_{next(self._numbers)}")]
        return answer

    def _find(self, request: RecordedRequest) -> Outgoing | FakeFailure:
        if self._replay is not None:
            return self._replay.answer(request)
        match request.method, request.path.split("/")[1:]:
            case "POST", ["v1", "chat", "completions"]:
                return self._chat(request)
            case "POST", ["v1", "embeddings"]:
                return self._embeddings(request)
            case "GET", ["v1", "models"]:
                data = [_model(name) for name in self._models or ("any-model",)]
                return json_answer({"object": "list", "data": data})
            case "GET", ["v1", "models", *parts]:
                name = "/".join(parts)
                known = self._models is None or name in self._models
                return json_answer(_model(name)) if known else unknown_model(name)
        return FakeFailure(status=404, message=f"Invalid URL ({request.method} {request.path})")

    def _refuse_key(self, request: RecordedRequest) -> FakeFailure | None:
        if self._api_key is None:
            return None
        given = request.headers.get("authorization", "")
        if given == f"Bearer {self._api_key}":
            return None
        if given:
            return FAILURES["invalid_api_key"]
        return FakeFailure(status=401, message="You didn't provide an API key in an Authorization header.")

    def _chat(self, request: RecordedRequest) -> Outgoing | FakeFailure:
        if not _is_json(request.raw):
            return FakeFailure(status=400, message="The body of the request could not be parsed as JSON.")
        checked = check_chat(request.body, self._models)
        if isinstance(checked, FakeFailure):
            return checked
        overflow = self._too_long(request.messages)
        if overflow is not None and not (checked.stream and self._overflow == "empty_stream"):
            return overflow
        reply = FakeReply(end_after=0) if overflow is not None else self._reply(request.messages)
        if isinstance(reply, FakeFailure):
            return reply
        id = f"chatcmpl-{secrets.token_hex(12)}"
        made = make_completion(checked, request.messages, reply, id=id, created=int(time.time()))
        return answer_completion(made)

    def _reply(self, messages: WireMessages) -> FakeReply | FakeFailure:
        found = self.script.take(messages)
        if found is not None:
            return found
        if self._otherwise is not None:
            return self._otherwise
        return FakeFailure(
            status=500, message="the script has no reply to these messages", type="server_error"
        )

    def _too_long(self, messages: WireMessages) -> FakeFailure | None:
        length = sum(len(text_of(message)) for message in messages)
        limit = self._max_characters
        if limit is None or length <= limit:
            return None
        most = tokens("x" * limit)
        asked = max(tokens("x" * length), most + 1)
        return FakeFailure(
            status=400,
            message=f"This model's maximum context length is {most} tokens. However, your messages have "
            f"{asked} tokens. Please shorten the messages.",
            param="messages",
            code="context_length_exceeded",
        )

    def _embeddings(self, request: RecordedRequest) -> Outgoing | FakeFailure:
        name = request.body.get("model") if isinstance(request.body, dict) else None
        if not isinstance(name, str):
            return FakeFailure(status=400, message="You must provide a model parameter.", param="model")
        if self._models is not None and name not in self._models:
            return unknown_model(name)
        found = answer_embeddings(request.body)
        return found if isinstance(found, FakeFailure) else json_answer(found)


def _is_json(raw: bytes) -> bool:
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1772413200, "owned_by": "langbot-agents"}
