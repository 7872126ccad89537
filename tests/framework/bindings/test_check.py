"""Documents, runners and filters made into one set: what fails stays out alone, with its place and remedy."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from langbot_agents.builtin_runners import Discard, Echo
from langbot_agents.framework.bindings import CheckedBindings, check_bindings
from langbot_agents.framework.bindings.check import UNFINISHED
from langbot_agents.framework.documents import Finding, load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.sdk import AgentRunner, AgentRunnerManifest, ModelSelector

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\n"


class Nested(BaseModel):
    """A part of a config."""

    model_config = ConfigDict(extra="forbid")

    level: int = Field(default=1, ge=1, le=3)


class Strict(AgentRunner):
    """A runner whose config refuses what it does not know."""

    manifest = AgentRunnerManifest(id="plugin:acme/strict/default")

    class Config(BaseModel):
        """Its settings."""

        model_config = ConfigDict(extra="forbid")

        model: ModelSelector
        flavour: str | int = "a"
        limit: int | None = None
        nested: Nested = Nested()
        parts: tuple[Nested, ...] = ()
        api_key: str = ""
        dsn: str = Field(default="", max_length=5, json_schema_extra={"x-selector": "secret"})


class Dangling(AgentRunner):
    """A runner whose schema leads nowhere."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/dangling/default",
        config_schema={"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
    )


@pytest.fixture
def registry() -> AgentRunnerRegistry:
    """The runners that ship, and two with a schema of their own."""
    made = AgentRunnerRegistry()
    for runner, alias in ((Echo, "echo"), (Discard, "discard"), (Strict, "strict"), (Dangling, "dangling")):
        made.add(runner, aliases=(alias,), plugin=PACKAGE)
    assert {item.state for item in made.descriptors()} == {"ready"}
    return made


Check = Callable[..., CheckedBindings]


@pytest.fixture
def check(tmp_path: Path, registry: AgentRunnerRegistry) -> Check:
    """Check binding files: `check(a="...")` writes `a.yaml`."""

    def run(**files: str | bytes) -> CheckedBindings:
        for name, text in files.items():
            path = tmp_path / f"{name}.yaml"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return check_bindings(load_bindings(tmp_path, ["*.yaml"]), registry, timezone="UTC")

    return run


def document(binding_id: str = "a", more: str = "", runner: str = "echo") -> str:
    """A binding that takes `message.received`."""
    text = f"{HEAD}binding_id: {binding_id}\nrunner_id: {runner}\n{more}"
    return text if "event_types" in more else text + "event_types: [message.received]\n"


def only(checked: CheckedBindings) -> Finding:
    """The one finding."""
    assert len(checked.findings) == 1, [finding.render() for finding in checked.findings]
    return checked.findings[0]


def ids(checked: CheckedBindings) -> list[str]:
    """The bindings that are in the set."""
    return [entry.binding_id for entry in checked.set.entries]


def test_good(check: Check) -> None:
    """A document without a fault is live, with the runner that its alias stands for."""
    checked = check(a=document())

    assert checked.findings == ()
    assert ids(checked) == ["a"]
    assert checked.set.entries[0].runner.id == "plugin:langbot-agents/echo/default"
    assert checked.set.entries[0].origin == "a.yaml:1"


def test_disabled_is_in_the_set_and_not_live(check: Check) -> None:
    """A binding that is switched off is known, but takes no part."""
    checked = check(a=document(more="enabled: false\n"))

    assert (ids(checked), checked.set.live) == (["a"], ())


@pytest.mark.parametrize(
    ("runner", "remedy"),
    [("ecko", "did you mean 'echo'?"), ("plugin:langbot-agents/echo/defualt", "did you mean 'plugin:lan")],
)
def test_unknown_runner(check: Check, runner: str, remedy: str) -> None:
    """A runner that is not installed is named with the nearest one that is."""
    finding = only(check(a=document(runner=f"'{runner}'")))

    assert finding.headline() == f"a.yaml:4:12: runner_id: no runner {runner!r} is installed"
    assert (finding.remedy or "").startswith(remedy)


def test_unknown_runner_without_a_near_one(check: Check) -> None:
    """Where nothing is near, the installed ones are listed."""
    finding = only(check(a=document(runner="zzz")))

    assert finding.remedy == "installed: dangling, discard, echo, strict"


def test_a_broken_document_stays_out_alone(check: Check) -> None:
    """Of a file with a broken document the others run; the broken one is quarantined with its reason."""
    checked = check(
        a=document("a") + "---\n" + document("b", "nonsense: 1\n") + "---\n" + document("c", "priority: 1\n")
    )

    assert ids(checked) == ["a", "c"]
    assert [(item.binding_id, item.origin) for item in checked.set.quarantined] == [("b", "a.yaml:7")]
    assert "nonsense" in checked.set.quarantined[0].reason


def test_a_broken_file_stays_out_alone(check: Check) -> None:
    """A file that cannot be read is quarantined like a document, and the other files run."""
    checked = check(a=b"\xff\xfe\x00", b=document("b"))

    assert ids(checked) == ["b"]
    assert [(item.binding_id, item.file) for item in checked.set.quarantined] == [(None, "a.yaml")]


def test_repeated_id(check: Check) -> None:
    """Of a repeated id the first by file and line stays; the finding names the other's place."""
    checked = check(
        b=document("x", "priority: 1\n"),
        a=document("y", "event_types: [message.edited]\n") + "---\n" + document("x", "priority: 2\n"),
    )
    finding = only(checked)

    assert ids(checked) == ["x", "y"]
    assert checked.set.get("x").file == "a.yaml"  # type: ignore[union-attr]
    assert finding.headline() == "b.yaml:3:13: binding_id: 'x' is already the binding at a.yaml:7"


def test_a_document_that_fails_does_not_hold_its_id(check: Check) -> None:
    """The first of a repeated id that can run is the one that runs."""
    checked = check(a=document("x", runner="nobody"), b=document("x"))

    assert [entry.file for entry in checked.set.entries] == ["b.yaml"]


# runner_config


@pytest.mark.parametrize(
    ("config", "place", "message", "remedy"),
    [
        (
            "model: m\n  modle: x",
            "a.yaml:7:3: runner_config.modle",
            "runner plugin:acme/strict/default has no setting 'modle'",
            "did you mean 'model'?",
        ),
        (
            "model: m\n  nested: {level: 9}",
            "a.yaml:7:19: runner_config.nested.level",
            "9 does not fit runner plugin:acme/strict/default: maximum 3",
            "at most 3",
        ),
        (
            "model: m\n  parts:\n  - level: 1\n  - level: high",
            "a.yaml:9:12: runner_config.parts[1].level",
            "'high' does not fit runner plugin:acme/strict/default: expected integer",
            "write for example 10",
        ),
        (
            "model: [m]",
            "a.yaml:6:10: runner_config.model",
            "['m'] does not fit runner plugin:acme/strict/default: expected string",
            'write for example "text"',
        ),
        (
            "model: m\n  limit: some",
            "a.yaml:7:10: runner_config.limit",
            "'some' does not fit runner plugin:acme/strict/default: expected integer | null",
            "write for example 10 or null",
        ),
        (
            "flavour: a",
            "a.yaml:6:3: runner_config",
            "{'flavour': 'a'} does not fit runner plugin:acme/strict/default: missing: model",
            "write it: `model: …`",
        ),
    ],
)
def test_config(check: Check, config: str, place: str, message: str, remedy: str | None) -> None:
    """`runner_config` is checked against its runner's schema; a finding is at the exact place."""
    finding = only(check(a=document(more=f"runner_config:\n  {config}\n", runner="strict")))

    assert finding.headline() == f"{place}: {message}"
    assert finding.remedy == remedy


@pytest.mark.parametrize(
    ("setting", "remedy"),
    [
        ('limit: "5"', "write it without quotes: 5"),
        ("api_key: 5", 'write for example "text"'),
        ("model: 5", 'quote it: "5"'),
        ("model: true", 'quote it: "true"'),
        ("parts: one", "write it in brackets: [one]"),
        ("nested: 1", "write for example {key: value}"),
        ("nested: {level: 0}", "at least 1"),
        ("dsn: longer", "at most 5"),
    ],
)
def test_config_remedy(check: Check, setting: str, remedy: str) -> None:
    """A value of the wrong type comes with what to write instead; a secret one is not repeated."""
    settings = setting if setting.startswith("model") else f"model: m, {setting}"

    assert only(check(a=document(more=f"runner_config: {{{settings}}}\n", runner="strict"))).remedy == remedy


def test_config_reports_all(check: Check) -> None:
    """Every unknown key is reported, not only the first."""
    checked = check(a=document(more="runner_config: {model: m, x: 1, y: 2}\n", runner="strict"))

    assert [finding.path for finding in checked.findings] == ["runner_config.x", "runner_config.y"]


def test_config_secret_reference(check: Check) -> None:
    """A secret reference passes for any value: what it stands for is not known yet."""
    config = "{model: m, limit: '${env:LIMIT}', nested: {level: '${file:level}'}, dsn: '${env:DSN}'}"

    assert check(a=document(more=f"runner_config: {config}\n", runner="strict")).findings == ()


@pytest.mark.parametrize(
    "config",
    [
        "{model: [m], api_key: sk-canary-4711}",
        "{api_key: sk-canary-4711}",
        "{model: m, dsn: sk-canary-4711}",
        "{model: m, api_key: [sk-canary-4711]}",
    ],
)
def test_config_shows_no_secret(check: Check, config: str) -> None:
    """What stands in a secret field is in no message and no reason."""
    checked = check(a=document(more=f"runner_config: {config}\n", runner="strict"))

    assert "sk-canary-4711" not in "".join(finding.render() for finding in checked.findings)
    assert [finding.code for finding in checked.findings if finding.severity == "error"] == ["LBA302"]
    assert "sk-canary-4711" not in checked.set.quarantined[0].reason


def test_config_schema_that_leads_nowhere(check: Check) -> None:
    """A runner whose schema fails takes out the bindings that use it, and nothing else."""
    checked = check(a=document("a", "runner_config: {a: 1}\n", runner="dangling"), b=document("b"))

    assert only(checked).code == "LBA303"
    assert ids(checked) == ["b"]
    assert "the config schema of runner plugin:acme/dangling/default fails: " in only(checked).message


# scope, types, filters


@pytest.mark.parametrize(
    ("scope", "place", "message", "remedy"),
    [
        (
            "source_kind: platform_adaptor",
            "6:22: scope.source_kind",
            "no event has source_kind 'platform_adaptor'",
            "did you mean 'platform_adapter'?",
        ),
        (
            "conversation_type: [group, dm]",
            "6:36: scope.conversation_type[1]",
            "no event has conversation_type 'dm'",
            "allowed: private, group, channel",
        ),
        (
            "source_kind: 'telegram*'",
            "6:22: scope.source_kind",
            "no event has source_kind 'telegram*'",
            "allowed: platform_adapter, webui, http_api, scheduler, system",
        ),
        ("workspace_id: my team", "6:23: scope.workspace_id", "no event has workspace_id 'my team'", None),
        ("subject_type: Message", "6:23: scope.subject_type", "no event has subject_type 'Message'", None),
    ],
)
def test_scope_that_never_matches(
    check: Check, scope: str, place: str, message: str, remedy: str | None
) -> None:
    """A scope value that no event can have is an error: the binding would be silent for ever."""
    text = document(more=f"event_types: [message.received]\nscope: {{{scope}}}\n")
    finding = only(check(a=text))

    assert finding.headline() == f"a.yaml:{place}: {message}"
    assert finding.remedy == remedy


def test_event_type_that_is_nearly_a_standard_one(check: Check) -> None:
    """A type that looks like a slip for a standard one is warned of, and taken as it is."""
    checked = check(a=document(more="event_types: [message.recieved, acme.ticket.opened, message.deleted]\n"))
    finding = only(checked)

    assert (finding.severity, finding.path) == ("warning", "event_types[0]")
    assert finding.remedy == "did you mean 'message.received'?"
    assert ids(checked) == ["a"]


@pytest.mark.parametrize("form", ["- {text}", "- {{name: n, expr: {text}}}"])
def test_filter_syntax(check: Check, form: str) -> None:
    """A filter that cannot be read is reported at the character at fault, in either form."""
    line = form.format(text='"actor.actor_id = x"')
    finding = only(check(a=document(more=f"filters:\n{line}\n")))

    assert (finding.line, finding.column) == (6, line.index("= x") + 1)
    assert finding.code == "LBA200"


def test_unfinished(check: Check) -> None:
    """A feature that this version does not have is refused, never ignored silently."""
    finding = only(check(a=document(more="flow: {overlap: merge}\n")))

    assert finding.headline() == "a.yaml:5:17: flow.overlap: this version of the host does not do this yet"


@pytest.mark.parametrize("name", UNFINISHED)
def test_unfinished_fields_exist(name: str, check: Check) -> None:
    """Each unfinished feature is a field of a binding, and its default is no use of it."""
    value: Any = check(a=document()).set.entries[0].document
    for part in name.split("."):
        value = getattr(value, part)

    assert value in UNFINISHED[name]


def test_all_faults_of_a_document_at_once(check: Check) -> None:
    """A document with several faults has a finding for each."""
    more = "filters: ['a ==']\nflow: {overlap: merge}\nscope: {conversation_type: dm}\n"
    checked = check(a=document(more=more, runner="nobody"))

    assert [finding.path for finding in checked.findings] == [
        "runner_id",
        "filters[0]",
        "flow.overlap",
        "scope.conversation_type",
    ]


# ties


def test_tie(check: Check) -> None:
    """Of two bindings that tie the smaller id stays; the finding names it and an event that shows it."""
    checked = check(a=document("b"), b=document("a"))
    finding = only(checked)

    assert ids(checked) == ["a"]
    assert [item.binding_id for item in checked.set.quarantined] == ["b"]
    assert finding.headline() == (
        "a.yaml:3:13: binding_id: ties with 'a' (b.yaml:1): "
        "both would answer event_type='message.received', workspace_id='default'"
    )


def test_tie_with_filters_is_a_warning(check: Check) -> None:
    """Where it cannot be decided whether two bindings tie, both run and there is a warning."""
    checked = check(a=document("a", "filters: [\"input.text == 'x'\"]\n"), b=document("b"))

    assert ids(checked) == ["a", "b"]
    assert (only(checked).code, only(checked).severity) == ("LBA312", "warning")


@pytest.mark.parametrize("order", ["abc", "acb", "bac", "bca", "cab", "cba"])
def test_ties_do_not_depend_on_the_order_of_files(check: Check, order: str) -> None:
    """Who stays of a chain of ties is the same whatever file each stands in."""
    scopes = {"a": "[x, y]", "b": "[y, z]", "c": "[z, w]"}
    files = {
        f"file{number}": document(name, f"scope: {{bot_id: {scopes[name]}}}\n")
        for number, name in enumerate(order)
    }

    assert ids(check(**files)) == ["a", "c"]


def test_digest(check: Check) -> None:
    """The same documents make the same digest, a changed one another."""
    first = check(a=document("a"), b=document("b", "priority: 1\n")).set.digest
    again = check(a=document("b", "priority: 1\n"), b=document("a")).set.digest
    other = check(a=document("b", "priority: 2\n")).set.digest

    assert first == again != other
