"""Expressions and events to try the compiler on, generated."""

from typing import Any

from hypothesis import strategies as st

NAMES = ("actor", "input", "metadata", "text", "a", "b", "list", "missing")
LITERALS = (
    "`1`",
    "`0`",
    "`true`",
    "`false`",
    "`null`",
    "'x'",
    "''",
    "'1'",
    '`[1, "a", null]`',
    '`{"a": 1}`',
    "`1.0`",
)
UNARY = (
    *("abs", "avg", "ceil", "floor", "keys", "length", "max", "min", "reverse", "sort", "sum", "to_array"),
    *("to_number", "to_string", "type", "values", "not_null", "merge"),
)

names = st.sampled_from(NAMES)
paths = st.lists(names, min_size=1, max_size=3).map(".".join)
atoms = st.one_of(paths, st.sampled_from(LITERALS), st.just("@"))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.one_of(inner, paths)
    comparator = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    unary = st.sampled_from(UNARY)
    binary = st.sampled_from(["contains", "starts_with", "ends_with", "join", "not_null", "merge"])
    by = st.sampled_from(["sort_by", "max_by", "min_by"])
    return st.one_of(
        st.tuples(one, comparator, one).map(lambda p: f"{p[0]} {p[1]} {p[2]}"),
        st.tuples(one, st.sampled_from(["&&", "||", "|"]), one).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        one.map(lambda p: f"!({p})"),
        st.tuples(unary, one).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(binary, one, one).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
        st.tuples(by, one, paths).map(lambda p: f"{p[0]}({p[1]}, &{p[2]})"),
        st.tuples(one, paths).map(lambda p: f"map(&{p[1]}, {p[0]})"),
        st.tuples(paths, one).map(lambda p: f"{p[0]}[?{p[1]}]"),
        st.tuples(paths, names).map(lambda p: f"{p[0]}[*].{p[1]}"),
        st.tuples(paths, names).map(lambda p: f"{p[0]}[].{p[1]} | [0]"),
        st.tuples(paths, names).map(lambda p: f"{p[0]}.*.{p[1]}"),
        st.tuples(paths, st.integers(-3, 3)).map(lambda p: f"{p[0]}[{p[1]}]"),
        st.tuples(paths, st.sampled_from(["1:", ":2", "::-1", "::2", "-2:"])).map(
            lambda p: f"{p[0]}[{p[1]}]"
        ),
        st.tuples(one, one).map(lambda p: f"[{p[0]}, {p[1]}]"),
        st.tuples(paths, one).map(lambda p: f"{p[0]}.{{a: {p[1]}, b: @}}"),
    )


expressions: st.SearchStrategy[str] = st.recursive(atoms, _grown, max_leaves=8)
"""Expressions of every kind of part, most of which can be read."""

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | st.sampled_from(["", "x", "1", "hello x", "退款"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)

events: st.SearchStrategy[dict[str, Any]] = st.dictionaries(names, json_values, max_size=6)
