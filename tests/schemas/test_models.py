"""Laws that every model of the package keeps."""

import copy
import importlib
import inspect
import json
import pickle
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, PlainValidator, TypeAdapter, ValidationError

import langbot_agents.schemas
from langbot_agents.schemas import catalogue
from langbot_agents.schemas.base import (
    MAX_JSON_DEPTH,
    Document,
    FrozenDict,
    Model,
    changed,
    freeze,
    thaw,
    trusted,
)
from langbot_agents.schemas.binding_tests import TestExpectation, TestMessage
from langbot_agents.schemas.bindings import AgentBinding, NamedTarget, RateLimit, RunLimits
from langbot_agents.schemas.content import ActorRef, ImagePart, QuotePart, TextPart
from langbot_agents.schemas.context import AgentRunState
from langbot_agents.schemas.events import (
    MAX_INLINE_TEXT,
    AgentEventEnvelope,
    AgentInput,
    DeliveryContext,
    ReplyTarget,
)
from langbot_agents.schemas.host import Host, ScheduleSettings
from langbot_agents.schemas.interactions import InteractionRequest
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.results import (
    RESULT_DATA,
    AgentRunResult,
    MessageCompletedData,
    MessageDeltaData,
    ResultType,
)
from langbot_agents.schemas.runners import (
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
)
from langbot_agents.schemas.text import localized
from langbot_agents.schemas.units import TimeWindow, parse_duration, parse_size

DECLARATIONS = (AgentRunnerCapabilities, AgentRunnerPermissions)
"""Wire models that refuse unknown keys, as LangBot's do: a capability or verb nobody knows is not granted."""


def _models() -> Iterator[type[BaseModel]]:
    package = langbot_agents.schemas
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        for _, found in inspect.getmembers(importlib.import_module(info.name), inspect.isclass):
            if (
                issubclass(found, BaseModel)
                and found.__module__ == info.name
                and found not in (Model, Document)
            ):
                yield found


MODELS = tuple(_models())
each_model = pytest.mark.parametrize("model", MODELS, ids=[model.__qualname__ for model in MODELS])


def test_models_are_found() -> None:
    """The laws below look at every model of the package."""
    assert {AgentEventEnvelope, AgentBinding, AgentRunResult, Host} <= set(MODELS)
    assert len(MODELS) > 80


@each_model
def test_fields_are_described(model: type[BaseModel]) -> None:
    """Every field of every model has a description, and every model says what it is."""
    assert [name for name, field in model.model_fields.items() if not field.description] == []
    assert model.__name__.startswith("_") or inspect.getdoc(model)


@each_model
def test_kind(model: type[BaseModel]) -> None:
    """Every model is frozen; wire models keep unknown keys, documents and declarations refuse them."""
    forbids = (
        issubclass(model, Document) or issubclass(model, DECLARATIONS) or model.__name__ == "_Declaration"
    )

    assert issubclass(model, Model | Document)
    assert model.model_config["frozen"] is True
    assert model.model_config["extra"] == ("forbid" if forbids else "allow")


def _mutable(annotation: Any) -> Iterator[Any]:
    """The parts of an annotation that could hold something that can be changed."""
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *marks = get_args(annotation)
        if not any(isinstance(mark, PlainValidator | AfterValidator) for mark in marks):
            yield from _mutable(base)
    elif annotation in (Any, list, dict, set) or origin in (list, dict, set, Mapping):
        yield annotation
    elif origin is not None:
        for part in get_args(annotation):
            yield from _mutable(part)


@each_model
def test_fields_hold_nothing_mutable(model: type[BaseModel]) -> None:
    """Lists are tuples; objects and free values pass a validator that freezes them."""
    hints = get_type_hints(model, include_extras=True)

    assert [name for name in model.model_fields if list(_mutable(hints[name]))] == []


@each_model
def test_documents_hold_documents(model: type[BaseModel]) -> None:
    """A document is made of documents, which refuse unknown keys; the one exception refuses them itself."""
    inner = json.dumps(model.model_json_schema())
    open_parts = {
        each.__name__ for each in MODELS if issubclass(each, Model) and f"/{each.__name__}" in inner
    }

    assert not issubclass(model, Document) or open_parts <= {"ReplyTarget"}


def test_mutable_is_noticed() -> None:
    """The law above notices lists, dicts, and values of any kind."""
    wrong = [Any, list[str], tuple[dict[str, int], ...], Mapping[str, int] | None, Annotated[Any, "mark"]]

    assert [bool(list(_mutable(annotation))) for annotation in wrong] == [True] * len(wrong)


CHANGES: dict[str, tuple[Any, ...]] = {
    "__setitem__": ("a", 1),
    "__delitem__": ("a",),
    "__ior__": ({"a": 1},),
    "pop": ("a", None),
    "update": ({"a": 1},),
    "setdefault": ("a", 1),
    "clear": (),
    "popitem": (),
}
"""What changes a dict, with arguments."""


def assert_frozen(value: Any) -> None:
    """Hold that a value cannot be changed, nor anything in it."""
    if isinstance(value, BaseModel):
        for name in [*type(value).model_fields, "unheard_of"]:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(value, name, None)
        for item in dict(value).values():
            assert_frozen(item)
    elif isinstance(value, Mapping):
        for method, arguments in CHANGES.items():
            with pytest.raises(TypeError, match="frozen"):
                getattr(value, method)(*arguments)
        for item in value.values():
            assert_frozen(item)
    elif isinstance(value, tuple):
        for item in value:
            assert_frozen(item)
    else:
        assert not isinstance(value, list | dict | set | bytearray), value


INSTANCES: list[BaseModel] = [
    *(
        AgentEventEnvelope.model_validate(catalogue.sample(found.name))
        for found in catalogue.standard_types()
    ),
    *catalogue.standard_types(),
    AgentBinding(
        binding_id="b",
        event_types=("*",),
        runner_id="echo",
        labels={"team": "support"},
        runner_config={"prompt": [{"role": "system", "content": "hi"}]},
    ),
    AgentRunResult.model_validate({"type": "acme", "data": {"a": [{"b": []}]}, "more": {"c": [1]}}),
    AgentRunState.model_validate({"scopes": {"actor": {"k": {"value": [{"x": []}], "version": 1}}}}),
    AgentRunnerManifest(id="plugin:a/b/c", label={"en_US": "x"}),
    ScheduleSettings(name="s", cron="* * * * *", data={"a": [1]}),
    Host.model_validate(
        {"models": [{"name": "m", "model": "gpt", "extra": {"a": [1]}}], "legacy": {"a": []}}
    ),
]


@pytest.mark.parametrize("value", INSTANCES, ids=[type(value).__name__ for value in INSTANCES])
def test_frozen_to_the_leaves(value: BaseModel) -> None:
    """Frozen means frozen: no field, list, object or unknown key of a value can be changed."""
    assert_frozen(value)


def test_unknown_keys_are_passed_on() -> None:
    """A wire model keeps keys that it does not know, at every level, and passes them on."""
    sample = catalogue.sample("message.received")
    sample |= {"from_the_future": {"a": [1, None]}}
    sample["actor"]["verified"] = True
    sample["input"]["contents"][0]["colour"] = "red"

    assert AgentEventEnvelope.model_validate(sample).model_dump(mode="json") == sample


BINDING: dict[str, Any] = {"binding_id": "b", "event_types": ["message.received"], "runner_id": "echo"}


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("prioritty", {**BINDING, "prioritty": 1}),
        ("scope.bot", {**BINDING, "scope": {"bot": "1"}}),
        ("flow.debounce.dealy", {**BINDING, "flow": {"debounce": {"delay": 1, "dealy": 1}}}),
        ("filters.0.expression", {**BINDING, "filters": [{"expr": "a", "expression": "b"}]}),
    ],
)
def test_documents_refuse_unknown_keys(path: str, document: dict[str, Any]) -> None:
    """A document refuses a key that it does not know, and the error says where it is."""
    with pytest.raises(ValidationError) as caught:
        AgentBinding.model_validate(document)

    assert [(error["type"], ".".join(map(str, error["loc"]))) for error in caught.value.errors()] == [
        ("extra_forbidden", path)
    ]


def envelope(**more: Any) -> dict[str, Any]:
    """The smallest envelope, with changes."""
    return {
        "event_type": "acme.ticket.opened",
        "source": {"kind": "http_api", "name": "acme"},
        "delivery": {"surface": "acme"},
        **more,
    }


def binding(**more: Any) -> dict[str, Any]:
    """The smallest binding, with changes."""
    return {**BINDING, **more}


def nested(levels: int) -> Any:
    """A list in a list, so many levels deep."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("model", "value", "message"),
    [
        (AgentEventEnvelope, envelope(event_type="Message"), "string_pattern_mismatch"),
        (AgentEventEnvelope, envelope(event_time=float("nan")), "finite number"),
        (AgentEventEnvelope, envelope(event_id=""), "at least 1 character"),
        (AgentEventEnvelope, envelope(bot_id=10001000), "valid string"),
        (AgentEventEnvelope, envelope(received_at="2026-03-02T01:00:00"), "timezone info"),
        (AgentEventEnvelope, envelope(metadata=[]), "expected an object, got list"),
        (AgentEventEnvelope, envelope(metadata={"a": float("inf")}), "inf is not a JSON number"),
        (AgentEventEnvelope, envelope(metadata={"a": {1: 2}}), "key 1 is not a string"),
        (AgentEventEnvelope, envelope(metadata={"a": b""}), "bytes is not a JSON value"),
        (AgentEventEnvelope, envelope(metadata={"a": "\ud800"}), "lone surrogate"),
        (AgentEventEnvelope, envelope(input={"text": "hi \ud83d"}), "input.text"),
        (AgentEventEnvelope, envelope(actor={"roles": ["\udc00"]}), "actor.roles.0"),
        (AgentEventEnvelope, envelope(metadata=nested(MAX_JSON_DEPTH + 1)), "deeper than 64 levels"),
        (AgentEventEnvelope, envelope(unheard_of=float("nan")), "nan is not a JSON number"),
        (
            AgentEventEnvelope,
            envelope(input={"text": "字" * 30_000}),
            "90000 bytes, over 65536",
        ),
        (
            AgentEventEnvelope,
            envelope(conversation_type="group", metadata={"chat_type": "private"}),
            "conversation_type 'group' and metadata.chat_type 'private' differ; state one",
        ),
        (AgentEventEnvelope, envelope(conversation_type="supergroup"), "'private', 'group' or 'channel'"),
        (DeliveryContext, {"surface": "a", "max_message_size": 10}, "greater than or equal to 64"),
        (ImagePart, {}, "give exactly one of artifact and url"),
        (AgentRunResult, {"type": "x", "timestamp": float("nan")}, "finite number"),
        (MessageCompletedData, {"message": {}}, "message has no content"),
        (AgentRunState, {"scopes": {"actor": 3}}, "scopes.actor\n  Input should be a valid dictionary"),
        (AgentRunState, {"scopes": {"galaxy": {}}}, "'conversation', 'actor', 'subject'"),
        (AgentRunnerCapabilities, {"straming": True}, "Extra inputs are not permitted"),
        (AgentRunnerPermissions, {"models": ["destroy"]}, "'invoke', 'stream'"),
        (AgentRunnerManifest, {"id": "plugin:a/b"}, "string_pattern_mismatch"),
        (
            AgentRunnerManifest,
            {"id": "plugin:a/b/c", "protocol_version": "2"},
            "protocol version '2' is not spoken here; this host speaks '1'",
        ),
        (InteractionRequest, {"interaction_id": "i", "fallback_text": ""}, "at least 1 character"),
        (
            InteractionRequest,
            {"interaction_id": "i", "fallback_text": "?", "fields": [{"id": "f", "type": "select"}]},
            "field 'f' is a select and needs options",
        ),
        (
            InteractionRequest,
            {"interaction_id": "i", "fallback_text": "?", "actions": [{"id": "a", "label": "A"}] * 2},
            "action ids must be unique",
        ),
        (AgentBinding, binding(binding_id="-x"), "string_pattern_mismatch"),
        (AgentBinding, binding(event_types=[]), "at least 1 item"),
        (AgentBinding, binding(event_types=["message.**"]), "string_pattern_mismatch"),
        (AgentBinding, binding(labels={"a": 1}), "value of 'a' must be text, got 1; quote it"),
        (AgentBinding, binding(mode="maybe"), "'respond' or 'observe'"),
        (
            AgentBinding,
            binding(limits={"timeout": "soon"}),
            "'soon' is not a duration; write a number or for example 90s, 10m, 24h or 7d",
        ),
        (AgentBinding, binding(limits={"timeout": True}), "True is not a duration"),
        (AgentBinding, binding(limits={"timeout": 0}), "greater than 0"),
        (AgentBinding, binding(limits={"timeout": float("inf")}), "finite number"),
        (AgentBinding, binding(limits={"max_result_bytes": "1 mib"}), "'1 mib' is not a size"),
        (AgentBinding, binding(limits={"max_result_bytes": "0.3B"}), "fractional part"),
        (
            AgentBinding,
            binding(delivery_policy={"targets": ["none", "reply"]}),
            "`none` stands alone; remove it or the other targets",
        ),
        (
            AgentBinding,
            binding(delivery_policy={"delay": {"min": "10s", "max": 1}}),
            "max 1s is shorter than min 10s",
        ),
        (AgentBinding, binding(active={"from": "2026-03-02T09:00:00"}), "timezone info"),
        (AgentBinding, binding(description="\ud800"), "description"),
        (
            NamedTarget,
            {"surface": "qq", "target": {"target_type": "group", "target_id": "1", "thread": "2"}},
            "unknown key 'thread'; a target has target_type, target_id, thread_id",
        ),
        (TimeWindow, "22-7", "'22-7' is not a span of hours; write for example 22:00-07:00"),
        (TimeWindow, "22:00-07:00\n", "is not a span of hours"),
        (TimeWindow, "24:00-07:00", "is not a span of hours"),
        (TimeWindow, {"hours": "22:00-07:00", "zone": "Mars/Base"}, "'Mars/Base' is not a time zone"),
        (TimeWindow, {"hours": "22:00-07:00", "zone": "../etc"}, "write an IANA name such as Asia/Shanghai"),
        (Host, {"timezone": ""}, "'' is not a time zone"),
        (
            Host,
            {"platforms": [{"name": "qq", "type": "onebot"}, {"name": "qq", "type": "telegram"}]},
            "platforms: name 'qq' is given twice",
        ),
        (TestMessage, {}, "give exact, contains or matches"),
        (TestExpectation, {}, "nothing is expected; give for example winner"),
    ],
)
def test_bad_values(model: type[BaseModel], value: Any, message: str) -> None:
    """A bad value is refused by the model itself, with a message that names it and what is right."""
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    "metadata", [{"chat_type": []}, {"chat_type": {}}, {"chat_type": 1}, {"chat_type": "supergroup"}]
)
def test_odd_chat_type(metadata: dict[str, Any]) -> None:
    """A chat type that is none of ours stays in the metadata and says nothing about the conversation."""
    found = AgentEventEnvelope.model_validate(envelope(metadata=metadata))

    assert found.conversation_type is None
    assert thaw(found.metadata) == metadata


@pytest.mark.parametrize("kind", ["private", "group", "channel"])
def test_conversation_type_is_chat_type(kind: str) -> None:
    """`conversation_type` and `metadata.chat_type` are one thing: either fills the other."""
    stated = AgentEventEnvelope.model_validate(envelope(conversation_type=kind, metadata={"a": 1}))
    meant = AgentEventEnvelope.model_validate(envelope(metadata={"a": 1, "chat_type": kind}))

    assert stated == meant
    assert stated.metadata == {"a": 1, "chat_type": kind}
    assert stated.conversation_type == kind


def test_text_bound() -> None:
    """A text of 64 KiB fits an event, one byte more does not."""
    assert AgentInput(text="字" * (MAX_INLINE_TEXT // 3) + "a").text
    with pytest.raises(ValidationError, match="65537 bytes"):
        AgentInput(text="字" * (MAX_INLINE_TEXT // 3) + "ab")


def test_depth_bound() -> None:
    """Free JSON may be 64 levels deep, and no deeper, however deep it is."""
    assert freeze(nested(MAX_JSON_DEPTH))
    for levels in (MAX_JSON_DEPTH + 1, 100_000):
        with pytest.raises(ValueError, match="deeper than 64 levels"):
            freeze(nested(levels))


def test_frozen_dict_is_a_value() -> None:
    """A frozen object is JSON, equal to the dict it was made of, hashable, and survives copy and pickle."""
    plain = {"a": [1, {"b": None}], "字": True}
    frozen = freeze(plain)

    assert json.dumps(frozen) == json.dumps(plain)
    assert thaw(frozen) == plain
    assert hash(frozen) == hash(freeze(plain))
    assert copy.copy(frozen) is frozen
    assert copy.deepcopy(frozen) is frozen
    assert pickle.loads(pickle.dumps(frozen)) == frozen
    assert isinstance(pickle.loads(pickle.dumps(frozen)), FrozenDict)
    assert {**frozen, "a": 1} == {"a": 1, "字": True}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (90, 90),
        (1.5, 1.5),
        ("250ms", 0.25),
        ("90s", 90),
        ("10m", 600),
        ("24h", 86_400),
        ("7d", 604_800),
        ("0.1s", 0.1),
        ("1.1m", 66),
        (" 10 m ", 600),
        ("0s", 0),
    ],
)
def test_durations(value: Any, seconds: float) -> None:
    """A duration is a number of seconds, or a number with ms, s, m, h or d."""
    assert parse_duration(value) == seconds
    assert RateLimit.model_validate({"limit": 1, "window": value}).window == seconds


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (4096, 4096),
        ("512B", 512),
        ("64KiB", 65_536),
        ("64 KiB", 65_536),
        ("1MiB", 1_048_576),
        ("2GiB", 2_147_483_648),
        ("1KB", 1000),
        ("1.5MB", 1_500_000),
        ("0.067GB", 67_000_000),
        ("1.005MB", 1_005_000),
    ],
)
def test_sizes(value: Any, size: int) -> None:
    """A size is a number of bytes, or a number with B, KB, MB, GB, KiB, MiB or GiB, counted exactly."""
    assert parse_size(value) == size
    assert RunLimits(max_result_bytes=value).max_result_bytes == size


@given(st.integers(0, 10**9), st.sampled_from([("KB", 3), ("MB", 6), ("GB", 9)]))
def test_sizes_are_exact(count: int, unit: tuple[str, int]) -> None:
    """However a whole number of bytes is written in decimal units, it is read as that number."""
    name, places = unit
    whole, rest = divmod(count, 10**places)

    assert parse_size(f"{whole}.{rest:0{places}d}{name}") == count


@pytest.mark.parametrize(
    "value", ["", "s", "-1s", "1", "1w", "1 0s", "１s", "1e3s", ".5s", "1H", None, [], "9" * 400 + "s", False]
)
def test_bad_durations(value: Any) -> None:
    """What is not a duration is refused: no sign, no exponent, no other unit, no number as text."""
    with pytest.raises(ValidationError):
        RateLimit.model_validate({"limit": 1, "window": value})


@pytest.mark.parametrize(
    ("hours", "bounds"),
    [
        ("22:00-07:00", (time(22), time(7))),
        ("09:30-18:15", (time(9, 30), time(18, 15))),
        ("12:00-24:00", (time(12), time(0))),
    ],
)
def test_hours(hours: str, bounds: tuple[time, time]) -> None:
    """Hours are written as text alone or with days and zone; they may cross midnight."""
    assert TimeWindow.model_validate(hours).bounds() == bounds
    assert TimeWindow(hours=hours, days=("sat", "sun"), zone="Asia/Shanghai").bounds() == bounds


BOTH = {"en_US": "Refund", "zh_Hans": "退款"}


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("Refund", "zh_Hans", "Refund"),
        (None, "en_US", ""),
        ({}, "en_US", ""),
        (BOTH, "en_US", "Refund"),
        (BOTH, "zh_Hans", "退款"),
        (BOTH, "zh-CN", "退款"),
        (BOTH, "zh_CN.UTF-8", "退款"),
        (BOTH, "zh", "退款"),
        (BOTH, "zh_TW", "退款"),
        (BOTH, "en-GB", "Refund"),
        (BOTH, "fr", "Refund"),
        (BOTH, "", "Refund"),
        ({**BOTH, "zh_Hant": "退費"}, "zh-HK", "退費"),
        ({**BOTH, "zh_Hant": "退費"}, "zh_Hant_TW", "退費"),
        ({**BOTH, "zh_Hant": "退費"}, "zh_SG", "退款"),
        ({"ja": "返金", "pt_BR": "Reembolso"}, "pt_PT", "Reembolso"),
        ({"ja": "返金", "pt_BR": "Reembolso"}, "de", "返金"),
        ({"zh-CN": "退款", "en": "Refund"}, "zh_Hans", "退款"),
    ],
)
def test_localized(text: Any, locale: str, expected: str) -> None:
    """A reader gets their own locale, else their language, else English, else what there is."""
    assert localized(text, locale) == expected


def test_input_as_message() -> None:
    """An input is a user message: its parts, else its text; its text is the text, else that of the parts."""
    parts = (
        {"type": "text", "text": "a"},
        {"type": "image", "url": "https://x.test/a"},
        {"type": "text", "text": "b"},
    )
    rich = AgentInput.model_validate({"contents": parts})

    assert rich.to_text() == "ab"
    assert rich.as_message().content == rich.contents
    assert AgentInput(text="hi").as_message() == Message(role="user", content="hi")


def test_attachments_are_part_of_the_message() -> None:
    """Files that came along follow the text, each once; what is known by its handle only is named."""
    stored = {"artifact_id": "art_1", "mime_type": "image/png", "digest": "sha256:1"}
    came = AgentInput.model_validate(
        {
            "text": "look",
            "attachments": [
                {"type": "image", "artifact": stored, "name": "a.png"},
                {"type": "image", "artifact": {**stored, "artifact_id": "art_2"}},
                {"type": "sticker", "url": "https://a.example/s", "mime_type": "image/webp"},
                {"type": "sticker", "url": "https://a.example/t.tgs"},
                {"type": "voice", "url": "https://a.example/v"},
                {"type": "file", "id": "handle-7"},
            ],
        }
    )
    content = came.as_message().content
    again = came.model_copy(update={"contents": content})

    assert [part.type for part in content if not isinstance(part, str)] == [
        "text",
        "image",
        "image",
        "file",
        "audio",
        "text",
    ]
    assert isinstance(content[1], ImagePart)
    assert (content[1].artifact, content[1].name) == (came.attachments[0].artifact, "a.png")
    assert content[-1] == TextPart(text="[file: handle-7]")
    assert again.as_message().content == content
    assert AgentInput(attachments=came.attachments[:1]).as_message().content == content[1:2]
    assert AgentInput().to_text() == ""


def test_result_data_shorthand() -> None:
    """A bare string is a message, whole or in pieces; each result type has its model."""
    assert MessageDeltaData.model_validate({"chunk": "a"}).chunk.content == "a"
    assert MessageCompletedData.model_validate({"message": "a"}).message.content == "a"
    assert tuple(RESULT_DATA) == get_args(ResultType)


names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,12}", fullmatch=True)
ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.isoformat()
)
event_types = st.from_regex(r"[a-z][a-z0-9_]{0,5}(\.[a-z0-9_-]{1,5}){1,4}", fullmatch=True)
future = st.dictionaries(st.sampled_from(["x_one", "x_two"]), json_values, max_size=2)


def records(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """JSON data of a wire model, sometimes with keys of a newer version."""
    known = st.fixed_dictionaries(required, optional=optional)
    return st.tuples(known, future).map(lambda pair: {**pair[1], **pair[0]})


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A value, or null."""
    return st.none() | strategy


actors = records(
    {},
    {
        "actor_type": st.sampled_from(["user", "bot", "system", "chat", "anonymous"]),
        "actor_id": maybe(ids),
        "actor_name": maybe(texts),
        "roles": st.lists(texts, max_size=2),
        "metadata": objects,
    },
)
parts: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(
        records({"type": st.just("text"), "text": texts}, {}),
        records(
            {"type": st.sampled_from(["image", "audio", "video", "file"]), "url": texts}, {"name": texts}
        ),
        records({"type": st.just("mention"), "actor": actors}, {}),
        records({"type": st.just("json"), "value": json_values}, {}),
        records(
            {"type": st.just("quote")}, {"message_id": maybe(ids), "contents": st.lists(parts, max_size=1)}
        ),
    )
)
targets = records(
    {"target_type": st.sampled_from(["person", "group", "channel", "session", "url"]), "target_id": ids},
    {"thread_id": maybe(ids), "message_id": maybe(ids), "metadata": objects},
)
kinds = st.sampled_from(["platform_adapter", "webui", "http_api", "scheduler", "system"])
envelopes = records(
    {
        "event_type": event_types,
        "source": records({"kind": kinds, "name": names}, {}),
        "delivery": records(
            {"surface": names},
            {
                "reply_target": maybe(targets),
                "supports_edit": st.booleans(),
                "max_message_size": maybe(st.integers(64, 10**6)),
            },
        ),
    },
    {
        "event_uid": maybe(texts),
        "received_at": maybe(moments),
        "event_id": maybe(ids),
        "event_time": maybe(floats),
        "workspace_id": names,
        "bot_id": maybe(ids),
        "conversation_id": maybe(ids),
        "conversation_type": maybe(st.sampled_from(["private", "group", "channel"])),
        "actor": maybe(actors),
        "subject": maybe(records({"subject_type": st.just("message")}, {"subject_id": maybe(ids)})),
        "input": records(
            {}, {"text": maybe(texts), "contents": st.lists(parts, max_size=2), "data": json_values}
        ),
        "metadata": objects,
        "locale": maybe(st.sampled_from(["zh_Hans", "en_US"])),
        "cause": maybe(records({}, {"run_id": texts, "depth": st.integers(0, 99)})),
        "expires_at": maybe(moments),
    },
)
results = records(
    {"type": st.sampled_from([*RESULT_DATA, "acme.progress"])},
    {
        "data": objects,
        "message_id": maybe(texts),
        "usage": maybe(records({}, {"prompt_tokens": maybe(st.integers(0, 10**12))})),
        "run_id": maybe(texts),
        "sequence": maybe(st.integers(0, 10**9)),
        "timestamp": maybe(floats),
    },
)
durations = st.integers(1, 10**6) | st.sampled_from(["90s", "10m", "24h", "7d", "250ms"])
scope_values = texts.filter(bool) | st.lists(texts.filter(bool), min_size=1, max_size=2)
bindings = st.fixed_dictionaries(
    {
        "binding_id": names,
        "event_types": st.lists(
            event_types | st.just("*") | event_types.map("{}.*".format), min_size=1, max_size=2
        ).filter(lambda found: all(each.count(".") <= 4 for each in found)),
        "runner_id": names,
    },
    optional={
        "description": maybe(texts),
        "enabled": st.booleans(),
        "labels": st.dictionaries(texts, texts, max_size=2),
        "scope": st.fixed_dictionaries({}, optional={"bot_id": scope_values, "actor_id": scope_values}),
        "filters": st.lists(
            texts.filter(bool)
            | st.fixed_dictionaries({"expr": texts.filter(bool)}, optional={"name": texts}),
            max_size=2,
        ),
        "priority": st.integers(-1_000_000, 1_000_000),
        "mode": st.sampled_from(["respond", "observe"]),
        "runner_config": objects,
        "resource_policy": st.fixed_dictionaries(
            {},
            optional={
                "tools": maybe(st.lists(texts, max_size=2)),
                "history": st.sampled_from(["conversation", "workspace", False, None]),
                "restrict": st.just([{"resources": ["*"], "only_when": "actor.actor_id == 'a'"}]),
            },
        ),
        "delivery_policy": st.fixed_dictionaries(
            {},
            optional={
                "targets": st.sampled_from(
                    [
                        ["none"],
                        ["reply"],
                        ["reply", {"surface": "qq", "target": {"target_type": "group", "target_id": "1"}}],
                    ]
                ),
                "hint_text": texts | st.dictionaries(st.sampled_from(["en_US", "zh_Hans"]), texts),
                "delay": st.just({"min": "1s", "max": "2s"}),
                "quiet_hours": st.just(["22:00-07:00", {"hours": "12:00-13:00", "days": ["mon"]}]),
            },
        ),
        "flow": st.fixed_dictionaries(
            {},
            optional={
                "debounce": st.fixed_dictionaries({"delay": durations}),
                "rate_limit": st.fixed_dictionaries({"limit": st.integers(1, 9), "window": durations}),
            },
        ),
        "limits": st.fixed_dictionaries(
            {}, optional={"timeout": durations, "max_result_bytes": st.sampled_from([1, "64KiB", "1.5MB"])}
        ),
        "active": st.fixed_dictionaries({}, optional={"from": moments, "until": maybe(moments)}),
    },
)

law = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_round_trip(model: type[BaseModel], data: dict[str, Any]) -> None:
    """Hold that a value comes back equal from its JSON text and its JSON data, by either name of a field."""
    value = model.model_validate(data)

    for by_alias in (True, False):
        dumped = value.model_dump(mode="json", by_alias=by_alias)
        text = value.model_dump_json(by_alias=by_alias)
        assert model.model_validate(dumped) == value
        assert model.model_validate_json(text) == value
        assert json.loads(text) == dumped
        assert model.model_validate(dumped).model_dump(mode="json", by_alias=by_alias) == dumped


@law
@given(envelopes)
def test_envelope_round_trip(data: dict[str, Any]) -> None:
    """An event comes back from JSON as it was, with all that a newer version put into it."""
    kind, metadata = data.get("conversation_type"), data.get("metadata", {})
    if kind is not None and "chat_type" in metadata:
        data["metadata"] = {**metadata, "chat_type": kind}

    assert_round_trip(AgentEventEnvelope, data)
    assert_frozen(AgentEventEnvelope.model_validate(data).metadata)


@law
@given(results)
def test_result_round_trip(data: dict[str, Any]) -> None:
    """A result comes back from JSON as it was, also one of an unknown type."""
    assert_round_trip(AgentRunResult, data)


@law
@given(results)
def test_a_trusted_value_is_the_validated_one(data: dict[str, Any]) -> None:
    """Made of the same fields without a check, or changed in none, a value is what validation makes."""
    value = AgentRunResult.model_validate(data)
    given = {
        name: getattr(value, name) for name in value.model_fields_set if name in type(value).model_fields
    }
    made = trusted(AgentRunResult, **given)

    assert changed(made, type="run.failed").type == "run.failed"
    if value.__pydantic_extra__ == {}:
        assert made == value
        assert made.model_dump_json() == value.model_dump_json()
        assert made.model_dump(exclude_unset=True) == value.model_dump(exclude_unset=True)
    assert changed(value) == value
    assert_frozen(made)


@law
@given(bindings)
def test_binding_round_trip(data: dict[str, Any]) -> None:
    """A binding comes back from JSON as it was; shorthands are gone after the first reading."""
    assert_round_trip(AgentBinding, data)


@given(json_values)
def test_freeze_and_thaw(value: Any) -> None:
    """Freezing and thawing gives the value back; freezing twice is freezing once."""
    assert thaw(freeze(value)) == value
    assert freeze(freeze(value)) == freeze(value)
    assert_frozen(freeze(value))


def test_nested_quote_round_trip() -> None:
    """A quote may hold parts, quotes among them."""
    quote = {"type": "quote", "message_id": "1", "contents": [{"type": "quote", "contents": []}]}
    found = QuotePart.model_validate(quote)

    assert QuotePart.model_validate_json(found.model_dump_json()) == found


def test_equal_actors_are_one() -> None:
    """Frozen values are values: equal ones have one hash, so they can be looked up."""
    first, second = (ActorRef(actor_id="1", metadata={"a": [1]}) for _ in range(2))

    assert {first: "found"}[second] == "found"


def test_reply_target_schema() -> None:
    """A model's JSON Schema says what its fields are, for editors."""
    properties = TypeAdapter(ReplyTarget).json_schema()["properties"]

    assert all(field["description"] for field in properties.values())
