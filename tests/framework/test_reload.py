"""Hot reload: a change takes effect all at once, and no run is mixed."""

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from langbot_agents.framework.app import EventStory
from langbot_agents.framework.bindings import BindingSet
from langbot_agents.framework.revisions import bindings_at
from langbot_agents.framework.store import binding_sets, decisions, events, runs
from langbot_agents.schemas.records import Decision, RunRecord

from .reloading import GATE, Files, binding, changes, live, said

pytestmark = pytest.mark.anyio


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A project without bindings."""
    return Files(tmp_path)


async def test_change_takes_effect_for_the_next_event(files: Files) -> None:
    """Added, changed and removed documents take effect without a restart, and an event says which."""
    files.write("a.yaml", binding("a"), binding("b", scope={"conversation_id": "b"}))
    files.write("c.yaml", binding("c", scope={"conversation_id": "c"}))
    async with files.open() as opened:
        before = await opened.say("x")
        files.write("a.yaml", binding("a", "2"), binding("d", scope={"conversation_id": "d"}))
        files.remove("c.yaml")
        change = await opened.host.reloader.reload()
        after = await opened.say("y")
        told = await changes(opened)
        digest = opened.host.bindings.digest

    assert (said(before), said(after)) == (["1:1"], ["2:2"])
    assert (change.added, change.changed, change.removed) == (("d",), ("a",), ("b", "c"))
    assert change.failed == ()
    (event,) = [item.envelope for item in told]
    assert event.metadata == {
        "set_digest": digest,
        "added_bindings": ("d",),
        "changed_bindings": ("a",),
        "removed_bindings": ("b", "c"),
        "quarantined": (),
    }
    assert (event.source.kind, event.source.name) == ("system", "host")
    assert event.actor is not None
    assert (event.actor.actor_type, event.actor.actor_id) == ("system", None)
    assert event.subject is not None
    assert (event.subject.subject_type, event.subject.subject_id) == ("config", digest)
    assert (event.delivery.surface, event.delivery.reply_target) == ("host", None)


async def test_binding_takes_the_event_about_a_change(files: Files) -> None:
    """The event is routed like any other, by the set that is live now; there is nobody to reply to."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        files.write("w.yaml", binding("watch", event_types=["system.config_changed"]))
        await opened.host.reloader.reload()
        await opened.host.settled()
        (event,) = await changes(opened)
        story = await opened.story(event.envelope.event_uid or "")

    assert [(run.binding_id, run.status) for run in story.runs] == [("watch", "completed")]
    assert said(story) == []


async def test_reload_without_a_change_says_nothing(files: Files) -> None:
    """What was only touched, or moved down in its file, is no change: same set, no event."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        before = opened.host.bindings
        (files.root / "bindings/a.yaml").touch()
        untouched = await opened.host.reloader.reload()
        same = opened.host.bindings is before
        files.write("a.yaml", "# a word\n" + json.dumps(binding("a")))
        moved = await opened.host.reloader.reload()
        entry = opened.host.bindings.get("a")
        told = await changes(opened)
        digest = opened.host.bindings.digest

    assert same
    assert (untouched.any, moved.any, moved.moved) == (False, False, True)
    assert entry is not None
    assert entry.line == 2
    assert digest == before.digest
    assert told == []


async def test_run_keeps_the_revision_it_began_with(files: Files) -> None:
    """A run that goes on and one that waits behind it end by the revision that was chosen for them."""
    files.write("a.yaml", binding("a"))
    GATE["slow"] = anyio.Event()
    async with files.open() as opened:
        first = await opened.accept("slow")
        await opened.session(first.event_uid)
        second = await opened.accept("waits")
        files.write("a.yaml", binding("a", "2"))
        await opened.host.reloader.reload()
        third = await opened.accept("new")
        GATE["slow"].set()
        await opened.host.settled()
        stories = [await opened.story(item.event_uid) for item in (first, second, third)]
        revisions = [story.runs[0].revision for story in stories]

    assert [said(story) for story in stories] == [["1:1"], ["1:1"], ["2:2"]]
    assert revisions[0] == revisions[1] != revisions[2]


async def test_fallback_keeps_the_revision_of_its_decision(files: Files) -> None:
    """What is tried after a failure is the revision that was ranked, also when its document is gone."""
    first = binding("a", runner_id="fail", priority=1, on_failure="next")
    files.write("a.yaml", first, binding("b"))
    GATE["fails"] = anyio.Event()
    async with files.open() as opened:
        accepted = await opened.accept("fails")
        await opened.session(accepted.event_uid)
        files.write("a.yaml", binding("c", "2"))
        await opened.host.reloader.reload()
        GATE["fails"].set()
        await opened.host.settled()
        story = await opened.story(accepted.event_uid)
        names = list(live(opened.host))

    assert [(run.binding_id, run.status) for run in story.runs] == [("a", "failed"), ("b", "completed")]
    assert said(story) == ["1:1"]
    assert names == ["c"]


async def test_what_a_stop_cut_off_goes_on_by_its_revision(files: Files) -> None:
    """After a restart with other files, what ran and what waited ends by the revision it was chosen with."""
    files.root_document(limits={"shutdown_grace": 0.01})
    files.write("a.yaml", binding("a"))
    GATE["slow"] = anyio.Event()
    async with files.open() as opened:
        first = await opened.accept("slow")
        await opened.session(first.event_uid)
        second = await opened.accept("waits")
    files.write("a.yaml", binding("a", "2"))
    GATE["slow"].set()
    async with files.open() as opened:
        await opened.host.settled()
        stories = [await opened.story(item.event_uid) for item in (first, second)]
        last = await opened.say("new")

    assert [said(story) for story in (*stories, last)] == [["1:1"], ["1:1"], ["2:2"]]


async def test_root_document_takes_effect(files: Files) -> None:
    """Globs, zone, language and models of the root document take effect without a restart, all at once."""
    files.write("a.yaml", binding("a"))
    files.write("more/b.yaml", binding("b", scope={"conversation_id": "b"}))
    files.root_document(bindings=["bindings/*.yaml"])
    async with files.open() as opened:
        before = opened.host.bindings.digest
        model = {"name": "m", "provider": "openai", "model": "x"}
        files.root_document(bindings=["bindings/**/*.yaml"], timezone="Asia/Shanghai", models=[model])
        change = await opened.host.reloader.reload()
        host = opened.host
        names, digest = sorted(live(host)), host.bindings.digest
        facts, parts = host.parts.facts, host.orchestrator.parts

    assert change.keys == ("bindings", "timezone", "models")
    assert names == ["a", "b"]
    assert digest != before
    assert facts.timezone == host.bindings.timezone == "Asia/Shanghai"
    assert facts.available == {"models": ("m",)}
    assert parts is host.parts
    assert parts.models.names == ("m",)


async def test_secrets_take_effect(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `secrets` allows holds for the next run; a run that goes on keeps what it began with."""
    monkeypatch.setenv("RELOAD_WORD", "sesame")
    files.write("a.yaml", binding("a", "${env:RELOAD_WORD}"))
    files.root_document(secrets={"env": []})
    async with files.open() as opened:
        refused = await opened.say("x")
        files.root_document(secrets={"env": ["RELOAD_*"]})
        change = await opened.host.reloader.reload()
        allowed = await opened.say("y")

    assert [run.code for run in refused.runs] == ["secret"]
    assert change.keys == ("secrets",)
    assert [run.status for run in allowed.runs] == ["completed"]


async def test_root_document_with_an_error_is_not_used(files: Files) -> None:
    """An invalid root document leaves the one before in use; bindings go on being loaded."""
    files.write("a.yaml", binding("a"))
    files.root_document(timezone="Asia/Shanghai")
    async with files.open() as opened:
        files.root_document(timezone="Nowhere")
        files.write("a.yaml", binding("a", "2"))
        await opened.host.reloader.reload()
        says, zone = live(opened.host), opened.host.bindings.timezone
        status, reasons = opened.host.readiness()
        state = opened.host.reloader.root.state
        files.root_document(timezone="UTC")
        await opened.host.reloader.reload()
        mended = opened.host.readiness(), opened.host.bindings.timezone

    assert (says, zone) == ({"a": "2"}, "Asia/Shanghai")
    assert (status, state) == ("degraded", "invalid")
    assert "langbot-agents.yaml:1:" in reasons[0]
    assert "Nowhere" in reasons[0]
    assert mended == (("ready", []), "UTC")


async def test_root_document_is_never_half_applied(files: Files) -> None:
    """Where one key takes a restart the whole document waits for it, and readiness names both kinds."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        files.root_document(timezone="Asia/Shanghai", limits={"concurrency": 3})
        await opened.host.reloader.reload()
        zone = opened.host.bindings.timezone
        status, reasons = opened.host.readiness()
        files.root_document(timezone="Asia/Shanghai")
        await opened.host.reloader.reload()
        later = opened.host.bindings.timezone, opened.host.readiness()[0]

    assert zone == "UTC"
    assert status == "degraded"
    assert "limits changed, which takes a restart of the host" in reasons[0]
    assert "until then timezone stay as they were, too" in reasons[0]
    assert later == ("Asia/Shanghai", "ready")


async def test_pauses_stay_on_a_new_set(files: Files) -> None:
    """A pause holds over reloads, also of its own document, and costs nothing while nothing changes."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        host = opened.host
        entry = host.bindings.get("a")
        assert entry is not None
        await host.pauses.pause(entry, "tired")
        files.write("a.yaml", binding("a", "2"))
        await host.reloader.reload()
        states = [(item.binding_id, item.state) for item in host.bindings.entries]
        same = host.bindings is host.bindings
        await host.pauses.resume("a")
        says = live(host)

    assert states == [("a", "paused")]
    assert same
    assert says == {"a": "2"}


async def test_other_workspaces_learn_nothing(files: Files) -> None:
    """Each workspace is told of its own bindings; nothing reaches across."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        files.write("b.yaml", binding("b", scope={"workspace_id": "other"}))
        await opened.host.reloader.reload()
        mine = await changes(opened)
        theirs = await opened.host.db.read(events.page, "other", limit=10)

    assert mine == []
    assert [item.envelope.metadata["added_bindings"] for item in theirs] == [("b",)]


async def test_set_of_a_decision_can_be_built_again(files: Files) -> None:
    """After many changes, pauses and a restart, the set of each decision is what it was then."""
    seen: list[tuple[Decision, BindingSet]] = []
    files.write("keep.yaml", binding("keep", scope={"conversation_id": "k"}))
    async with files.open() as opened:
        host = opened.host
        for number in range(12):
            if number % 4 == 3:
                files.write("a.yaml", binding("a", str(number), priority="high"))
            elif number % 5 == 4:
                files.remove("a.yaml")
            else:
                files.write("a.yaml", "\n" * number + json.dumps(binding("a", str(number))))
            await host.reloader.reload()
            entry = host.bindings.get("keep")
            assert entry is not None
            if number % 3 == 0:
                await host.pauses.pause(entry, f"reason {number}")
            else:
                await host.pauses.resume("keep")
            accepted = await opened.accept(str(number))
            await host.settled()
            decision = await host.db.read(decisions.get, "default", accepted.event_uid)
            assert decision is not None
            seen.append((decision, host.bindings))
    async with files.open() as opened:
        for decision, was in seen:
            built = await opened.host.db.read(
                bindings_at, decision.set_digest, opened.host.project.registry, at=decision.clock
            )

            assert built is not None
            assert built.digest == was.digest == decision.set_digest
            assert built.timezone == was.timezone
            assert [vars_of(item) for item in built.entries] == [vars_of(item) for item in was.entries]
            assert built.quarantined == was.quarantined
        unknown = await opened.host.db.read(bindings_at, "sha256:0", opened.host.project.registry)

    assert unknown is None


def vars_of(entry: Any) -> tuple[Any, ...]:
    """What makes an entry."""
    return entry.document, entry.revision, entry.origin, entry.pause, entry.runner


async def test_restart_writes_no_set_that_is_there(files: Files) -> None:
    """A start with what was live before adds nothing to the store."""
    files.write("a.yaml", binding("a"))
    async with files.open() as opened:
        first = await opened.host.db.read(binding_sets.newest)
    async with files.open() as opened:
        second = await opened.host.db.read(binding_sets.newest)
        members = await opened.host.db.read(binding_sets.live)

    assert first is not None
    assert first == second
    assert [item.binding_id for item in members] == ["a"]


async def test_thousand_reloads_under_load(files: Files) -> None:
    """Through 1,000 reloads no event is lost, no run is mixed, and each conversation keeps its order."""
    reloads = 1000
    lanes = [f"person_{number}" for number in range(4)]
    sent: dict[str, list[str]] = {name: [] for name in lanes}
    done = anyio.Event()
    files.write("a.yaml", binding("a", "0"))
    async with files.open() as opened:
        host = opened.host

        async def bring(lane: str) -> None:
            while not done.is_set():
                accepted = await opened.accept("x", conversation_id=lane)
                sent[lane].append(accepted.event_uid)
                await anyio.sleep(0.02)

        async with anyio.create_task_group() as tasks:
            for lane in lanes:
                tasks.start_soon(bring, lane)
            for number in range(1, reloads + 1):
                files.write("a.yaml", binding("a", str(number)))
                change = await host.reloader.reload()
                assert change.changed == ("a",)
            done.set()
        await host.settled()
        told = await host.db.read(_count, "system.config_changed")
        says = {}
        for stored in await host.db.read(binding_sets_of, range(1, reloads + 2)):
            says.update(stored)
        records: dict[str, RunRecord] = {}
        order: dict[str, list[str]] = {name: [] for name in lanes}
        for lane, uids in sent.items():
            stories = [await opened.story(uid) for uid in uids]
            assert [story.stored.outcome for story in stories] == ["matched"] * len(uids)
            for story in stories:
                (run,) = story.runs
                (text,) = said(story)
                began, _, ended = text.partition(":")
                assert began == ended == says[run.revision]
                records[run.run_id] = run
            order[lane] = [story.runs[0].run_id for story in sorted(stories, key=started)]
            assert order[lane] == [story.runs[0].run_id for story in stories]
            numbers = [int(says[records[name].revision]) for name in order[lane]]
            assert numbers == sorted(numbers)
        listed = await host.db.read(runs.page, "default", limit=10_000)

    assert told == reloads
    assert {run.status for run in listed} == {"completed"}
    assert len(records) == len(listed) > 50
    assert len({run.revision for run in listed}) > 20


def started(story: EventStory) -> Any:
    """When its run began."""
    return story.runs[0].started_at


def _count(cursor: Any, event_type: str) -> int:
    found, after = 0, 0
    while page := events.page(cursor, "default", after=after, limit=500):
        found += sum(item.envelope.event_type == event_type for item in page)
        after = page[-1].seq
    return found


def binding_sets_of(cursor: Any, numbers: range) -> list[dict[str, str]]:
    """What each stored revision says."""
    from langbot_agents.framework.store import revisions

    found = []
    for number in numbers:
        for member in binding_sets.members(cursor, number):
            record = revisions.get(cursor, member.workspace_id, member.revision)
            assert record is not None
            found.append({record.digest: record.document["runner_config"]["says"]})
    return found
