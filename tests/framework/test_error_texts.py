"""What people see of a run that failed or said nothing: by policy, and in their language."""

from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from langbot_agents.sdk import AgentRunContext, completed, delta, failed, message

from .conftest import MakeHouse

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
HINT = "Something went wrong. Please try again later."
HINT_ZH = "出了点问题，请稍后再试。"
EMPTY_ZH = "这条消息没有回答。"


async def by_word(ctx: Ctx) -> Results:
    """Do what the text says."""
    match ctx.input.to_text():
        case "fail":
            yield failed("the stock is empty", code="shop.empty")
        case "fail bare":
            yield failed("", code="shop.empty")
        case "begin and fail":
            yield message("first", message_id="a")
            yield delta("sec", message_id="b")
            yield failed("the stock is empty", code="shop.empty")
        case "hang":
            await anyio.sleep(60)
        case "nothing":
            yield completed()
        case "no reply":
            yield completed(finish_reason="no_reply")
        case "blank end":
            return
        case "two":
            yield message("first", message_id="a")
            yield message("second", message_id="b")
            yield completed("ignored, since there were messages")
        case "two endings":
            yield completed("the first")
            yield failed("too late")


SHOP = "shop.empty: the stock is empty"


@pytest.mark.parametrize(
    ("text", "policy", "shown"),
    [
        ("fail", {}, [("host.error", HINT)]),
        ("fail", {"on_error": "error"}, [("host.error", SHOP)]),
        ("fail bare", {"on_error": "error"}, [("host.error", "shop.empty")]),
        ("fail", {"on_error": "hide"}, []),
        ("fail", {"hint_text": "Sorry."}, [("host.error", "Sorry.")]),
        ("begin and fail", {}, [("a", "first"), ("host.error", HINT)]),
        ("begin and fail", {"on_error": "hide"}, [("a", "first")]),
        ("hang", {}, [("host.error", HINT)]),
        ("hang", {"on_error": "error"}, [("host.error", "runner.timeout: no end within 0.3 s")]),
        ("nothing", {"on_empty": "silent"}, []),
        ("nothing", {}, [("host.empty", "There is no answer to this.")]),
        ("no reply", {}, []),
        (
            "blank end",
            {"on_error": "error"},
            [("host.error", "runner.no_output: the runner ended without any output")],
        ),
        ("two", {}, [("a", "first"), ("b", "second")]),
        ("two endings", {}, [("main", "the first")]),
    ],
)
async def test_what_is_shown(
    make_house: MakeHouse, text: str, policy: dict[str, Any], shown: list[tuple[str, str]]
) -> None:
    """A hint, the code with a public message, or nothing; several ids are several messages."""
    house = make_house(by_word, delivery_policy=policy, limits={"timeout": 0.3})
    async with house.open() as opened:
        story = await opened.say(text)

    assert [(item.message_id, item.content) for item in story.deliveries] == shown


@pytest.mark.parametrize(
    ("event", "root", "shown"),
    [
        ("zh_Hans", "en_US", [HINT_ZH, EMPTY_ZH]),
        ("zh-CN", "en_US", [HINT_ZH, EMPTY_ZH]),
        (None, "zh_Hans", [HINT_ZH, EMPTY_ZH]),
        ("en_US", "zh_Hans", [HINT, "There is no answer to this."]),
        ("fr", "en_US", [HINT, "There is no answer to this."]),
    ],
)
async def test_the_language(make_house: MakeHouse, event: str | None, root: str, shown: list[str]) -> None:
    """Texts of ours come in the event's locale, else the root's."""
    async with make_house(by_word, settings={"locale": root}).open() as opened:
        stories = [await opened.say(text, locale=event) for text in ("fail", "nothing")]

    assert [story.deliveries[0].content for story in stories] == shown


async def test_a_cancelled_run_says_nothing_of_ours(make_house: MakeHouse) -> None:
    """Whoever cancels knows it; there is no hint."""
    async with make_house(by_word).open() as opened:
        accepted = await opened.accept("hang")
        (await opened.session(accepted.event_uid)).cancel("enough")
        await opened.host.settled()
        story = await opened.story(accepted.event_uid)

    assert story.runs[0].status == "cancelled"
    assert story.deliveries == ()


async def test_an_observer_says_nothing(make_house: MakeHouse) -> None:
    """A failure or an empty end of an observer is recorded, and nobody is told."""
    async with make_house(by_word, mode="observe").open() as opened:
        stories = [await opened.say(text) for text in ("fail", "nothing")]

    assert [story.runs[0].status for story in stories] == ["failed", "completed"]
    assert [story.deliveries for story in stories] == [(), ()]
