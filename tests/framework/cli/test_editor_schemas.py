"""JSON Schemas for editors: what ships passes them, what is wrong does not, and modelines lead to them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from langbot_agents.framework.cli.editor_schemas import editor_schemas
from langbot_agents.framework.documents import read_source

from .conftest import Run

ROOT = Path(__file__).parents[3]
MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", re.MULTILINE)
SHIPPED = [
    "langbot-agents.yaml",
    *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("bindings/*.yaml")),
]
SCHEMAS = {name: json.loads(text) for name, text in editor_schemas().items()}


def documents(path: Path) -> list[Any]:
    """The documents of a file as an editor reads them."""
    return [document.data for document in read_source(path.read_bytes(), path.name).documents]


def messages(schema: Any, data: Any) -> list[str]:
    """What a schema refuses of a document."""
    return [error.message for error in Draft202012Validator(schema).iter_errors(data)]


def modeline(path: Path) -> Path:
    """Where the modeline of a file leads."""
    found = MODELINE.search(path.read_text())
    assert found is not None, path
    assert path.read_text().startswith("# yaml-language-server")
    return (path.parent / found[1]).resolve()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_documents(name: str) -> None:
    """The modeline of each document that ships leads to a schema that takes it, and refuses a wrong key."""
    schema = json.loads(modeline(ROOT / name).read_text())

    for data in documents(ROOT / name):
        assert schema["title"] == data["kind"]
        assert messages(schema, data) == []
        assert any("'fliters'" in message for message in messages(schema, {**data, "fliters": []}))


@pytest.mark.parametrize("lang", ["en_US", "zh_Hans"])
def test_init(process: Run, tmp_path: Path, lang: str) -> None:
    """The modelines that `init` writes lead to schemas that it writes, which take what it writes."""
    assert process("init", str(tmp_path / "bot"), lang=lang).code == 0
    files = sorted((tmp_path / "bot").rglob("*.yaml"))

    assert len(files) == 5
    for path in files:
        schema = json.loads(modeline(path).read_text())
        assert modeline(path).is_relative_to(tmp_path / "bot")
        for data in documents(path):
            assert messages(schema, data) == []


@pytest.mark.parametrize("name", ["AgentBinding.json", "BindingTest.json", "Host.json"])
def test_valid(name: str) -> None:
    """Each is valid, needs apiVersion and kind, and holds all that it refers to."""
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema)

    assert {"apiVersion", "kind"} <= set(schema["required"])
    assert set(re.findall(r'"#/\$defs/([^"]+)"', text)) <= set(schema["$defs"])
    assert '"$ref": "' not in text.replace('"$ref": "#/$defs/', "")


def binding(**more: Any) -> dict[str, Any]:
    """A binding."""
    return {
        "apiVersion": "langbot-agents/v1",
        "kind": "AgentBinding",
        "binding_id": "a",
        "event_types": ["message.received"],
        "runner_id": "echo",
        **more,
    }


@pytest.mark.parametrize(
    ("more", "good"),
    [
        ({}, True),
        ({"event_types": ["my.own_type", "message.*", "*"]}, True),
        ({"event_types": ["Message"]}, False),
        ({"filters": ["a == 'b'", {"name": "x", "expr": "c"}]}, True),
        ({"filters": [{"nme": "x", "expr": "c"}]}, False),
        ({"runner_config": {"prefix": "a", "delay": 0.1}}, True),
        ({"runner_config": {"prefx": "a"}}, False),
        ({"runner_config": {"delay": "long"}}, False),
        ({"runner_config": {"delay": "${env:DELAY}"}}, True),
        ({"runner_id": "plugin:langbot-agents/echo/default", "runner_config": {"prefx": "a"}}, False),
        ({"runner_id": "local-agent", "runner_config": {"model": "main", "prompt": "x"}}, True),
        ({"runner_id": "local-agent", "runner_config": {"modl": "main"}}, False),
        ({"runner_id": "not-installed-here", "runner_config": {"anything": 1}}, True),
        ({"mode": "watch"}, False),
        ({"delivery_policy": {"targets": ["none"]}, "limits": {"timeout": "2m"}}, True),
    ],
)
def test_bindings(more: dict[str, Any], good: bool) -> None:
    """Event types, filters, and the settings of each installed runner are checked; a secret fits anywhere."""
    assert (messages(SCHEMAS["AgentBinding.json"], binding(**more)) == []) is good


@pytest.mark.parametrize(
    ("case", "good"),
    [
        ("{name: a, event: message.received, expect: {winner: none}}", True),
        ("{name: a, event: platform.qq.poke, expect: {winner: none}}", True),
        ("{name: a, event: events/a.json, expect: {winner: none}}", True),
        ("{name: a, event: {event_type: a.b}, expect: {messages: [a, {contains: b}]}}", True),
        ("{name: a, event: {event_typ: a.b}, expect: {winner: none}}", False),
        ("{name: a, event: 5, expect: {winner: none}}", False),
        ("{name: a, event: a.b, runner: real, expect: {status: none}}", True),
        ("{name: a, event: a.b, runner: {results: [{type: x}], raises: b}, expect: {code: c}}", True),
        ("{name: a, event: a.b, runner: false, expect: {status: none}}", False),
        ("{name: a, event: a.b, expect: {reasons: {a: inactive}}}", True),
        ("{name: a, event: a.b, expect: {reasons: {a: sleepy}}}", False),
        ("{name: a, event: a.b, expect: {messages: [{contans: b}]}}", False),
    ],
)
def test_tests(case: str, good: bool) -> None:
    """A case of a test is checked to its leaves."""
    data = {"apiVersion": "langbot-agents/v1", "kind": "BindingTest", "cases": [yaml.safe_load(case)]}

    assert (messages(SCHEMAS["BindingTest.json"], data) == []) is good


def test_descriptions() -> None:
    """Every key of a document is described, and an editor has something to offer for the common ones."""
    for schema in SCHEMAS.values():
        assert [name for name, field in schema["properties"].items() if not field.get("description")] == []
    fields = SCHEMAS["AgentBinding.json"]["properties"]
    assert "message.received" in fields["event_types"]["items"]["anyOf"][0]["enum"]
    assert {"echo", "discard", "local-agent"} <= set(fields["runner_id"]["anyOf"][0]["enum"])
    cases = SCHEMAS["BindingTest.json"]["$defs"]["BindingTestCase"]["properties"]
    assert "message.received" in cases["event"]["anyOf"][0]["enum"]
    assert cases["set"]["examples"]


def test_write(lba: Run, project: Path) -> None:
    """`lba schema --write` puts them into the project, also a second time, with the line that leads there."""
    for _ in range(2):
        done = lba("schema", "--write")
        assert done.code == 0
    assert "# yaml-language-server: $schema=.langbot-agents/schema/AgentBinding.json\n" in done.out
    written = sorted((project / ".langbot-agents/schema").iterdir())
    assert [path.name for path in written] == ["AgentBinding.json", "BindingTest.json", "Host.json"]
    assert json.loads(written[0].read_text())["title"] == "AgentBinding"
    assert lba("schema", "--write", "-o", "json").json["files"] == [
        "AgentBinding.json",
        "Host.json",
        "BindingTest.json",
    ]
    assert lba("schema", "Host", "--write").code == 2
