"""Filters: true, false or an error, on any expression and any event."""

import time
from typing import Any

import jmespath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.framework.filters import (
    FilterSyntaxError,
    LegResult,
    Truth,
    compile_filter,
    evaluate_all,
    evaluate_leg,
)

EVENT: dict[str, Any] = {
    "actor": {"actor_id": "u1", "roles": ["admin", "user"]},
    "input": {"text": "hello"},
    "metadata": {"n": 1, "flag": True, "list": [{"a": 1}, {"a": 2}]},
    "bot_id": None,
    "now": 0,
}


def truth(*filters: str) -> Truth | None:
    """What the filters of a binding come out as."""
    result = evaluate_all([compile_filter(text) for text in filters], EVENT)
    return None if result is None else result.truth


def legs(text: str) -> list[tuple[str, int]]:
    """The top-level conjuncts and where they begin."""
    return [(leg.text, leg.offset) for leg in compile_filter(text).legs]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["actor.actor_id == 'u1'"], "true"),
        (["actor.actor_id == 'u2'"], "false"),
        (["actor.actor_id"], "error"),
        (["bot_id"], "error"),
        (["abs(input.text) > `0`"], "error"),
        (["contains(input.text)"], "error"),
        (["contains(input.text, 'ell')", "metadata.n == `1`"], "true"),
        (["metadata.flag == `1`"], "false"),
        (["metadata.flag"], "true"),
        (["bot_id == null"], "true"),
        (["length(metadata.list[?a > `1`]) == `1`"], "true"),
        ([], None),
    ],
)
def test_truth(filters: list[str], expected: Truth | None) -> None:
    """A filter yields true, false or error; what is not a truth value is an error."""
    assert truth(*filters) == expected


TRUE, FALSE, ERROR = "metadata.flag", "bot_id == 'x'", "abs(input.text) == `1`"


@given(st.lists(st.sampled_from([TRUE, FALSE, ERROR]), min_size=1, max_size=5), st.booleans())
def test_false_beats_error(parts: list[str], joined: bool) -> None:
    """Any false makes false, else any error makes error, whatever their order, in one filter or many."""
    expected = "false" if FALSE in parts else "error" if ERROR in parts else "true"

    assert truth(*([" && ".join(parts)] if joined else parts)) == expected


def test_the_deciding_leg() -> None:
    """The result is about the first leg that is false, else the first that fails, with its place."""
    result = evaluate_all([compile_filter(f"{ERROR} && {FALSE} && bot_id == 'y'")], EVENT)

    assert result is not None
    assert (result.leg.text, result.leg.offset) == (FALSE, len(ERROR) + 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a && b", [("a", 0), ("b", 5)]),
        ("  a&&b  ", [("a", 2), ("b", 5)]),
        ("a || b && c", [("a || b && c", 0)]),
        ("a && b | c", [("a && b | c", 0)]),
        ("(a && b) && c", [("a", 1), ("b", 6), ("c", 12)]),
        ("x[?a && b] && c", [("x[?a && b]", 0), ("c", 14)]),
        ("x[] && y[*].z && w[0:2]", [("x[]", 0), ("y[*].z", 7), ("w[0:2]", 17)]),
        ("map(&a, b) && 'c && d' == e", [("map(&a, b)", 0), ("'c && d' == e", 14)]),
        ("{a: b, c: d} && [a, b]", [("{a: b, c: d}", 0), ("[a, b]", 16)]),
        ('`{"a": "&& ]"}` == b && c', [('`{"a": "&& ]"}` == b', 0), ("c", 24)]),
    ],
)
def test_conjuncts(text: str, expected: list[tuple[str, int]]) -> None:
    """The top-level conjuncts are those outside of brackets, unless an `||` or `|` holds them together."""
    assert legs(text) == expected


@pytest.mark.parametrize(
    ("text", "offset"),
    [("a &&", 3), ("a == ", 4), ("a = 'b'", 2), ("a.b.", 3), ("a[?b == 'c'", 10), ("'open", 0), ("a b", 2)],
)
def test_syntax_errors_name_the_place(text: str, offset: int) -> None:
    """An expression that cannot be read says where, inside of the text."""
    with pytest.raises(FilterSyntaxError) as caught:
        compile_filter(text)

    assert caught.value.offset == offset


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1500 + "a" + ")" * 1500,
        "!" * 4000 + "a",
        " || ".join(["a == 'b'"] * 400),
        " | ".join(["[@, @][]"] * 12),
        " | ".join(["[@, @]"] * 400),
        "to_string([" * 30 + "@" + "])" * 30,
        "map(&[@, @, @, @], " * 20 + "x" + ")" * 20,
        "[" * 2000,
        "a" + "[*]" * 1300,
    ],
)
def test_bombs(text: str) -> None:
    """An expression that would take for ever or the whole stack is refused, or does its work at once."""
    begin = time.perf_counter()
    try:
        compiled = compile_filter(text)
    except FilterSyntaxError:
        pass
    else:
        assert evaluate_all([compiled], EVENT) is not None
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize("text", [" || ".join(["a == 'b'"] * 400), "!" * 300 + "a"])
def test_depth(text: str) -> None:
    """An expression that is deeper than a stack allows from anywhere is refused when it is read."""
    with pytest.raises(FilterSyntaxError, match="it is nested too deeply"):
        compile_filter(text)


@pytest.mark.parametrize(
    "expr", ["metadata", "metadata == metadata", "to_string(metadata) == 'x'", "lower(metadata)"]
)
def test_depth_of_an_event(expr: str) -> None:
    """However deep an event is, its filters are true, false or an error, with a short reason."""
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    result = evaluate_all([compile_filter(expr)], {"metadata": deep})

    assert result is not None
    assert result.truth in {"true", "false", "error"}
    assert len(result.reason or "") <= 300


@pytest.mark.parametrize(
    "value",
    ["x" * 5_000_000, list(range(500_000)), 10**5_000, {"k": ["x" * 10_000] * 500}],
    ids=["text", "list", "number", "object"],
)
def test_a_value_that_is_no_truth_value_is_told_in_short(value: Any) -> None:
    """Of a long value the reason has the beginning."""
    result = evaluate_all([compile_filter("metadata")], {"metadata": value})

    assert result is not None
    assert (result.truth, result.value) == ("error", value)
    assert (result.reason or "").startswith("gives ")
    assert len(result.reason or "") < 120


def test_half_a_character() -> None:
    """A literal can make half a character; the reason that names it is whole text."""
    result = evaluate_all([compile_filter('not_null(`"\\ud800"`)')], EVENT)

    check_result(result)
    assert result is not None
    assert "\\ud800" in (result.reason or "")


def test_growth_that_is_meant() -> None:
    """An ordinary expression that rearranges what it looks at is not taken for a bomb."""
    text = "metadata.list[*].[a, a] | [0] | contains(@, `1`)"

    assert truth(text) == "true"
    assert truth("length([actor.roles, ['a', 'b', 'c']] | []) == `5`") == "true"


def test_same_result_from_any_depth_of_the_stack() -> None:
    """An expression that compiles does not come out as an error because its caller is deep in the stack."""
    compiled = compile_filter(" || ".join(["bot_id == 'b'"] * 150) + " || metadata.flag")

    def deep(levels: int) -> Truth:
        return evaluate_leg(compiled.legs[0], EVENT).truth if levels == 0 else deep(levels - 1)

    assert deep(0) == deep(200) == "true"


NAMES = st.sampled_from(["actor", "actor_id", "input", "text", "metadata", "list", "a", '"x y"', "@"])
LITERALS = st.sampled_from(["'u1'", "`1`", "`true`", "`null`", "`[1, 2]`", '`"\\ud800"`', "`1e400`", "`{}`"])
FUNCTIONS = ("abs", "length", "contains", "join", "sort_by", "to_string", "max_by", "keys", "sum", "not_null")


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(
            inner, st.sampled_from([".", " == ", " < ", " && ", " || ", " | ", ", ", "[*]."]), inner
        ).map("".join),
        st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda pair: f"{pair[0]}({pair[1]})"),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"!{text}"),
        inner.map(lambda text: f"[{text}]"),
        inner.map(lambda text: f"metadata.list[?{text}]"),
        inner.map(lambda text: f"{text}[]"),
        inner.map(lambda text: f"&{text}"),
        inner.map(lambda text: f"{{k: {text}}}"),
    )


EXPRESSIONS = st.recursive(NAMES | LITERALS, _combine, max_leaves=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
EVENTS = st.fixed_dictionaries({"actor": JSON, "input": JSON, "metadata": JSON, "now": st.just(0)})


def check_result(result: LegResult | None) -> None:
    """An answer that can be stored: a truth, with a reason in whole characters for an error alone."""
    assert result is not None
    assert result.truth in ("true", "false", "error")
    assert (result.reason is not None) == (result.truth == "error")
    assert (result.reason or "").encode().decode() == (result.reason or "")
    assert len(result.reason or "") <= 400


@settings(max_examples=600, deadline=None)
@given(st.one_of(EXPRESSIONS, st.text(max_size=30)), EVENTS)
def test_total(text: str, event: dict[str, Any]) -> None:
    """Whatever the expression and the event, there is an answer that can be stored, and no exception."""
    try:
        compiled = compile_filter(text)
    except FilterSyntaxError as refused:
        place = refused.offset
    else:
        place = 0
        check_result(evaluate_all([compiled], event))

    assert 0 <= place <= len(text)


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS, EVENTS)
def test_legs_are_the_whole(text: str, event: dict[str, Any]) -> None:
    """A filter whose legs are all true is true as a whole, and each leg stands in it where it says."""
    try:
        compiled = compile_filter(text)
    except FilterSyntaxError:
        return
    results = [evaluate_leg(leg, event) for leg in compiled.legs]
    whole = jmespath.compile(f"({text})")

    assert all(text.startswith(leg.text, leg.offset) for leg in compiled.legs)
    if all(result.truth == "true" for result in results):
        assert whole.search(event) is True


def test_unknown_function_is_refused_at_load() -> None:
    """A function that is not there is refused with its place and the nearest name."""
    with pytest.raises(FilterSyntaxError, match=r"'contain' \(did you mean 'contains'\?\)") as caught:
        compile_filter("a == 'x' && contain(b, 'y')")

    assert (caught.value.offset, caught.value.width) == (12, 7)
