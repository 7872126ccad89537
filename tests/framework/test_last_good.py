"""An error or a clash takes nothing away: what was live stays, now and after a restart."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.framework.bindings import LiveIncumbents, find_ties
from langbot_agents.framework.project import load_again, read_root, with_last_good

from .reloading import BROKEN, Files, binding, changes, live, said

pytestmark = pytest.mark.anyio


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A project without bindings."""
    return Files(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(BROKEN),
        json.dumps(binding("a", "2", runner_id="nobody")),
        "binding_id: a\n  : [",
        '{"apiVersion": "langbot-agents/v1", "kind": "AgentBinding", "binding_id": "a", "event',
        "\x00",
        json.dumps(binding("A A", "2")),
        json.dumps({"kind": "AgentBinding"}),
    ],
)
async def test_last_good_revision_stays_live(files: Files, text: str) -> None:
    """Whatever breaks in a file, its bindings answer as before, and readiness says why; later too."""
    other = binding("b", scope={"conversation_id": "b"})
    files.write("a.yaml", binding("a"))
    files.write("b.yaml", other)
    async with files.open() as opened:
        ready = opened.host.readiness()
        files.write("a.yaml", text)
        files.write("b.yaml", {**other, "runner_config": {"says": "2"}})
        change = await opened.host.reloader.reload()
        story = await opened.say("x")
        said_before = live(opened.host)
        degraded = opened.host.readiness()
        listed = sorted(opened.host.project.stale)
        digest = opened.host.bindings.digest
    async with files.open() as opened:
        after = live(opened.host)
        again = opened.host.readiness()
        same = opened.host.bindings.digest == digest
        files.write("a.yaml", binding("a", "3"))
        mended = await opened.host.reloader.reload()
        healed, healed_ready = live(opened.host), opened.host.readiness()

    assert ready == ("ready", [])
    assert said(story) == ["1:1"]
    assert said_before == after == {"a": "1", "b": "2"}
    assert change.changed == ("b",)
    assert len(change.failed) == 1
    assert listed == ["a"]
    assert degraded[0] == again[0] == "degraded"
    assert "bindings/a.yaml:" in degraded[1][0]
    assert any("binding 'a' goes on with its last good revision" in reason for reason in degraded[1])
    assert same
    assert (mended.changed, len(mended.mended)) == (("a",), 1)
    assert (healed, healed_ready) == ({"a": "3", "b": "2"}, ("ready", []))


async def test_new_document_with_an_error_stays_out(files: Files) -> None:
    """Where there is no last good revision the document is quarantined, and the others run."""
    files.write("b.yaml", binding("b"))
    async with files.open() as opened:
        files.write("a.yaml", BROKEN)
        await opened.host.reloader.reload()
        names = list(live(opened.host))
        out = [item.binding_id for item in opened.host.bindings.quarantined]
        (event,) = await changes(opened)

    assert (names, out) == (["b"], ["a"])
    assert event.envelope.metadata["quarantined"] == ("a",)
    assert event.envelope.metadata["added_bindings"] == ()


async def test_file_with_an_error_loses_no_binding(files: Files) -> None:
    """While a file cannot be read whole nothing of it is removed; once it can, what is gone is gone."""
    a, b = (binding(name, scope={"conversation_id": name}) for name in "ab")
    files.write("a.yaml", a, b)
    async with files.open() as opened:
        files.write("a.yaml", "kind: [")
        await opened.host.reloader.reload()
        kept = sorted(live(opened.host))
        files.write("a.yaml", b)
        await opened.host.reloader.reload()
        left = sorted(live(opened.host))

    assert (kept, left) == (["a", "b"], ["b"])


async def test_removed_document_is_gone(files: Files) -> None:
    """A document that is not there any more is no error: its binding is gone, also after a restart."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        files.remove("a.yaml")
        await opened.host.reloader.reload()
        names = list(live(opened.host))
        story = await opened.say("x")
    async with files.open() as opened:
        later = list(live(opened.host))

    assert names == later == []
    assert story.stored.outcome == "unmatched"


async def test_of_two_with_one_id_the_live_one_stays(files: Files) -> None:
    """A repeated id: the one that is live stays, though the other comes first by its file; so too later."""
    files.write("m.yaml", binding("x"))
    async with files.open() as opened:
        files.write("a.yaml", binding("x", "2"))
        await opened.host.reloader.reload()
        kept, out = live(opened.host), opened.host.bindings.quarantined
        files.write("m.yaml", binding("x", "3"))
        await opened.host.reloader.reload()
        edited = live(opened.host)
    async with files.open() as opened:
        restarted = live(opened.host)
        files.remove("m.yaml")
        await opened.host.reloader.reload()
        alone = live(opened.host)

    assert kept == {"x": "1"}
    assert [(item.file, "is already the binding at bindings/m.yaml:1" in item.reason) for item in out] == [
        ("bindings/a.yaml", True)
    ]
    assert (edited, restarted, alone) == ({"x": "3"}, {"x": "3"}, {"x": "2"})


async def test_of_two_that_tie_the_live_one_stays(files: Files) -> None:
    """A decidable tie: the newcomer stays out, though its id is smaller; an edit that ties is not taken."""
    files.write("m.yaml", binding("m"))
    async with files.open() as opened:
        files.write("a.yaml", binding("a", "2"))
        await opened.host.reloader.reload()
        kept, out = live(opened.host), opened.host.bindings.quarantined
        files.write("a.yaml", binding("a", "2", priority=1))
        await opened.host.reloader.reload()
        both = live(opened.host)
        files.write("a.yaml", binding("a", "3"))
        await opened.host.reloader.reload()
        edited, stale = live(opened.host), dict(opened.host.project.stale)
    async with files.open() as opened:
        restarted = live(opened.host)

    assert kept == {"m": "1"}
    assert [(item.binding_id, "ties with 'm'" in item.reason) for item in out] == [("a", True)]
    assert both == edited == restarted == {"a": "2", "m": "1"}
    assert "ties with 'm'" in stale["a"].reason


async def test_newcomer_does_not_tie_with_a_last_good_revision(files: Files) -> None:
    """What answers in place of a broken document keeps others out as if it were written."""
    files.write("m.yaml", binding("m"))
    async with files.open() as opened:
        files.write("m.yaml", binding("m", priority="high"))
        files.write("a.yaml", binding("a", "2"))
        await opened.host.reloader.reload()
        kept = live(opened.host)
        files.write("m.yaml", binding("m", priority=3))
        await opened.host.reloader.reload()
        both = live(opened.host)

    assert kept == {"m": "1"}
    assert both == {"a": "2", "m": "1"}


async def test_losing_to_one_that_loses_itself_is_no_loss(files: Files) -> None:
    """Of three that tie, only those that tie with what is live stay out."""
    files.write("z.yaml", binding("z", scope={"bot_id": ["1", "2"]}))
    async with files.open() as opened:
        # `a` ties with both; `b` ties with `a` alone, and so answers
        files.write("a.yaml", binding("a", scope={"bot_id": ["2", "3"]}))
        files.write("b.yaml", binding("b", scope={"bot_id": ["3", "4"]}))
        await opened.host.reloader.reload()
        names = sorted(live(opened.host))

    assert names == ["b", "z"]


@pytest.mark.slow
async def test_killed_host_goes_on_with_the_last_good_revision(tmp_path: Path) -> None:
    """After `kill -9` and a restart with a broken file the last good revision answers."""
    files = Files(tmp_path)
    files.root_document(server={"port": 0})
    files.write("a.yaml", binding("a", runner_id="echo", runner_config={}))
    environment = {**os.environ, "LANGBOT_AGENTS_LANG": "en_US"}
    lba = [sys.executable, "-m", "langbot_agents.framework.cli"]

    def serve() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*lba, "serve", "-o", "json"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        while process.stdout.readline() not in ("}\n", ""):
            pass
        return process

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*lba, *words], check=False, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    process = serve()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    files.write("a.yaml", BROKEN)
    process = serve()
    try:
        done = call("send", "--text", "still there")
        listed = call("bindings", "list", "-o", "json")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()

    assert (done.returncode, done.stdout) == (0, "still there\n")
    (row,) = json.loads(listed.stdout)["bindings"]
    assert (row["binding_id"], row["state"], row["stale"]) == ("a", "live", True)
    assert "priority" in row["reason"]


DOCUMENTS = st.builds(
    lambda name, priority, says, fault: {
        "good": json.dumps(binding(name, says, priority=priority)),
        "bad": json.dumps(binding(name, says, priority="high")),
        "nameless": '{"kind": "AgentBinding", "priority": 1}',
        "torn": f"binding_id: {name}\nfilters: [",
    }[fault],
    st.sampled_from("abcd"),
    st.integers(0, 2),
    st.sampled_from("12"),
    st.sampled_from(["good", "good", "good", "good", "bad", "nameless", "torn"]),
)


EDITS = st.lists(
    st.tuples(st.sampled_from(["m.yaml", "n.yaml", "o.yaml"]), st.lists(DOCUMENTS, max_size=3)),
    min_size=1,
    max_size=8,
)


@given(edits=EDITS)
@settings(max_examples=25, deadline=None)
def test_nothing_live_is_lost(tmp_path_factory: pytest.TempPathFactory, edits: Any) -> None:
    """Whatever is written: no two that tie are live, and what was live stays so while its file has an error
    or its id stands anywhere; a start that knows what was live makes the same set, also from the same files.
    """
    files = Files(tmp_path_factory.mktemp("project"))
    files.write("m.yaml", *edits[0][1])
    project = files.project()
    for file, documents in edits[1:]:
        before = project.bindings
        files.write(file, *documents)
        project = load_again(project, read_root(project), LiveIncumbents(before))
        text = {path.name: path.read_text() for path in (files.root / "bindings").glob("[mno].yaml")}
        errors = [item for item in project.errors if item.code not in ("LBA310", "LBA311")]
        broken = {item.file for item in errors}
        for entry in before.entries:
            named = any(f'"{entry.binding_id}"' in each for each in text.values())
            if named or entry.file in broken:
                assert project.bindings.get(entry.binding_id) is not None
        assert [tie for tie in find_ties(project.bindings.entries) if tie.decidable] == []
        again = load_again(project, read_root(project), LiveIncumbents(project.bindings))
        assert again.bindings is project.bindings
        assert again.stale.keys() == project.stale.keys()
        fresh = with_last_good(files.project(), LiveIncumbents(before))
        assert fresh.bindings.digest == project.bindings.digest
        if not fresh.errors:
            assert project.bindings.digest == files.project().bindings.digest
