"""Strict YAML: what scalars mean, where values stand, and what is bounded."""

import time
from typing import Any

import pytest

from langbot_agents.framework.documents import SourceDocument, read_source


def read(text: str) -> SourceDocument:
    """The only document of a text."""
    (document,) = read_source(text, "a.yaml").documents
    return document


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("on", "on"),
        ("no", "no"),
        ("NO", "NO"),
        ("yes", "yes"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0123", 123),
        ("-5", -5),
        ("+5", 5),
        ("12_34", "12_34"),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("12:30:45", "12:30:45"),
        ("2026-01-31", "2026-01-31"),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        ("9223372036854775807", 2**63 - 1),
        ("'5'", "5"),
        ('"5"', "5"),
        ('"\\u9000"', "退"),
        ("=", "="),
    ],
)
def test_scalars(written: str, expected: Any) -> None:
    """Scalars are read as YAML 1.2."""
    if written == "-":
        written = "'-'"
    document = read(f"a: {written}\n")

    assert document.findings == ()
    assert {"a": expected} == document.data
    assert type(expected) is type(document.data["a"])


def test_places() -> None:
    """Every key and value knows its line and column."""
    document = read("# c\nkind: x\nfilters:\n  - a: 1\n    'b': [2, 3]\n")

    assert document.mark(("kind",)) == (2, 7)
    assert document.key_mark(("filters",)) == (3, 1)
    assert document.mark(("filters", 0, "a")) == (4, 8)
    assert document.key_mark(("filters", 0, "b")) == (5, 5)
    assert document.mark(("filters", 0, "b", 1)) == (5, 14)
    assert document.mark(("filters", 0, "gone", "further")) == (4, 5)
    assert document.raw(("filters", 0, "b", 1)) == "3"


@pytest.mark.parametrize("end", ["\n", "", "\n...\n", "\n# c"])
def test_places_are_found_again(end: str) -> None:
    """Places that were dropped to save memory are the same when somebody asks for them."""
    text = "a: 1\n---\n# c\nb: [1,\n  {c: 2}]\n---\n\nd:\n  e: 3" + end
    documents = read_source(text, "a.yaml").documents
    paths = (("a",), ("b", 1, "c"), ("d", "e"))
    before = [document.mark(path) for document in documents for path in paths]
    for document in documents:
        document.forget_places()

    assert before == [document.mark(path) for document in documents for path in paths]
    assert (before[4], before[8]) == ((5, 7), (9, 6))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: actr.id == 'x'\n", (1, 6)),
        ('a: "actr.id"\n', (1, 7)),
        ('a: "\\\\\\u9000.id"\n', (1, 13)),
        ("a: 'it''s'\n", (1, 7)),
        ("a: |\n    actr.id\n", (2, 7)),
        ("a: |\n  x\n  yz\n", (3, 3)),
        ("a: >\n  actr.id\n", (1, 4)),
        ("a: &x actr.id\n", (1, 9)),
    ],
)
def test_position_in_text(text: str, expected: tuple[int, int]) -> None:
    """A character of a text is found in the file, through quotes, escapes and blocks."""
    assert expected == read(text).position_in(("a",), 2)


def test_several_documents() -> None:
    """One file holds one or more documents; empty ones are skipped."""
    source = read_source("---\n---\na: 1\n---\n# only a comment\n...\n---\nb: 2\n", "a.yaml")

    assert [document.data for document in source.documents] == [{"a": 1}, {"b": 2}]
    assert [document.line for document in source.documents] == [3, 8]


def test_a_broken_document_hides_no_other() -> None:
    """One bad document stays alone, however its text is broken."""
    source = read_source("a: 1\n---\nb: [\n---\nc: 3\n---\n@\n---\n\td: 4\n---\ne: 5\n", "a.yaml")

    assert [document.data for document in source.documents] == [
        {"a": 1},
        None,
        {"c": 3},
        None,
        None,
        {"e": 5},
    ]
    assert [len(document.findings) for document in source.documents] == [0, 1, 0, 1, 1, 0]
    assert [f.line for document in source.documents for f in document.findings] == [3, 7, 9]


def test_text_behind_a_document_breaks_it() -> None:
    """A document with stray text behind it does not run as if nothing were there."""
    (document,) = read_source("{a: 1}}\n", "a.yaml").documents

    assert document.data is None


def test_aliases() -> None:
    """An alias stands for what its anchor named; its place is its own."""
    document = read("a: &x {b: 1}\nc: *x\n")

    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}
    assert document.mark(("c",)) == (2, 4)
    assert document.mark(("c", "b")) == (1, 11)


def test_first_of_two_keys_stays() -> None:
    """A repeated key is an error at the second place, which names the first."""
    document = read("a: 1\nb: 2\na: 3\n")

    assert document.data == {"a": 1, "b": 2}
    assert [finding.message for finding in document.findings] == ["key 'a' is given twice; first in line 1"]


BILLION_LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 10)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
LONG_ALIASES = "a: &a " + "x" * 10_000 + "\nb: [" + ",".join(["*a"] * 1000) + "]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 65 + "]" * 65, "nested deeper than 64 levels"),
        ("[" * 100_000, "nested deeper than 64 levels"),
        ("- " * 50_000 + "a", "nested deeper than 64 levels"),
        ("{a: " * 100_000, "nested deeper than 64 levels"),
        (
            "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 40 + "*a" + "]" * 40,
            "nested deeper than 64 levels",
        ),
        ("[" + "1," * 100_000 + "]", "more than 100000 values in one document"),
        (BILLION_LAUGHS, "the aliases of the file add more than 100000 values"),
        (LONG_ALIASES, "the aliases of the file add more than 100000 values"),
        ("x" * (4 * 1024**2 + 1), "the file is larger than 4194304 bytes"),
    ],
    ids=["65", "flow", "block", "mapping", "alias", "nodes", "laughs", "long", "size"],
)
def test_bounds(text: str, expected: str) -> None:
    """Alias expansion, depth and size are bounded, and the bound is found quickly."""
    started = time.perf_counter()
    source = read_source(text, "a.yaml")
    findings = [*source.findings, *(f for document in source.documents for f in document.findings)]

    assert [expected] == [finding.message for finding in findings]
    assert time.perf_counter() - started < 5


def test_many_small_expansions_are_bounded() -> None:
    """Aliases of many documents of one file cannot add up."""
    one = "a: &a [" + "x," * 200 + "]\nb: [" + "*a," * 200 + "]\n"
    source = read_source("---\n".join([one] * 20), "a.yaml")

    assert [bool(document.findings) for document in source.documents[:2]] == [False, False]
    assert all(document.findings for document in source.documents[2:])


def test_many_broken_documents_cost_one_pass() -> None:
    """A file of nothing but broken documents is read in time that grows with its size only."""
    started = time.perf_counter()
    source = read_source("---\n[\n" * 10_000, "a.yaml")

    assert len(source.documents) == 10_000
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize("one", ["---\na: 1\n", "---\n[\n"])
def test_documents_of_a_file_are_bounded(one: str) -> None:
    """A file holds a bounded number of documents; the rest is not read, and that is said."""
    source = read_source(one * 10_001, "a.yaml")

    assert len(source.documents) == 10_000
    assert [finding.message for finding in source.findings] == ["more than 10000 documents in one file"]


def test_repr_shows_no_values() -> None:
    """What stands in a document may be secret; its repr says only where it is."""
    document = read("api_key: sk-live-1234\n")

    assert repr(document) == "SourceDocument(a.yaml:1)"
