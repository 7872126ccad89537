"""One YAML document from parser events: plain data, places, and what strict YAML refuses."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from langbot_agents.framework.texts import t

from .findings import Path
from .scalars import NumberRefusedError, plain

MAX_DEPTH = 64
MAX_NODES = 100_000
MAX_CHARACTERS = 4 * 1024**2
"""Bounds of one document with its aliases written out, and of what the aliases of one file add."""

_CORE_TAG = "tag:yaml.org,2002:"


class Node(NamedTuple):
    """Where a value stands (from 1), how wide it is on its first line, and the nodes inside it."""

    line: int
    column: int
    width: int
    children: "dict[str, tuple[Node, Node]] | list[Node] | None" = None


class Problem(NamedTuple):
    """What strict YAML refuses, before it is a finding."""

    code: str
    node: Node
    path: Path
    message: str
    remedy: str | None = None
    value: Any = None


class StopDocument(Exception):
    """The document goes over a bound; nothing more of it is read."""


class Budget:
    """What the aliases of one file may still add, so that many small documents cannot add up."""

    __slots__ = ("characters", "nodes")

    def __init__(self) -> None:
        self.nodes = MAX_NODES
        self.characters = MAX_CHARACTERS

    def spend(self, nodes: int, characters: int) -> bool:
        """Take away; false when nothing is left."""
        self.nodes -= nodes
        self.characters -= characters
        return self.nodes >= 0 and self.characters >= 0


class _Built(NamedTuple):
    """A finished value with its size, aliases written out."""

    value: Any
    node: Node
    nodes: int
    characters: int
    height: int
    raw: str | None


class _Frame:
    """A list or mapping that is still open."""

    __slots__ = (
        "anchor",
        "characters",
        "children",
        "drop",
        "height",
        "key",
        "key_node",
        "node",
        "nodes",
        "value",
    )

    def __init__(self, value: Any, children: Any, node: Node, anchor: str | None) -> None:
        self.value = value
        self.children = children
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_node = node
        self.drop = False
        self.nodes = 1
        self.characters = 0
        self.height = 1

    @property
    def takes_value(self) -> bool:
        """Whether what comes next is a value, not a key."""
        return self.key is not None or type(self.value) is list


class Builder:
    """Takes the events of one document; `data`, `root` and `problems` are what comes out."""

    def __init__(self, line_offset: int, lines: Sequence[str], budget: Budget) -> None:
        self.data: Any = None
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._offset = line_offset
        self._lines = lines
        self._budget = budget
        self._stack: list[_Frame] = []
        self._anchors: dict[str, _Built | None] = {}
        self._nodes = 0

    @property
    def empty(self) -> bool:
        """Whether the document has no content at all."""
        return self.root is None

    @property
    def opened_at(self) -> tuple[int, int] | None:
        """Line and column, from 0, of the innermost list or mapping that is still open."""
        if not self._stack:
            return None
        node = self._stack[-1].node
        return node.line - 1, node.column - 1

    def path(self) -> Path:
        """The place of the value that comes next."""
        steps = (len(frame.value) if isinstance(frame.value, list) else frame.key for frame in self._stack)
        return tuple(step for step in steps if step is not None)

    def scalar(self, event: Any) -> None:
        """A text, number, truth value or null."""
        text: str = event.value
        node = self._node(event)
        value: Any = text
        unquoted = event.implicit[0]
        if event.tag is not None:
            self._refuse_tag(event.tag, node)
        elif unquoted:
            if text == "" and not self._stack and event.anchor is None:
                return  # an empty document
            try:
                value = plain(text)
            except NumberRefusedError:
                self._report(
                    "LBA110",
                    node,
                    t("the number {text} cannot be kept exactly", text=_shorten(text)),
                    t('quote it if it is text: "{text}"', text=_shorten(text)),
                    text,
                )
        elif event.style == '"' and not storable(text):
            self._report(
                "LBA103", node, t("the text holds a NUL or half a character"), t("remove the escape"), None
            )
        if event.anchor is None and self._stack and self._stack[-1].takes_value:
            self._take(self._stack[-1], value, node, len(text))
            return
        built = _Built(value, node, 1, len(text), 0, text)
        self._anchor(event.anchor, built)
        self._put(built, unquoted)

    def open(self, event: Any, is_list: bool) -> None:
        """A list or a mapping begins."""
        node = self._node(event)
        if event.tag is not None:
            self._refuse_tag(event.tag, node)
        if len(self._stack) >= MAX_DEPTH:
            self._stop(node, t("nested deeper than {count} levels", count=MAX_DEPTH))
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        frame = _Frame([], [], node, event.anchor) if is_list else _Frame({}, {}, node, event.anchor)
        self._stack.append(frame)

    def close(self, event: Any) -> None:
        """The innermost list or mapping ends."""
        frame = self._stack.pop()
        start, end = frame.node, event.end_mark
        width = end.column + 1 - start.column if end.line + 1 + self._offset == start.line else start.width
        node = Node(start.line, start.column, max(width, 1), frame.children)
        built = _Built(frame.value, node, frame.nodes, frame.characters, frame.height, None)
        self._anchor(frame.anchor, built)
        self._put(built, unquoted=False)

    def alias(self, event: Any) -> None:
        """A value that was written before under an anchor."""
        node = self._node(event)
        name: str = event.anchor
        anchored = self._anchors.get(name)
        if anchored is None:
            if name in self._anchors:
                self._report(
                    "LBA109", node, t("the alias {name!r} holds itself", name="*" + name), t("write it out")
                )
            else:
                self._report(
                    "LBA109",
                    node,
                    t("no anchor {name!r} above", name="&" + name),
                    t("text that begins with {char!r} must be quoted", char="*"),
                )
            self._put(_Built(None, node, 1, 0, 0, None), unquoted=False)
            return
        if len(self._stack) + anchored.height > MAX_DEPTH:
            self._stop(node, t("nested deeper than {count} levels", count=MAX_DEPTH))
        if not self._budget.spend(anchored.nodes, anchored.characters):
            self._stop(node, t("the aliases of the file add more than {count} values", count=MAX_NODES))
        self._nodes += anchored.nodes - 1
        self._put(anchored._replace(node=node._replace(children=anchored.node.children)), unquoted=False)

    def _node(self, event: Any) -> Node:
        start, end = event.start_mark, event.end_mark
        line = start.line + self._offset
        if start.line == end.line and end.column > start.column:
            return Node(line + 1, start.column + 1, end.column - start.column)
        rest = len(self._lines[line]) - start.column if line < len(self._lines) else 1
        return Node(line + 1, start.column + 1, max(rest, 1))

    def _anchor(self, name: str | None, built: _Built) -> None:
        if name is not None:
            self._anchors[name] = built

    def _take(self, frame: _Frame, value: Any, node: Node, characters: int) -> None:
        """The same as `_put` for most values: one that nothing is in, in its list or behind its key."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._stop(node, t("more than {count} values in one document", count=MAX_NODES))
        frame.nodes += 1
        frame.characters += characters
        if frame.key is None:
            frame.value.append(value)
            frame.children.append(node)
            return
        if not frame.drop:
            frame.value[frame.key] = value
            frame.children[frame.key] = (frame.key_node, node)
        frame.key = None

    def _put(self, built: _Built, unquoted: bool) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._stop(built.node, t("more than {count} values in one document", count=MAX_NODES))
        if not self._stack:
            self.data, self.root = built.value, built.node
            return
        frame = self._stack[-1]
        frame.nodes += built.nodes
        frame.characters += built.characters
        frame.height = max(frame.height, built.height + 1)
        if isinstance(frame.value, list):
            frame.value.append(built.value)
            frame.children.append(built.node)
        elif frame.key is None:
            self._key(frame, built, unquoted)
        else:
            if not frame.drop:
                frame.value[frame.key] = built.value
                frame.children[frame.key] = (frame.key_node, built.node)
            frame.key = None

    def _key(self, frame: _Frame, built: _Built, unquoted: bool) -> None:
        key = built.value
        frame.drop = True
        if not isinstance(key, str):
            self._refuse_key(built)
        elif unquoted and key == "<<":
            self._report("LBA107", built.node, t("merge keys are not read"), t("write the keys out"), key)
        elif key in frame.value:
            first = frame.children[key][0].line
            self._report(
                "LBA105",
                built.node,
                t("key {key!r} is given twice; first in line {line}", key=_shorten(key), line=first),
                t("remove one of them"),
                key,
            )
        else:
            frame.drop = False
        frame.key = key if isinstance(key, str) else (built.raw or "?")
        frame.key_node = built.node

    def _refuse_key(self, built: _Built) -> None:
        if built.raw is None:
            char = "{" if isinstance(built.value, dict) else "["
            self._report(
                "LBA106",
                built.node,
                t("a list or mapping cannot be a key"),
                t("text that begins with {char!r} must be quoted", char=char),
            )
        elif not built.raw:
            self._report("LBA106", built.node, t("an empty key"), t("write the key before the ':'"))
        else:
            self._report(
                "LBA106",
                built.node,
                t("key {key} is not text", key=_shorten(built.raw)),
                t('quote it: "{text}"', text=_shorten(built.raw)),
                built.value,
            )

    def _refuse_tag(self, tag: str, node: Node) -> None:
        written = "!!" + tag.removeprefix(_CORE_TAG) if tag.startswith(_CORE_TAG) else tag
        self._report(
            "LBA108",
            node,
            t("the tag {tag!r} is not read", tag=_shorten(written)),
            t("remove it; text that begins with '!' must be quoted"),
            written,
        )

    def _report(
        self, code: str, node: Node, message: str, remedy: str | None = None, value: Any = None
    ) -> None:
        self.problems.append(Problem(code, node, self.path(), message, remedy, value))

    def _stop(self, node: Node, message: str) -> None:
        self._report("LBA104", node, message, t("split it, or write less"))
        raise StopDocument


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def storable(text: str) -> bool:
    """Whether text can be stored anywhere: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        return False
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
