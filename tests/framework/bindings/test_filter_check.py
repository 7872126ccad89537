"""Filters as people write them: each mistake has its place, its cause, and what to write instead."""

from pathlib import Path

import pytest

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework import texts
from langbot_agents.framework.bindings import CheckedBindings, check_bindings
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
CASES = Path(__file__).with_name("wrong_filters")
"""Bindings with one mistake each, and beside them what is said of it in English and in Chinese."""


def check(path: Path) -> CheckedBindings:
    """What is found in one file."""
    registry = AgentRunnerRegistry()
    registry.add(Echo, aliases=("echo",), plugin=PACKAGE)
    return check_bindings(load_bindings(path.parent, [path.name]), registry, timezone="UTC")


@pytest.mark.parametrize("lang", ["en_US", "zh_Hans"])
@pytest.mark.parametrize("case", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_mistake_is_enough_by_itself_to_mend_it(
    case: Path, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in a filter is told with its place, a caret, the cause and the remedy, in both languages."""
    monkeypatch.setattr(texts, "process_language", lambda: lang)
    said = "\n".join(finding.render() for finding in check(case).findings) + "\n"

    assert said == case.with_suffix(f".{lang}.txt").read_text("utf-8")


def test_there_are_cases() -> None:
    """The folder has cases, and no text without a case."""
    names = {path.name.split(".")[0] for path in CASES.glob("*.txt")}

    assert len(names) > 20
    assert names == {path.stem for path in CASES.glob("*.yaml")}


def test_a_warning_keeps_nothing_out(tmp_path: Path) -> None:
    """A filter that works on some of its types is warned of and live; an error keeps it out."""
    text = (
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\nrunner_id: echo\n"
        "event_types: [message.received, group.member_joined]\nfilters:\n  - {expr}\n"
    )
    (tmp_path / "a.yaml").write_text(text.format(expr="input.text == 'x'"))
    warned = check(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text(text.format(expr="input.txt == 'x'"))
    refused = check(tmp_path / "a.yaml")

    assert [(item.code, item.severity) for item in warned.findings] == [("LBA202", "warning")]
    assert len(warned.set) == 1
    assert [(item.code, item.severity) for item in refused.findings] == [("LBA201", "error")]
    assert len(refused.set) == 0


def test_other_conditions_are_looked_at_like_filters(tmp_path: Path) -> None:
    """A mistake in `only_when` has its place; what the filters say holds there too."""
    (tmp_path / "a.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: a\nrunner_id: echo\n"
        "event_types: [message.received]\nfilters:\n  - input.text != `null`\n"
        "resource_policy:\n  restrict:\n"
        "    - {resources: [a], only_when: actr.id == '1'}\n"
        "    - {resources: [a], only_when: bot_id = '1'}\n"
        "    - {resources: [a], only_when: \"contains(input.text, 'x')\"}\n"
    )
    found = [item for item in check(tmp_path / "a.yaml").findings if item.code.startswith("LBA2")]

    assert [(item.code, item.line, item.column, item.path) for item in found] == [
        ("LBA201", 10, 35, "resource_policy.restrict[0].only_when"),
        ("LBA200", 11, 42, "resource_policy.restrict[1].only_when"),
    ]
