"""The catalogue of texts against the source.

A text reaches `t()` in one of three ways, all found here without running it: written in the call; in a
constant, or a dict of constants, whose name is in capitals; or handed on under a name that ends in `_text`,
to which it was given as a keyword.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest

from langbot_agents.framework.texts.zh_hans import TEXTS

ROOT = Path(__file__).parent.parent
FRAMEWORK = ROOT / "framework" / "langbot_agents" / "framework"
NONE: frozenset[str] = frozenset()
SOURCES = sorted(path for path in FRAMEWORK.rglob("*.py") if path.parent.name != "texts")


class Use(NamedTuple):
    """One place that says something."""

    place: str
    text: str | None
    """The text, or nothing where it cannot be read off the source."""
    given: frozenset[str] | None
    """The placeholders that the call fills, where they can be read off the source."""


def placeholders(text: str) -> frozenset[str] | None:
    """The names in braces; nothing where the text is not a format string."""
    try:
        return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
    except ValueError:
        return None


def strings(node: ast.expr) -> Iterator[str]:
    """The texts that an expression can be, as far as they are written out."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=orelse):
            yield from strings(body)
            yield from strings(orelse)
        case ast.Dict(values=values):
            for value in values:
                yield from strings(value)


def constants(tree: ast.AST) -> dict[str, list[str]]:
    """The texts of each constant in capitals."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name.isupper():
                found[name] = list(strings(value))
    return found


def texts_of(node: ast.expr, known: Mapping[str, list[str]]) -> list[str] | None:
    """The texts that `t()` gets by this expression; nothing where they cannot be told."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            one, other = texts_of(body, known), texts_of(orelse, known)
            return None if one is None or other is None else one + other
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [] if name.endswith("_text") else known.get(name)
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_]):
            return texts_of(table, known)
    return None


def is_t(node: ast.AST) -> bool:
    """Whether the node is the function `t`."""
    match node:
        case ast.Name(id="t") | ast.Attribute(value=ast.Name(id="texts"), attr="t"):
            return True
    return False


def uses(tree: ast.AST, path: str, known: Mapping[str, list[str]]) -> Iterator[Use]:
    """Every text of a module, and every call whose text cannot be told."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=func, args=[first, *_], keywords=keywords) if is_t(func):
                place = f"{path}:{node.lineno}"
                given = frozenset(word.arg for word in keywords if word.arg is not None) - {"lang"}
                fills = None if any(word.arg is None for word in keywords) else given
                found = texts_of(first, known)
                yield from [Use(place, text, fills) for text in found or []]
                if found is None:
                    yield Use(place, None, None)
            case ast.keyword(arg=str(name), value=value) if name.endswith("_text"):
                yield from [Use(f"{path}:{value.lineno}", text, None) for text in strings(value)]


def all_uses() -> list[Use]:
    """Every use in the framework."""
    trees = {str(path.relative_to(FRAMEWORK)): ast.parse(path.read_text("utf-8")) for path in SOURCES}
    known: dict[str, list[str]] = {}
    for tree in trees.values():
        known |= constants(tree)
    return [use for path, tree in trees.items() for use in uses(tree, path, known)]


def test_every_text_can_be_found() -> None:
    """`t()` is called with a text that is written in the source, not with one that is put together."""
    assert [use.place for use in all_uses() if use.text is None] == []


def test_every_text_is_translated() -> None:
    """Each text has its Chinese entry."""
    missing = {use.text: use.place for use in all_uses() if use.text is not None and use.text not in TEXTS}

    assert missing == {}


def test_no_entry_is_stale() -> None:
    """Each Chinese entry translates a text that the source says."""
    assert set(TEXTS) - {use.text for use in all_uses()} == set()


def test_placeholders() -> None:
    """A translation has the placeholders of its text."""
    assert [text for text, chinese in TEXTS.items() if placeholders(text) != placeholders(chinese)] == []


def test_calls_fill_their_placeholders() -> None:
    """A call fills exactly the placeholders of its text; one without values leaves braces as they are."""
    assert [use for use in all_uses() if use.text and use.given and placeholders(use.text) != use.given] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("t('no file {path!r}', path=p)", [Use("m:1", "no file {path!r}", frozenset({"path"}))]),
        ("texts.t('on' if x else 'off', lang=l)", [Use("m:1", "on", NONE), Use("m:1", "off", NONE)]),
        ("t('{a}', **values)", [Use("m:1", "{a}", None)]),
        ("REASONS = {'x': 'because'}\nt(REASONS[code])", [Use("m:2", "because", NONE)]),
        ("BUSY: Final = 'busy'\nt(BUSY)", [Use("m:2", "busy", NONE)]),
        ("say(note_text='{a} note')\nt(self.note_text)", [Use("m:1", "{a} note", None)]),
        ("t(f'no {thing}')", [Use("m:1", None, None)]),
        ("t(message)", [Use("m:1", None, None)]),
    ],
)
def test_how_texts_are_found(source: str, expected: list[Use]) -> None:
    """Texts are found in calls, constants and tables; a text that is put together is found out."""
    tree = ast.parse(source)

    assert list(uses(tree, "m", constants(tree))) == expected
