"""`ctx.api`: state and history of the run's own conversation, checked call by call."""

import math
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from langbot_agents.framework.results import MAX_STATE_VALUE
from langbot_agents.schemas.runners import AgentRunnerPermissions
from langbot_agents.sdk import AgentAPIException, AgentRunContext, completed, failed, hookimpl, state_updated

from .conftest import MakeHouse, runner_class

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]


async def refusal(awaitable: Any) -> str:
    """The code with which a call is refused."""
    with pytest.raises(AgentAPIException) as caught:
        await awaitable
    return caught.value.error.code


async def test_compare_and_set(make_house: MakeHouse) -> None:
    """`state.set` with a version writes only if it still is that one, else `conflict`; it commits at once."""
    seen: list[Any] = []

    async def _count(ctx: Ctx) -> Results:
        state = ctx.api.state
        first = await state.set("conversation", "n", 1, version=0)
        seen.append(await refusal(state.set("conversation", "n", 9, version=0)))
        second = await state.set("conversation", "n", {"a": [1]}, version=first.version)
        found = await state.get("conversation", "n")
        assert found is not None
        seen.append((dict(found.value), found.version == second.version))
        seen.append(sorted(await state.list("conversation")))
        seen.append(await state.get("conversation", "missing"))
        yield failed("what was set stays")

    async with make_house(_count).open() as opened:
        await opened.say()

    assert seen[0] == "conflict"
    assert seen[1] == ({"a": [1]}, True) or seen[1] == ({"a": (1,)}, True)
    assert seen[2:] == [["n"], None]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("conversation", "", 1), "invalid_argument"),
        (("conversation", "k" * 256, 1), "invalid_argument"),
        (("conversation", "\ud800", 1), "invalid_argument"),
        (("conversation", 5, 1), "invalid_argument"),
        (("conversation", "k", math.nan), "invalid_argument"),
        (("conversation", "k", b"bytes"), "invalid_argument"),
        (("conversation", "k", object()), "invalid_argument"),
        (("conversation", "k", "\ud800"), "invalid_argument"),
        (("conversation", "k", "x" * MAX_STATE_VALUE), "payload_too_large"),
        (("workspace", "k", 1), "unauthorized"),
        (("subject", "k", 1), "unauthorized"),
        (("galaxy", "k", 1), "unauthorized"),
    ],
)
async def test_what_state_refuses(make_house: MakeHouse, arguments: Any, code: str) -> None:
    """A key or value that cannot be kept, and a scope that is not open, are refused with a code."""
    seen: list[str] = []

    async def _set(ctx: Ctx) -> Results:
        seen.append(await refusal(ctx.api.state.set(*arguments)))
        yield completed("ok")

    async with make_house(_set).open() as opened:
        story = await opened.say()

    assert seen == [code]
    assert story.runs[0].status == "completed"


async def test_verb_that_the_manifest_does_not_ask_for_is_refused(make_house: MakeHouse) -> None:
    """What the manifest does not ask for, or the policy says false to, is `unauthorized`."""
    seen: list[str] = []

    async def _try(ctx: Ctx) -> Results:
        seen.append(await refusal(ctx.api.state.set("conversation", "k", 1)))
        seen.append(await refusal(ctx.api.history.page()))
        assert await ctx.api.state.get("conversation", "k") is None
        yield completed("ok")

    runner = runner_class("r", _try, permissions=AgentRunnerPermissions(state=("get",), history=("page",)))
    async with make_house(runners=[runner], resource_policy={"history": False}).open() as opened:
        story = await opened.say()

    assert seen == ["unauthorized", "unauthorized"]
    assert story.runs[0].status == "completed"


@pytest.mark.parametrize("arguments", [{"rounds": 0}, {"rounds": 101}, {"before": "x"}, {"before": "9" * 30}])
async def test_what_history_refuses(make_house: MakeHouse, arguments: Any) -> None:
    """A cursor that is not ours and a senseless number of rounds are `invalid_argument`."""
    seen: list[str] = []

    async def _page(ctx: Ctx) -> Results:
        seen.append(await refusal(ctx.api.history.page(**arguments)))
        yield completed("ok")

    async with make_house(_page).open() as opened:
        await opened.say()

    assert seen == ["invalid_argument"]


async def test_run_that_ended_reaches_nothing(make_house: MakeHouse) -> None:
    """After the run ends its hands are worth nothing."""
    kept: list[Ctx] = []

    async def _keep(ctx: Ctx) -> Results:
        kept.append(ctx)
        await ctx.api.state.set("conversation", "k", 1)
        yield completed("ok")

    async with make_house(_keep).open() as opened:
        await opened.say()
        codes = [
            await refusal(kept[0].api.state.get("conversation", "k")),
            await refusal(kept[0].api.state.set("conversation", "k", 2)),
            await refusal(kept[0].api.history.page()),
        ]

    assert codes == ["unauthorized"] * 3


async def test_run_reaches_nothing_once_its_end_is_told(make_house: MakeHouse) -> None:
    """What a runner left behind reaches nothing while the host still tidies up after the run."""
    kept: list[Ctx] = []
    codes: list[str] = []

    class Late:
        @hookimpl
        async def run_finished(self, run: Any, outcome: str) -> None:
            codes.append(await refusal(kept[0].api.state.set("conversation", "k", 1)))

    async def _keep(ctx: Ctx) -> Results:
        kept.append(ctx)
        yield completed("ok")

    async with make_house(_keep, plugins={"late": Late()}).open() as opened:
        await opened.say()

    assert codes == ["unauthorized"]


async def test_bots_runners_bindings_and_people_do_not_mix(make_house: MakeHouse) -> None:
    """State is kept by namespace, runner, scope and bot; only a shared namespace is shared."""
    seen: dict[str, Any] = {}

    async def _count(ctx: Ctx) -> Results:
        counts = {}
        for scope in ("conversation", "actor", "runner"):
            item = ctx.state.scopes.get(scope, {}).get("n")
            counts[scope] = (item.value if item else 0) + 1
            yield state_updated(scope, "n", counts[scope])
        seen[ctx.input.to_text()] = counts
        yield completed("ok")

    scopes = {"scopes": ["conversation", "actor", "runner"]}
    house = make_house(
        _count,
        bindings=[
            {"state_policy": scopes},
            {
                "state_policy": {**scopes, "namespace": "b0"},
                "priority": 1,
                "filters": ["starts_with(input.text, 'renamed')"],
            },
            {"state_policy": scopes, "priority": 1, "filters": ["starts_with(input.text, 'other binding')"]},
        ],
    )
    first = {"conversation": 1, "actor": 1, "runner": 1}
    async with house.open() as opened:
        await opened.say("one", bot_id="b1")
        await opened.say("two", bot_id="b1")
        await opened.say("renamed", bot_id="b1")
        await opened.say("other binding", bot_id="b1")
        await opened.say("other bot", bot_id="b2")
        await opened.say("other actor", bot_id="b1", actor={"actor_type": "user", "actor_id": "u2"})
        await opened.say("other conversation", bot_id="b1", conversation_id="person_2")

    assert seen["one"] == first
    assert seen["two"] == {"conversation": 2, "actor": 2, "runner": 2}
    assert seen["renamed"] == {"conversation": 3, "actor": 3, "runner": 3}
    assert seen["other binding"] == first
    assert seen["other bot"] == {"conversation": 1, "actor": 1, "runner": 4}
    assert seen["other actor"] == {"conversation": 4, "actor": 1, "runner": 5}
    assert seen["other conversation"] == {"conversation": 1, "actor": 4, "runner": 6}
