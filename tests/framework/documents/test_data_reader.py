"""Reading without places is the same reading."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from langbot_agents.framework.documents import SourceDocument, read_source
from langbot_agents.framework.documents.data_reader import read_data
from langbot_agents.framework.documents.source import BREAK, DocumentReader

from .test_laws import YAML_BITS

PARTS = st.lists(
    st.sampled_from(
        [
            "a: 1\n",
            "b: [x, 'y', 2.5]\n",
            "# c\n",
            "\n",
            "---\n",
            "...\n",
            "c:\n  - d: on\n",
            "e: |\n  t\n\n",
            'f: "\\t"\n',
            "g: ~\n",
            "a: 2\n",
            "1: x\n",
            "退: {h: [], i: {}}\n",
            "- x\n",
            "j: 0x1f\n",
            "  k: l\n",
        ]
    ),
    max_size=12,
).map("".join)


def facts(document: SourceDocument) -> list[Any]:
    """What is known of a document, the places of all its values among it."""
    marks = []

    def walk(data: Any, path: tuple[str | int, ...]) -> None:
        marks.append((path, document.mark(path), document.key_mark(path), document.raw(path)))
        items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
        for key, item in items:
            walk(item, (*path, key))

    walk(document.data, ())
    return [repr(document.data), document.line, document.text, document.findings, marks]


@settings(max_examples=500)
@given(YAML_BITS | PARTS)
@example("a: 1\n---\n# c\nb: 2\n...\n\n---\nc: [1,\n 2]")
def test_read_the_same(text: str) -> None:
    """What is read without its places is what the builder reads, and nothing is wrong with it."""
    read = read_data(text)
    if read:
        quick = read_source(text, "a.yaml").documents
        builder = DocumentReader("a.yaml", BREAK.split(text))
        builder.read(text)

        assert [each.data for each in read] == [document.data for document in quick]
        assert list(map(facts, builder.documents)) == list(map(facts, quick))
        assert all(document.findings == () for document in quick)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: 1\na: 2\n",
        "1: a\n",
        "? [a]\n: b\n",
        "<<: a\n",
        ": a\n",
        "a: 99999999999999999999\n",
        'a: "\\0"\n',
        "a: [\n",
        "x\n",
        "[" * 65 + "]" * 65,
        "[" + "1," * 100_000 + "]",
    ],
)
def test_left_to_the_builder(text: str) -> None:
    """Whatever is refused or rare is not read without its places."""
    assert read_data(text) is None
