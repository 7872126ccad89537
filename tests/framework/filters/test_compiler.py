"""The compiler: an expression as functions, and always what jmespath's interpreter says."""

import json
from pathlib import Path
from typing import Any

import jmespath
import pytest
from hypothesis import given, settings

from langbot_agents.framework.filters import STANDARD, FilterSyntaxError, Frame, parse
from langbot_agents.framework.filters.compiler import compile_node

from .expressions import events, expressions

CASES = Path(__file__).parents[4] / "shared/data/jmespath-compliance"
ERROR = object()
"""What an expression gives that cannot be evaluated."""


def ours(expr: str, document: Any) -> Any:
    """What the compiled expression gives."""
    node = parse(expr)
    try:
        return compile_node(node, STANDARD)(document, Frame(document, seconds=60))
    except Exception:
        return ERROR


def theirs(expr: str, document: Any) -> Any:
    """What the interpreter gives."""
    try:
        return jmespath.compile(expr).search(document)
    except Exception:
        return ERROR


def same(first: Any, second: Any) -> bool:
    """Equal as JSON: `1`, `1.0` and `true` are three values."""
    if first is ERROR or second is ERROR:
        return first is second
    return json.dumps(first, default=repr) == json.dumps(second, default=repr)


def official_cases() -> list[Any]:
    """Every case of the official suite, by file and expression."""
    return [
        pytest.param(suite["given"], case, id=f"{file.stem}-{case['expression']}"[:80])
        for file in sorted(CASES.glob("*.json"))
        for suite in json.loads(file.read_text())
        for case in suite["cases"]
    ] or [pytest.param(None, None, marks=pytest.mark.skip(reason=f"no compliance cases in {CASES}"))]


@pytest.mark.parametrize(("given_", "case"), official_cases())
def test_official_case(given_: Any, case: dict[str, Any]) -> None:
    """Each official case gives its result, or its error when it is read or when it is evaluated."""
    expr = case["expression"]
    if "error" in case:
        try:
            got = ours(expr, given_)
        except FilterSyntaxError:
            return
        # the interpreter reads a few of these as it likes, and the compiler as it does
        assert got is ERROR or same(got, theirs(expr, given_))
    elif "result" in case:
        assert same(ours(expr, given_), case["result"])
    else:  # a benchmark
        assert same(ours(expr, given_), theirs(expr, given_))


@settings(max_examples=1_500, deadline=None)
@given(expressions, events)
def test_the_compiler_is_the_interpreter(expr: str, event: dict[str, Any]) -> None:
    """Whatever the expression and the event, the functions give what the interpreter gives, or both fail."""
    try:
        parse(expr)
    except FilterSyntaxError:
        return

    assert same(ours(expr, event), theirs(expr, event))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("`0`", "`false`", False),
        ("`1`", "`true`", False),
        ("`1`", "`1.0`", True),
        ("'1'", "`1`", False),
        ("`[0]`", "`[false]`", True),
        ("`null`", "missing", True),
    ],
)
def test_equality(first: str, second: str, expected: bool) -> None:
    """A number is never a truth value; inside of lists jmespath does not look, and neither do we."""
    assert ours(f"{first} == {second}", {}) is expected
    assert ours(f"{second} == {first}", {}) is expected
    assert ours(f"{first} != {second}", {}) is not expected
    assert theirs(f"{first} == {second}", {}) is expected


def test_the_parser_is_jmespaths() -> None:
    """The tree is jmespath's own, and each part stands where it says."""

    def shape(node: Any) -> Any:
        children = tuple(node.value) if node.kind == "slice" else tuple(shape(item) for item in node.children)
        return node.kind, None if node.kind == "slice" else node.value, children

    def their_shape(node: Any) -> Any:
        if node["type"] == "slice":
            return "slice", None, tuple(node["children"])
        return node["type"], node.get("value"), tuple(their_shape(item) for item in node["children"])

    for expr in (
        "a.b[?c == 'x'].d | [0]",
        "!(a && b) || c[1:2:-1]",
        "{x: a, y: [b, `1`]}",
        "sort_by(a, &b.c)",
    ):
        assert shape(parse(expr)) == their_shape(jmespath.compile(expr).parsed)
        for node in parse(expr).walk():
            text = expr[node.start : node.end]
            if node.kind in {"field", "literal", "function_expression", "comparator"} and text:
                assert shape(parse(text)) == shape(node)


def test_what_jmespath_refuses_is_refused() -> None:
    """What cannot be read is refused with a place inside of the text."""
    for expr in ("a ==", "a.b)", "'x", "a[?b", "foo(", "`wat`"):
        with pytest.raises(FilterSyntaxError) as caught:
            parse(expr)
        assert 0 <= caught.value.offset <= len(expr)
