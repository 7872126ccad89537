"""Loading again on top of a load gives what loading everything gives."""

import os
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.builtin_runners import Echo, LocalAgent
from langbot_agents.framework.bindings import CheckedBindings, check_bindings
from langbot_agents.framework.documents import BindingFiles, load_bindings
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry

PACKAGE = PluginInfo(name="test", distribution="test", version="1", state="ready")
HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\nrunner_id: echo\nevent_types: [message.received]\n"
OLD = 1_700_000_000
"""A time of change that is long ago, so that the time alone proves that a file is the same."""


def registry() -> AgentRunnerRegistry:
    """A registry with two runners."""
    made = AgentRunnerRegistry()
    made.add(Echo, aliases=("echo",), plugin=PACKAGE)
    made.add(LocalAgent, aliases=("local-agent",), plugin=PACKAGE)
    return made


DOCUMENTS = st.builds(
    lambda name, more: f"{HEAD}binding_id: {name}\n{more}",
    st.sampled_from("abcd"),
    st.sampled_from(
        [
            "",
            "priority: 1\n",
            "mode: observe\n",
            "enabled: false\n",
            "filters: [\"input.text == 'x'\"]\n",
            "filters: [\"wat.text == 'x'\"]\n",
            "runner_config: {no: 1}\n",
            "wat: 1\n",
            "scope: {bot_id: b}\n",
        ]
    ),
)
TEXTS = st.lists(DOCUMENTS, max_size=3).map("---\n".join) | st.sampled_from(["a: [\n", "kind: Host\n"])
STATES = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), TEXTS, max_size=4)


def write(folder: Path, texts: Mapping[str, str], clock: "count[int]") -> None:
    """Make the folder hold these texts; files that stay the same keep their time."""
    for path in folder.glob("*.yaml"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / f"{name}.yaml"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            moment = next(clock)
            os.utime(path, (moment, moment))


def facts(files: BindingFiles, checked: CheckedBindings) -> list[Any]:
    """All that a load says."""
    return [
        [(item.file, item.findings, item.documents) for item in files.files],
        files.findings,
        files.no_match,
        checked.findings,
        checked.documents,
        checked.set.digest,
        checked.set.entries,
        checked.set.quarantined,
        checked.set.timezone,
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(STATES, min_size=2, max_size=5))
def test_incremental_is_full(states: list[dict[str, str]]) -> None:
    """Through any changes of the files, a load on top of the one before is a load of everything."""
    runners, clock = registry(), count(OLD)
    files = checked = None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for texts in states:
            write(folder, texts, clock)
            files = load_bindings(folder, ["*.yaml"], previous=files)
            checked = check_bindings(files, runners, timezone="UTC", previous=checked)
            all_files = load_bindings(folder, ["*.yaml"])

            assert facts(files, checked) == facts(
                all_files, check_bindings(all_files, runners, timezone="UTC")
            )


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    """A file whose time and size are the same keeps its documents and its entries, as the same objects."""
    clock, runners = count(OLD), registry()
    write(tmp_path, {"a": f"{HEAD}binding_id: a\n", "b": f"{HEAD}binding_id: b\npriority: 1\n"}, clock)
    files = load_bindings(tmp_path, ["*.yaml"])
    checked = check_bindings(files, runners, timezone="UTC")
    write(tmp_path, {"a": f"{HEAD}binding_id: a\n", "b": f"{HEAD}binding_id: b\npriority: 2\n"}, clock)
    again = load_bindings(tmp_path, ["*.yaml"], previous=files)
    checked_again = check_bindings(again, runners, timezone="UTC", previous=checked)

    assert [new is old for new, old in zip(again.files, files.files, strict=True)] == [True, False]
    assert checked_again.set.get("a") is checked.set.get("a")
    assert checked_again.set.get("b") is not checked.set.get("b")


def test_what_has_just_changed_is_read_again(tmp_path: Path) -> None:
    """A file written a moment ago is read again: a second change may bear the same time."""
    (tmp_path / "a.yaml").write_text(f"{HEAD}binding_id: a\n")
    files = load_bindings(tmp_path, ["*.yaml"])
    again = load_bindings(tmp_path, ["*.yaml"], previous=files)

    assert again.files[0].documents[0] is not files.files[0].documents[0]
    assert again == files


@pytest.mark.parametrize(("models", "codes"), [(("main",), []), (("other",), ["LBA304"])])
def test_other_models_are_looked_at_again(tmp_path: Path, models: tuple[str, ...], codes: list[str]) -> None:
    """Documents are checked again where what they are checked against is another."""
    clock, runners = count(OLD), registry()
    text = f"{HEAD}binding_id: a\nrunner_config: {{model: main}}\n".replace("echo", "local-agent")
    write(tmp_path, {"a": text}, clock)
    files = load_bindings(tmp_path, ["*.yaml"])
    checked = check_bindings(files, runners, timezone="UTC", models=("main",))
    again = check_bindings(files, runners, timezone="UTC", models=models, previous=checked)

    assert codes == [finding.code for finding in again.findings]
