"""The functions of filters: their examples, null, wrong types, and bounds on what they may take."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.filters import STANDARD, Frame, compile_filter, evaluate_all
from langbot_agents.framework.filters.own_functions import OWN, percent
from langbot_agents.schemas.catalogue import sample

NOON = 1_772_452_800.0
"""2026-03-02, 12:00 UTC, a Monday."""


def value_of(expr: str, document: dict[str, Any] | None = None, **frame: Any) -> Any:
    """What an expression is."""
    document = {} if document is None else document
    return compile_filter(expr).legs[0].evaluate(document, Frame(document, **frame))


def truth_of(expr: str, document: dict[str, Any] | None = None, **frame: Any) -> str:
    """What a filter comes out as."""
    document = {} if document is None else document
    result = evaluate_all([compile_filter(expr)], document, Frame(document, **frame))
    assert result is not None
    return result.truth


@pytest.mark.parametrize(
    ("expr", "expected"),
    [example for function in OWN for example in function.examples],
    ids=str,
)
def test_examples(expr: str, expected: Any) -> None:
    """Each example of a function gives what it says."""
    assert value_of(expr, sample("message.received")) == expected


def test_each_function_is_explained() -> None:
    """Each function of ours has a sentence and an example, and none takes a name of jmespath's."""
    assert all(function.doc and function.examples for function in OWN)
    assert len(STANDARD.functions) == 26 + len(OWN)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("lower(missing)", None),
        ("upper(missing)", None),
        ("percent(missing)", None),
        ("matches(missing, 'a')", False),
        ("starts_with_any(missing, ['a'])", False),
        ("contains_any(missing, ['a'])", False),
        ("glob(missing, '*')", False),
        ("one_of(missing, ['a'])", False),
        ("one_of(missing, [missing])", True),
        ("contains_any('a', `[]`)", False),
    ],
)
def test_null_is_no_match(expr: str, expected: Any) -> None:
    """A subject that is null matches nothing, and fails nothing."""
    assert value_of(expr) is expected


@pytest.mark.parametrize(
    "expr",
    [
        "lower(`1`)",
        "matches('a', `1`)",
        "matches('a', missing)",
        "contains_any('a', 'b')",
        "contains_any('a', `[1]`)",
        "contains_any('a', `[\"a\", 1]`)",
        "one_of('a', 'a')",
        "percent(`[]`)",
        "hour_in('nine to five')",
        "hour_in('09:00-18:00', 'Mars')",
        "mentions_bot('x')",
    ],
)
def test_what_does_not_fit_is_an_error(expr: str) -> None:
    """An argument of another kind is an error of the filter, with the function's name."""
    result = evaluate_all([compile_filter(expr)], {}, Frame({}))

    assert result is not None
    assert result.truth == "error"
    assert expr.partition("(")[0] in (result.reason or "")


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("one_of(`1`, `[true]`)", False),
        ("one_of(`1`, `[1.0]`)", True),
        ("one_of(`true`, `[1]`)", False),
        ("one_of(`false`, `[0, false]`)", True),
        ("one_of('1', `[1]`)", False),
    ],
)
def test_one_of_is_equality(expr: str, expected: bool) -> None:
    """`one_of` equals as `==` does: 1 is not true."""
    assert value_of(expr) is expected


def test_a_pattern_that_takes_too_long_is_an_error() -> None:
    """Whatever the pattern, the filter ends within its budget, as an error."""
    text = "a" * 40 + "!"
    started = time.process_time()

    result = evaluate_all([compile_filter("matches(t, '(a|aa)+$')")], {"t": text}, Frame({}, seconds=0.05))

    assert result is not None
    assert (result.truth, result.reason) == ("error", "matches() takes too long on this text")
    assert time.process_time() - started < 2


def test_a_pattern_of_the_filter_may_be_long_and_one_of_the_event_not() -> None:
    """Who writes the filter may list what he likes; reading a pattern that somebody sent is work, too."""
    words = "|".join(f"word{number}" for number in range(500))
    document = {"t": "this is word321", "p": words}

    assert truth_of(f"matches(t, '{words}')", document) == "true"
    assert truth_of(f"glob(t, '*{'x' * 2_000}*')", document) == "false"
    assert truth_of("matches(t, p)", document) == "error"
    assert truth_of("glob(t, p)", document) == "error"
    assert truth_of("matches(t, p) || glob(t, p)", {"t": "ab", "p": "a."}) == "true"


@pytest.mark.parametrize("pattern", ["(", "(" * 3_000 + ")" * 3_000, r"\L<names>", "a{99999999999999999999}"])
def test_a_bad_pattern_is_an_error(pattern: str) -> None:
    """A pattern that cannot be read is an error with the function's name, in the filter and in the event."""
    for expr in (f"matches(t, '{pattern}')", "matches(t, p)"):
        result = evaluate_all([compile_filter(expr)], {"t": "x", "p": pattern}, Frame({}))

        assert result is not None
        assert result.truth == "error"
        assert (result.reason or "").startswith("matches()")


def test_a_long_glob_is_as_a_short_one() -> None:
    """A glob on much text gives what it gives on little, or an error when its time is over."""
    pattern = "*" + "[ab]" * 300 + "c*"
    text = "a" * 5_000

    assert truth_of(f"glob(t, '{pattern}')", {"t": text + "c"}, seconds=60) == "true"
    assert truth_of(f"glob(t, '{pattern}')", {"t": f"c{text}"}, seconds=60) == "false"
    assert truth_of(f"glob(t, '{pattern}')", {"t": f"c{text * 20}"}, seconds=0.001) == "error"


@pytest.mark.parametrize(
    "expr",
    [
        "length(join(t, l)) > `0`",
        "length(to_string(t | [@, @] | [@, @] | [@, @] | [@, @] | [@, @] | [@, @] | [@, @])) > `0`",
    ],
)
def test_a_text_that_is_made_is_bounded(expr: str) -> None:
    """A few characters of a filter cannot make a text of hundreds of millions."""
    document = {"t": "x" * 60_000, "l": ["a"] * 8_000}
    result = evaluate_all([compile_filter(expr)], document, Frame({}, seconds=60))

    assert result is not None
    assert result.truth == "error"
    assert "4000000 characters" in (result.reason or "")


def test_many_texts_in_a_long_one_end_in_time() -> None:
    """`contains_any` looks at the clock between its texts."""
    document = {"t": "ab" * 30_000, "l": [f"ba{number}" for number in range(5_000)]}

    assert truth_of("contains_any(t, l)", document, seconds=0.001) == "error"
    assert truth_of("contains_any(t, l)", document, seconds=60) == "false"


def test_work_is_bounded() -> None:
    """A loop over a long list ends when the budget is used up."""
    long = {"l": list(range(300_000))}

    assert truth_of("length(l[?@ == `1`]) > `0`", long, seconds=0.001) == "error"
    assert truth_of("length(l[?@ == `1`]) > `0`", long, seconds=60) == "true"


@pytest.mark.parametrize(
    ("hours", "zone", "expected"),
    [
        ("09:00-18:00", None, True),
        ("12:00-13:00", None, True),
        ("11:00-12:00", None, False),
        ("22:00-06:00", None, False),
        ("18:00-12:30", None, True),
        ("09:00-18:00", "Asia/Shanghai", False),
        ("20:00-21:00", "Asia/Shanghai", True),
        ("20:00-24:00", "Asia/Shanghai", True),
    ],
)
def test_hours(hours: str, zone: str | None, expected: bool) -> None:
    """Hours are of the zone that is named, else of the host's; they may go over midnight."""
    expr = f"hour_in('{hours}')" if zone is None else f"hour_in('{hours}', '{zone}')"

    assert value_of(expr, now=NOON) is expected
    if zone is not None:
        assert value_of(f"hour_in('{hours}')", now=NOON, timezone=zone) is expected


@given(st.text(), st.text(max_size=5))
def test_percent_is_the_same_for_a_key(key: str, salt: str) -> None:
    """A key has one number from 0 up to 100, whenever and wherever it is asked."""
    frame = Frame({})
    number = percent(frame, key, salt)

    assert number is not None
    assert 0 <= number < 100
    assert percent(Frame({}), key, salt) == number


def test_percent_is_even_and_salts_draw_anew() -> None:
    """About a fifth of the keys is below 20, and another salt takes others."""
    frame = Frame({})
    keys = [f"user-{number}" for number in range(5_000)]
    below = {key for key in keys if (percent(frame, key) or 0) < 20}
    others = {key for key in keys if (percent(frame, key, "other") or 0) < 20}

    assert 800 < len(below) < 1_200
    assert 100 < len(below & others) < 320
    assert percent(frame, "alice") == 7.16


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"metadata": {"mentions_bot": True}}, True),
        ({"metadata": {"mentions_bot": "yes"}}, False),
        ({"bot_id": "7", "input": {"contents": [{"type": "mention", "actor": {"actor_id": "7"}}]}}, True),
        ({"bot_id": "7", "input": {"contents": [{"type": "mention", "actor": {"actor_id": "8"}}]}}, False),
        ({"bot_id": None, "input": {"contents": [{"type": "mention", "actor": {"actor_id": None}}]}}, False),
        ({"bot_id": "7", "input": {"contents": [5, {"type": "mention"}]}}, False),
        ({"metadata": 5, "input": 7}, False),
        ({}, False),
    ],
)
def test_mentions_bot(event: dict[str, Any], expected: bool) -> None:
    """The adapter says it in the metadata, or a part of the message names the bot."""
    assert value_of("mentions_bot()", event) is expected
