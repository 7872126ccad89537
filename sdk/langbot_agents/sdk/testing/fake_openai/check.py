"""Whether a chat request is one that the service takes: fields, types, and the order of tool messages."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from .script import FAILURES, FakeFailure, WireMessages


class _Wire(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class _Text(_Wire):
    type: Literal["text"]
    text: str


class _ImageUrl(_Wire):
    url: str
    detail: Literal["auto", "low", "high"] | None = None


class _Image(_Wire):
    type: Literal["image_url"]
    image_url: _ImageUrl


class _Audio(_Wire):
    type: Literal["input_audio"]
    input_audio: dict[str, Any]


class _File(_Wire):
    type: Literal["file"]
    file: dict[str, Any]


_Part = Annotated[_Text | _Image | _Audio | _File, Field(discriminator="type")]


class _Function(_Wire):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    arguments: str


class _Call(_Wire):
    id: str
    type: Literal["function"]
    function: _Function


class _Instruction(_Wire):
    role: Literal["system", "developer"]
    content: str | list[_Text]


class _User(_Wire):
    role: Literal["user"]
    content: str | Annotated[list[_Part], Field(min_length=1)]


class _Assistant(_Wire):
    role: Literal["assistant"]
    content: str | list[_Text] | None = None
    tool_calls: Annotated[list[_Call], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "_Assistant":
        if self.content is None and not self.tool_calls:
            raise ValueError("content is null, which only a message with tool_calls may have")
        return self


class _Tool(_Wire):
    role: Literal["tool"]
    tool_call_id: str
    content: str | list[_Text]


_Message = Annotated[_Instruction | _User | _Assistant | _Tool, Field(discriminator="role")]


class _Definition(_Wire):
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class _ToolEntry(_Wire):
    type: Literal["function"]
    function: _Definition


class _Named(_Wire):
    name: str


class _Choice(_Wire):
    type: Literal["function"]
    function: _Named


class _StreamOptions(_Wire):
    include_usage: bool | None = None


class _Format(_Wire):
    type: Literal["text", "json_object", "json_schema"]


_Tokens = Annotated[int, Field(ge=1)]


class ChatRequest(_Wire):
    """The fields of a chat request that the service checks; others pass."""

    model: str
    messages: Annotated[list[_Message], Field(min_length=1)]
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    tools: Annotated[list[_ToolEntry], Field(min_length=1)] | None = None
    tool_choice: Literal["none", "auto", "required"] | _Choice | None = None
    parallel_tool_calls: bool | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: _Tokens | None = None
    max_completion_tokens: _Tokens | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    response_format: _Format | None = None
    n: Annotated[int, Field(ge=1, le=8)] | None = None
    user: str | None = None
    seed: int | None = None
    reasoning_effort: str | None = None


def check_chat(body: Any, models: Sequence[str] | None) -> ChatRequest | FakeFailure:
    """The request, or the error that the service answers; `models` None takes any name."""
    if not isinstance(body, Mapping):
        return _bad("The body of the request is not a JSON object.")
    name = body.get("model")
    if not isinstance(name, str) or not name:
        return _bad("You must provide a model parameter.", "model", "missing_required_parameter")
    if models is not None and name not in models:
        return unknown_model(name)
    try:
        request = ChatRequest.model_validate(body)
    except ValidationError as error:
        return _invalid(error, body)
    if request.stream_options is not None and not request.stream:
        return _bad("stream_options is only allowed when stream is true.", "stream_options")
    if request.max_tokens is not None and request.max_completion_tokens is not None:
        return _bad("Give max_tokens or max_completion_tokens, not both.", "max_tokens")
    for field in ("tool_choice", "parallel_tool_calls"):
        if getattr(request, field) is not None and request.tools is None:
            return _bad(f"{field} is only allowed when tools are specified.", field)
    return _tool_order(body["messages"]) or request


def unknown_model(name: str) -> FakeFailure:
    """The answer to a model that is not served."""
    return FakeFailure(
        status=404,
        message=f"The model `{name}` does not exist or you cannot use it.",
        param="model",
        code=FAILURES["model_not_found"].code,
    )


def _tool_order(messages: WireMessages) -> FakeFailure | None:
    """Each call of an assistant is answered by a tool message before anything else comes."""
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return _bad(
                    "A message with role 'tool' must answer one of the 'tool_calls' right before it.",
                    f"messages[{place}].role",
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return _unanswered(waiting, place)
        if message["role"] == "assistant":
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
    return _unanswered(waiting, len(messages)) if waiting else None


def _unanswered(waiting: Sequence[str], place: int) -> FakeFailure:
    return _bad(
        "An assistant message with 'tool_calls' must be followed by tool messages that answer each "
        f"'tool_call_id'. These have no answer: {', '.join(waiting)}",
        f"messages[{place}].role" if place else "messages",
    )


def _invalid(error: ValidationError, body: Mapping[str, Any]) -> FakeFailure:
    found = error.errors(include_url=False, include_input=False)
    # of a union's branches the one that got furthest is meant
    param, first = max(((_param(item, body), item) for item in found), key=lambda pair: len(pair[0]))
    if first["type"] in {"missing", "union_tag_not_found"}:
        return _bad(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")
    return _bad(f"Invalid value for '{param}': {first['msg']}.", param, "invalid_value")


def _param(error: ErrorDetails, body: Any) -> str:
    """The path in the request, without the names that only the check's unions have."""
    path, at = "", body
    for part in error["loc"]:
        if isinstance(part, int) and isinstance(at, list):
            path += f"[{part}]"
            at = at[part]
        elif isinstance(at, Mapping) and part in at:
            path += f".{part}" if path else str(part)
            at = at[part]
    missing = error["loc"][-1] if error["type"] == "missing" else None
    if error["type"].startswith("union_tag"):
        missing = error["ctx"]["discriminator"].strip("'")
    return path if missing is None else f"{path}.{missing}" if path else str(missing)


def _bad(message: str, param: str | None = None, code: str | None = None) -> FakeFailure:
    return FakeFailure(status=400, message=message, param=param, code=code)
