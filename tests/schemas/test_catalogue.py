"""The catalogue of standard event types."""

import importlib.util
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from langbot_agents.schemas import catalogue
from langbot_agents.schemas.base import EVENT_TYPE_PATTERN, thaw
from langbot_agents.schemas.catalogue import EventTypeContract
from langbot_agents.schemas.events import AgentEventEnvelope

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "schemas" / "langbot_agents" / "schemas" / "samples"

NAMES = [
    "message.received",
    "message.edited",
    "message.recalled",
    "message.reaction",
    "feedback.received",
    "group.member_joined",
    "group.member_left",
    "group.member_banned",
    "group.member_unbanned",
    "group.info_updated",
    "group.request_received",
    "friend.request_received",
    "friend.added",
    "friend.removed",
    "bot.invited_to_group",
    "bot.removed_from_group",
    "bot.muted",
    "bot.unmuted",
    "schedule.triggered",
    "api.invoked",
    "interaction.submitted",
    "action.completed",
    "system.started",
    "system.config_changed",
    "system.plugin_failed",
    "platform.<adapter>.<action>",
]

JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}

each_type = pytest.mark.parametrize(
    "found", catalogue.standard_types(), ids=[found.name for found in catalogue.standard_types()]
)


def pieces(value: Any) -> list[Any]:
    """The value and everything in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(piece for item in inner for piece in pieces(item))]


@cache
def validator(event_type: str) -> Draft202012Validator:
    """A validator with the schema of a type, which is valid itself."""
    schema = catalogue.event_schema(event_type)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def problems(event_type: str, event: dict[str, Any]) -> list[str]:
    """The places in an event that the schema of a type refuses."""
    return sorted({error.json_path for error in validator(event_type).iter_errors(event)})


def test_names() -> None:
    """The catalogue has exactly the standard types, each once, in the order of the specification."""
    assert [found.name for found in catalogue.standard_types()] == NAMES


@each_type
def test_names_are_event_types(found: EventTypeContract) -> None:
    """Each name and alias is a well-formed event type; a family's sample has one of the family."""
    names = [found.sample["event_type"]] if found.pattern else [found.name, *found.aliases]

    assert all(re.fullmatch(EVENT_TYPE_PATTERN, name) for name in names)
    assert all(catalogue.contract(name) is found for name in names)


def test_files() -> None:
    """There is one sample file a type, and no other, named by its event type."""
    expected = {found.sample["event_type"] for found in catalogue.standard_types()}

    assert expected == {path.stem for path in SAMPLES.iterdir()}
    assert all(
        json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["event_type"] == name for name in expected
    )


@each_type
def test_both_languages(found: EventTypeContract) -> None:
    """Every text of a contract, and of its metadata, is there in English and in Chinese."""
    texts = [found.title, found.description, found.actor, found.subject]
    texts += [field.description for field in found.metadata.values()]

    for text in texts:
        assert {"en_US", "zh_Hans"} == set(text)
        assert text["en_US"].isascii()
        assert re.search("[\u4e00-\u9fff]", text["zh_Hans"])


def test_samples_speak_both_languages() -> None:
    """Samples have people who write Chinese and people who write English."""
    texts = json.dumps([thaw(found.sample) for found in catalogue.standard_types()], ensure_ascii=False)
    locales = {found.sample.get("locale") for found in catalogue.standard_types()}

    assert {"zh_Hans", "en_US"} <= locales
    assert len(re.findall("[\u4e00-\u9fff]", texts)) > 50


@each_type
def test_sample_round_trips(found: EventTypeContract) -> None:
    """A sample is a whole envelope: it validates, and comes out as it went in."""
    sample = catalogue.sample(found.name)
    envelope = AgentEventEnvelope.model_validate(sample)

    assert sample == envelope.model_dump(mode="json")
    assert envelope == AgentEventEnvelope.model_validate_json(json.dumps(sample))
    assert set(AgentEventEnvelope.model_fields) == set(sample)


@each_type
def test_sample_keys_are_known(found: EventTypeContract) -> None:
    """A sample has no key that its model does not have, so a typing error cannot hide in it."""
    extras: list[str] = []

    def look(value: Any) -> None:
        if hasattr(value, "model_extra"):
            extras.extend(value.model_extra or ())
            for name in type(value).model_fields:
                look(getattr(value, name))
        elif isinstance(value, tuple):
            for item in value:
                look(item)

    look(AgentEventEnvelope.model_validate(thaw(found.sample)))

    assert extras == []


@each_type
def test_sample_is_from_outside(found: EventTypeContract) -> None:
    """What only the host may set is not set in a sample, and it can be deduplicated."""
    sample = catalogue.sample(found.name)

    assert [sample["event_uid"], sample["received_at"]] == [None, None]
    assert sample["event_id"]
    assert sample["event_time"]


@each_type
def test_sample_obeys_text(found: EventTypeContract) -> None:
    """A type that never has text has none in its sample; where text is usual the sample shows it."""
    assert (found.text == "never") == (catalogue.sample(found.name)["input"]["text"] is None)


@each_type
def test_sample_obeys_payload(found: EventTypeContract) -> None:
    """`input.data` and `input.interaction` are filled in exactly the types that say so."""
    said = catalogue.sample(found.name)["input"]

    assert [found.data, found.interaction] == [said["data"] is not None, said["interaction"] is not None]


@each_type
def test_sample_obeys_subject(found: EventTypeContract) -> None:
    """A sample has an actor, and a subject of a kind that its contract allows."""
    sample = catalogue.sample(found.name)

    assert sample["actor"] is not None
    assert not found.subject_types or sample["subject"]["subject_type"] in found.subject_types


@each_type
def test_sample_obeys_reply(found: EventTypeContract) -> None:
    """A sample has a reply target exactly where one is usual."""
    assert found.reply == (catalogue.sample(found.name)["delivery"]["reply_target"] is not None)


@each_type
def test_sample_obeys_metadata(found: EventTypeContract) -> None:
    """Every metadata key of a sample is named by its contract and has the JSON type named there."""
    metadata = catalogue.sample(found.name)["metadata"]

    assert set(metadata) <= set(found.metadata)
    for key, value in metadata.items():
        field = found.metadata[key]
        assert isinstance(value, JSON_TYPES[field.type]) or (field.nullable and value is None), key
        assert field.type == "boolean" or not isinstance(value, bool), key
        assert not field.values or value in field.values, key


@each_type
def test_sample_ids(found: EventTypeContract) -> None:
    """Ids are text; conversations are `group_…` or `person_…` and as `chat_type` says."""
    sample = catalogue.sample(found.name)
    ids = [
        value
        for piece in pieces(sample)
        if isinstance(piece, dict)
        for key, value in piece.items()
        if key.endswith("_id") and value is not None
    ]
    conversation, kind = sample["conversation_id"], sample["conversation_type"]

    assert all(isinstance(value, str) for value in ids)
    assert sample["metadata"].get("chat_type") == kind
    assert (conversation is None) == (kind is None)
    if conversation is not None:
        assert conversation.startswith("person_" if kind == "private" else "group_")


@each_type
def test_sample_source(found: EventTypeContract) -> None:
    """A source is a configured name, never the kind of an adapter; messages come by an adapter with a bot."""
    sample = catalogue.sample(found.name)

    assert sample["source"]["name"] not in {"onebot", "telegram", "lark", "wecombot", "webui"}
    if sample["source"]["kind"] == "platform_adapter":
        assert sample["bot_id"]
        assert sample["metadata"]["platform_event"]
        assert sample["source"]["name"] == sample["delivery"]["surface"]


def test_sample_is_new() -> None:
    """A sample belongs to the caller: changing it changes nobody else's."""
    catalogue.sample("message.received")["input"]["text"] = "changed"
    catalogue.event_schema("message.received")["properties"].clear()

    assert catalogue.sample("message.received")["input"]["text"] != "changed"
    assert catalogue.event_schema("message.received")["properties"]


def test_loaded_lazily() -> None:
    """Importing the catalogue reads no contract and no sample; the first question does, once."""
    program = (
        "import sys; from langbot_agents.schemas import catalogue;"
        "name = 'langbot_agents.schemas.contracts.messages';"
        "assert name not in sys.modules;"
        "assert catalogue.standard_types() is catalogue.standard_types();"
        "assert name in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_contract_is_frozen() -> None:
    """A contract cannot be changed, down to its leaves."""
    found = catalogue.standard_types()[0]

    with pytest.raises(TypeError, match="frozen"):
        found.metadata["more"] = found.metadata["chat_type"]  # type: ignore[index]
    with pytest.raises(TypeError, match="frozen"):
        found.sample["input"]["text"] = "changed"


def test_alias() -> None:
    """`message.deleted` is another name of `message.recalled`."""
    assert catalogue.canonical_type("message.deleted") == "message.recalled"
    assert catalogue.contract("message.recalled") is catalogue.contract("message.deleted")
    assert catalogue.sample("message.recalled") == catalogue.sample("message.deleted")


@pytest.mark.parametrize("name", ["message.received", "platform.onebot.poke", "acme.ticket.opened"])
def test_canonical_is_itself(name: str) -> None:
    """A type that is no alias is its own canonical type, also one that the catalogue does not have."""
    assert name == catalogue.canonical_type(name)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("platform.telegram.poll_answer", True),
        ("platform.lark.card_action_trigger", True),
        ("platform.acme.a.b", True),
        ("platform.specific", False),
        ("platform.", False),
        ("platform.onebot.Poke", False),
        ("platform.onebot.poke\n", False),
        ("message.receive", False),
        ("", False),
    ],
)
def test_family(name: str, known: bool) -> None:
    """Every well-formed `platform.<adapter>.<action>` has the family's contract, nothing else has."""
    family = catalogue.standard_types()[-1]

    assert (family if known else None) is catalogue.contract(name)


def test_family_sample() -> None:
    """Another type of the family gets the family's sample under its own name."""
    sample = catalogue.sample("platform.telegram.poll_answer")

    assert sample["event_type"] == "platform.telegram.poll_answer"
    assert sample["metadata"]["platform_event"] == "poll_answer"
    assert problems("platform.telegram.poll_answer", sample) == []


def test_unknown_sample() -> None:
    """A type without a sample is refused with the types that have one."""
    with pytest.raises(LookupError, match=r"'message\.receive'.*message\.received"):
        catalogue.sample("message.receive")


@each_type
def test_schema_accepts_sample(found: EventTypeContract) -> None:
    """The schema of a type is valid JSON Schema 2020-12 and accepts the sample, whole or as written."""
    names = {found.name, found.sample["event_type"], *found.aliases}

    assert [[], []] * len(names) == [
        problems(name, event) for name in names for event in (catalogue.sample(name), thaw(found.sample))
    ]


@each_type
def test_schema_is_narrow(found: EventTypeContract) -> None:
    """The schema refuses another type or subject, made-up text, and metadata of a wrong type."""
    sample = catalogue.sample(found.name)
    key = next(key for key, field in found.metadata.items() if field.type == "string")
    wrong = {
        "$.event_type": sample | {"event_type": "acme.other"},
        f"$.metadata.{key}": sample | {"metadata": sample["metadata"] | {key: 7}},
    }
    if found.subject_types:
        wrong["$.subject"] = sample | {"subject": {"subject_type": "elephant"}}
    for name, used in (
        ("data", found.data),
        ("text", found.text != "never"),
        ("interaction", found.interaction),
    ):
        if not used:
            wrong[f"$.input.{name}"] = sample | {"input": {name: "made up"}}

    assert {path: [path] for path in wrong} == {
        path: problems(found.name, event) for path, event in wrong.items()
    }


@each_type
def test_schema_is_open(found: EventTypeContract) -> None:
    """Further metadata and unknown keys are allowed by the schema, as the envelope allows them."""
    sample = catalogue.sample(found.name)
    sample |= {"metadata": sample["metadata"] | {"acme": {"depth": 1}}, "acme": 1}

    assert problems(found.name, sample) == []


def test_schema_names_metadata() -> None:
    """The schema describes each named metadata key, so an editor can offer it."""
    found = catalogue.contract("group.member_banned")
    metadata = catalogue.event_schema("group.member_banned")["properties"]["metadata"]

    assert found is not None
    assert list(found.metadata) == list(metadata["properties"])
    assert metadata["properties"]["duration"]["type"] == ["number", "null"]
    assert metadata["properties"]["chat_type"]["enum"] == ["private", "group", "channel"]


def test_schema_of_unknown_type() -> None:
    """A type that the catalogue does not have gets the envelope's schema, without promises."""
    event = catalogue.sample("message.received") | {"event_type": "acme.ticket.opened"}

    assert problems("acme.ticket.opened", event) == []
    assert problems("acme.ticket.closed", event) == ["$.event_type"]


def doc_script() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("gen_events_doc", ROOT / "scripts" / "gen_events_doc.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/events.md is what the catalogue says."""
    assert doc_script().main(["--check"]) == 0, capsys.readouterr().err


def test_page_out_of_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--check` fails for a missing or changed page and names the command that writes it."""
    script = doc_script()
    script.PAGE = tmp_path / "events.md"  # type: ignore[attr-defined]

    assert script.main(["--check"]) == 1
    assert "run python scripts/gen_events_doc.py" in capsys.readouterr().err
    assert [script.main([]), script.main(["--check"])] == [0, 0]
    assert script.main(["--chek"]) == 2


def test_page_examples() -> None:
    """The page has a row and an example for each type, and every example is a valid event."""
    page = (ROOT / "docs" / "events.md").read_text("utf-8")
    examples = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]

    assert len(NAMES) == len(examples)
    assert all(f"\n| `{name}`" in page for name in NAMES)
    assert [catalogue.sample(example["event_type"]) for example in examples] == [
        AgentEventEnvelope.model_validate(example).model_dump(mode="json") for example in examples
    ]
