"""The documents that ship: every YAML file of the repository loads, and the shipped set does what it says."""

from pathlib import Path

import pytest

from langbot_agents.framework.bindings import check_bindings
from langbot_agents.framework.documents import load_bindings, load_file
from langbot_agents.framework.project import load_project
from langbot_agents.schemas.catalogue import standard_types

from .conftest import Run

ROOT = Path(__file__).parent.parent.parent.parent
SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("bindings", "framework", "schemas", "sdk", "builtin_runners")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".yaml", ".yml"}
)


@pytest.mark.parametrize("name", ["langbot-agents.yaml", *SHIPPED])
def test_it_loads(name: str) -> None:
    """A document that ships has no finding."""
    loaded = load_file(ROOT / name)

    assert [finding.headline() for finding in loaded.findings] == []
    assert loaded.documents


def test_shipped_project() -> None:
    """The shipped set is whole, without a warning, and shows what there is to show."""
    project = load_project(ROOT)
    entries = project.bindings.entries

    assert [finding.headline() for finding in project.findings] == []
    assert len(entries) >= 5
    assert all(entry.document.description for entry in entries)
    assert {entry.document.mode for entry in entries} == {"respond", "observe"}
    assert any(entry.runner.id.startswith("plugin:langbot-agents/discard") for entry in entries)
    assert any(entry.document.active for entry in entries)
    assert any(entry.filters for entry in entries)


@pytest.mark.parametrize("lang", ["en_US", "zh_Hans"])
def test_templates_need_no_root(lang: str) -> None:
    """The bindings of `init` are a set without a warning."""
    project = load_project(ROOT)
    folder = ROOT / "framework/langbot_agents/framework/cli/templates" / lang
    names = tuple(name for found in standard_types() for name in (found.name, *found.aliases))
    files = load_bindings(folder, ["bindings/**/*.yaml"], event_types=names)

    assert check_bindings(files, project.registry, timezone="UTC").findings == ()


def test_shipped_set_passes_validate(lba: Run) -> None:
    """`validate` finds nothing, the test file included."""
    done = lba("-c", str(ROOT), "validate", "--deny-warnings", "-o", "json")

    assert done.code == 0
    assert done.json["tests"] >= 1


@pytest.mark.parametrize("name", ["message.received", "group.member_joined"])
def test_shipped_set_answers(lba: Run, name: str) -> None:
    """The two samples of `serve --once` are answered at any hour."""
    for at in ("2026-03-01T03:00:00+08:00", "2026-03-02T10:00:00+08:00"):
        answer = lba("-c", str(ROOT), "route", name, "--at", at, "-o", "json").json

        assert answer["outcome"] == "matched"
        assert not answer["chosen"][0]["discards"]


@pytest.mark.parametrize(
    ("words", "winner"),
    [
        (["--set", "input.text=#urgent help", "--at", "2026-03-02T10:00:00+08:00"], "urgent-in-hours"),
        (["--set", "input.text=#urgent help", "--at", "2026-03-01T10:00:00+08:00"], "echo-messages"),
        (["--set", "actor.actor_type=bot"], "discard-other-bots"),
        (["--set", "input.text=null"], "echo-messages"),
    ],
)
def test_shipped_set_does_what_it_says(lba: Run, words: list[str], winner: str) -> None:
    """The comments in the shipped bindings are true."""
    assert lba("-c", str(ROOT), "route", "message.received", *words, "-o", "json").json["winner"] == winner
