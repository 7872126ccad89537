"""Filters that are right raise nothing, whatever they look like; what is wrong has its kind and its place."""

from pathlib import Path

import pytest

from langbot_agents.framework.filters import Problem, check_filters, parse
from langbot_agents.framework.project import load_project

VALID = (Path(__file__).with_name("valid_filters.txt")).read_text("utf-8").splitlines()
"""One filter a line, behind the event types that it is for where they are not `message.received`."""
ROOT = Path(__file__).parents[3]


def problems(expr: str, *event_types: str) -> list[Problem]:
    """What is wrong with one filter."""
    (found,) = check_filters([(expr, parse(expr))], event_types or ("message.received",))
    return found


def split(line: str) -> tuple[str, tuple[str, ...]]:
    """A line of the list: its filter and its event types."""
    head, mark, expr = line.partition(" :: ")
    return (expr, tuple(head.split())) if mark else (line, ("message.received",))


def test_there_are_two_hundred() -> None:
    """The list is long, and no filter is in it twice."""
    assert len(VALID) == len(set(VALID)) >= 200


@pytest.mark.parametrize("line", VALID)
def test_valid(line: str) -> None:
    """A filter that can be meant as it is written raises nothing, no warning either."""
    expr, event_types = split(line)

    assert [problem.message for problem in problems(expr, *event_types)] == []


def test_what_ships_raises_nothing() -> None:
    """No filter of a shipped binding raises anything."""
    project = load_project(ROOT)
    codes = [finding.code for finding in project.findings if finding.code.startswith("LBA2")]

    assert any(entry.filters for entry in project.bindings.entries)
    assert codes == []


@pytest.mark.parametrize(
    ("expr", "kind", "where"),
    [
        ("actr.id != 'x'", "unknown", "actr.id"),
        ('input.text == "Hello"', "not_text", '"Hello"'),
        ("actor.actor_id == `42`", "never", "`42`"),
        ("metadata.chat_type > `5`", "never", "metadata.chat_type > `5`"),
        ("contains(input.text, 'a')", "null", "input.text"),
        ("contains(missing, 'a')", "unknown", "missing"),
        ("length(thread_id) > `3`", "null", "thread_id"),
        ("`5`", "constant", "`5`"),
        ("`0`", "constant", "`0`"),
        ("input.contents", "not_boolean", "input.contents"),
        ("length(input.contents)", "not_boolean", "length(input.contents)"),
        ("input.contents[?typ == 'image'] | length(@) > `0`", "unknown", "typ"),
        ("actor.actor_id == actor.actor_id", "constant", "actor.actor_id == actor.actor_id"),
        ("now == '5'", "never", "'5'"),
        ("contains(input.text)", "call", "contains(input.text)"),
        ("abs(input.text) == `1`", "call", "input.text"),
        ("hour_in('09:00-18:00', 'Mars')", "call", "'Mars'"),
        ("bot_id.name == 'x'", "unknown", "bot_id.name"),
        ("input.text[0] == 'x'", "never", "text[0]"),
        ("!metadata.flag", "never", "!metadata.flag"),
        ("mentions_bot() || 'yes'", "not_boolean", "'yes'"),
        ("actor.actor_type == True", "not_text", "True"),
        ("input.contents.type == 'image'", "unknown", "input.contents.type"),
        ("mentions_bot", "unknown", "mentions_bot"),
        ("user.id == '1'", "unknown", "user.id"),
        ("actor.actor_name > '10'", "never", "actor.actor_name > '10'"),
        ("bot_id == 'b' | mentions_bot()", "never", "|"),
        ("input.text.startsWith('x')", "call", "input.text.startsWith('x')"),
        ("len(input.text) > `3`", "call", "len"),
        ("length(map(&len(@), input.contents)) > `3`", "call", "len"),
        ("contains_any(input.text, 'a', 'b')", "call", "contains_any(input.text, 'a', 'b')"),
        ("matches(input.text, '(')", "call", "'('"),
        ("event_type == 'message.edited'", "never", "'message.edited'"),
        ("input.text", "not_boolean", "input.text"),
        ("now > '5'", "never", "now > '5'"),
    ],
)
def test_kind_and_place(expr: str, kind: str, where: str) -> None:
    """Each mistake is of its kind and points at the part that is wrong."""
    first = problems(expr)[0]

    assert (first.kind, expr[first.offset : first.offset + first.width]) == (kind, where)


def test_a_guard_is_seen_wherever_it_stands() -> None:
    """Null is no danger where another leg, of this filter or of another one, is false for it."""
    pair = [("contains(input.text, 'a')", parse("contains(input.text, 'a')"))]
    for guard in ("input.text != `null`", "input.text == 'a b'", "matches(input.text, 'a')"):
        found = check_filters([*pair, (guard, parse(guard))], ("message.received",))

        assert found == [[], []]
        assert problems(f"contains(input.text, 'a') && {guard}") == []
    assert problems("input.text == `null` && contains(input.text, 'a')")[0].kind == "null"


def test_a_guard_is_seen_in_every_form() -> None:
    """What comes before `||`, a negation and a type guard too; the other way round they do not."""
    for guarded in (
        "input.text == `null` || contains(input.text, 'a')",
        "!(input.text) || contains(input.text, 'a')",
        "!(input.text == `null`) && contains(input.text, 'a')",
        "type(input.text) == 'string' && contains(input.text, 'a')",
        "(bot_id == 'b' || input.text == `null`) || contains(input.text, 'a')",
    ):
        assert problems(guarded) == []
    for unguarded in (
        "input.text != `null` || contains(input.text, 'a')",
        "(bot_id == 'b' || input.text != `null`) && contains(input.text, 'a')",
        "type(input.text) != 'string' && contains(input.text, 'a')",
        "!(bot_id == 'b' && input.text == `null`) && contains(input.text, 'a')",
    ):
        assert [problem.kind for problem in problems(unguarded)] == ["null"]


def test_null_is_said_once() -> None:
    """A path that may be null is told of once in a filter, and only for types in which it may be."""
    assert len(problems("contains(input.text, 'a') || contains(input.text, 'b')")) == 1
    assert problems("starts_with(conversation_id, 'group_')") == []
    assert problems("starts_with(actor.actor_id, 'x')", "message.*") == []
    assert [item.kind for item in problems("contains(input.text, 'a')", "message.*")] == ["null"]
    assert problems("contains(input.text, 'a')", "acme.*") == []


def test_some_types_lack_it() -> None:
    """A field that some types have is a warning, which names those that lack it."""
    (found,) = problems("input.text == 'x'", "message.received", "group.member_joined", "group.member_left")

    assert found.is_warning
    assert found.message == "'input.text' is always null in group.member_joined, group.member_left"


def test_types_that_nobody_knows_are_plain_events() -> None:
    """Of a type that the catalogue does not have the envelope is known, and nothing else."""
    assert problems("metadata.priority == 'high' && input.data.kind == 'x'", "acme.ticket.opened") == []
    assert problems("inputt.text == 'x'", "acme.ticket.opened")[0].kind == "unknown"
    assert problems("input.text == 'x'", "*") == []
    assert problems("input.text == 'x'", "group.*") == []
