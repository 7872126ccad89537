"""Rules for paths, lists and objects: whether what a filter names is there."""

from collections.abc import Sequence

from ..texts import t
from .compiler import path_of
from .functions import type_name
from .rules import Rules
from .shapes import LOOSE, Shape, joined, of_list, of_types
from .suggest import as_text, called, fields_near, meant_path, near_function, quoted
from .syntax import Node

WORDS = frozenset({"true", "false", "null", "none", "True", "False", "None"})
"""Names that are meant as values."""


class PathRules(Rules):
    """What a path leads to."""

    def _field(self, node: Node, value: Shape) -> Shape:
        return self._walk(node, [node], value)

    def _subexpression(self, node: Node, value: Shape) -> Shape:
        fields: list[Node] = []
        rest: list[Node] = []
        for child in node.children:
            if path_of(child) is not None and not rest:
                fields += _fields(child)
            else:
                rest.append(child)
        if rest and rest[0].kind == "function_expression" and fields:
            return self._method(node, fields, rest[0])
        if rest and rest[0].kind == "not_expression" and not fields:
            text = self._text(node)
            self._note(
                "never",
                node,
                t("`!` takes only the next name, so this is always null"),
                t("write {text}", text=f"!({text.lstrip('! ')})"),
            )
            return LOOSE
        shape = self._walk(node, fields, value) if fields else value
        for child in rest:
            shape = self._infer(child, shape)
        return shape

    def _walk(self, node: Node, fields: Sequence[Node], value: Shape) -> Shape:
        """The shape at the end of a path; the first name that is not there is the problem."""
        shape = value
        for place, part in enumerate(fields):
            if shape.loose:
                return LOOSE
            inner = shape.properties.get(str(part.value))
            if inner is None:
                if "array" in shape.types and place:
                    self._of_list(fields, place)
                elif "object" not in shape.types or shape.closed:
                    self._unknown(node, fields, place, value)
                return LOOSE
            if inner.is_null and value is self._root:
                self._always_null(fields, place)
                return LOOSE
            shape = inner
        return shape

    def _always_null(self, fields: Sequence[Node], place: int) -> None:
        path = ".".join(str(part.value) for part in fields[: place + 1])
        where = Node(kind="field", start=fields[0].start, end=fields[place].end)
        message = t("{path!r} is always null in {type}", path=path, type=self._name)
        remedy = t("leave it out, or take event types that have it")
        self._note("unknown", where, message, remedy)

    def _of_list(self, fields: Sequence[Node], place: int) -> None:
        """`input.contents.type`, where the list has no field but its members do."""
        text = self._expr[fields[0].start : fields[place - 1].end]
        rest = self._expr[fields[place].start : fields[-1].end]
        self._note(
            "unknown",
            Node(kind="field", start=fields[0].start, end=fields[-1].end),
            t("{text} is a list, which has no fields", text=text),
            t("{text} is this of each member, as in contains({text}, 'x')", text=f"{text}[*].{rest}"),
        )

    def _unknown(self, node: Node, fields: Sequence[Node], place: int, value: Shape) -> None:
        first, last = fields[0], fields[-1]
        path = ".".join(str(part.value) for part in fields)
        text = self._expr[first.start : last.end]
        alone = len(fields) == 1
        if alone and text.startswith('"'):
            remedy = t("text stands in single quotes: {text}", text=quoted(str(first.value)))
            self._note("not_text", first, t("{text} is the name of a field, not a text", text=text), remedy)
            return
        if alone and path in WORDS:
            word = {"none": "null"}.get(path.lower(), path.lower())
            self._note(
                "not_text",
                first,
                t("{text} is the name of a field here, not a value", text=path),
                t("a value stands in backticks: `{word}`", word=word),
            )
            return
        wide = Node(kind="field", start=first.start, end=last.end)
        function = self._functions.get(path) if alone else None
        if function is not None:
            remedy = t("write {text}", text=function.usage())
            self._note("unknown", wide, t("{name} is a function", name=path), remedy)
            return
        if value is not self._root:
            shape = value
            for part in fields[:place]:
                shape = shape.properties[str(part.value)]
            names = ", ".join(shape.properties) or t("no fields")
            self._note(
                "unknown", wide, t("unknown field {path!r}", path=path), t("there is: {names}", names=names)
            )
            return
        meant = meant_path(path, self._root)
        prefix = (
            ".".join(str(part.value) for part in fields[:place])
            if meant is None
            else meant.rpartition(".")[0]
        )
        has = t("{type} has: {names}", type=self._name, names=fields_near(prefix, self._root))
        hint = t("  (did you mean {name!r}?)", name=meant) if meant else ""
        if meant is None and alone:
            hint = t("; a text stands in single quotes: {text}", text=quoted(path))
        self._note("unknown", wide, t("unknown field {path!r}", path=path), has + hint)

    def _method(self, node: Node, fields: Sequence[Node], call: Node) -> Shape:
        """`input.text.contains('x')`, as in other languages."""
        subject = self._expr[fields[0].start : fields[-1].end]
        before = len(self.problems)
        shape = self._walk(node, fields, self._root)
        if len(self.problems) > before:
            return LOOSE
        arguments = [as_text(self._text(child)) for child in call.children]
        name = call.value if self._functions.get(call.value) else near_function(call.value, self._functions)
        better = called(name or "contains", [subject, *arguments], of_text="array" not in shape.types)
        self._note("call", node, t("a function does not stand behind a dot"), t("write {text}", text=better))
        return LOOSE

    def _index_expression(self, node: Node, value: Shape) -> Shape:
        shape = value
        for child in node.children:
            if child.kind in {"index", "slice"}:
                if "array" not in shape.types:
                    self._note("never", node, t("{text} is no list", text=self._text(node.children[0])))
                    return LOOSE
                inner = shape.items or LOOSE
                shape = inner.with_null() if child.kind == "index" else of_list(inner)
            else:
                shape = self._infer(child, shape)
        return shape

    def _pipe(self, node: Node, value: Shape) -> Shape:
        first, second = node.children
        left = self._infer(first, value)
        if left.types == {"boolean"} and not any(part.kind == "current" for part in second.walk()):
            at = self._expr.rfind("|", first.end, second.start)
            self._note(
                "never",
                Node(kind="pipe", start=at, end=at + 1),
                t("`|` hands on what is on its left, and nothing takes it"),
                t("`or` is written {text}", text=f"{self._text(first)} || {self._text(second)}"),
            )
            return LOOSE
        return self._infer(second, left)

    def _current(self, _node: Node, value: Shape) -> Shape:
        return value

    def _identity(self, _node: Node, value: Shape) -> Shape:
        return value

    def _literal(self, node: Node, _value: Shape) -> Shape:
        kind = type_name(node.value)
        return Shape(frozenset({kind}), values=(node.value,) if kind == "string" else (), items=LOOSE)

    def _projection(self, node: Node, value: Shape) -> Shape:
        base = self._infer(node.children[0], value)
        if not base.loose and "array" not in base.types:
            self._note("never", node.children[0], t("{text} is no list", text=self._text(node.children[0])))
            return LOOSE
        return of_list(self._infer(node.children[1], base.items or LOOSE))

    def _filter_projection(self, node: Node, value: Shape) -> Shape:
        base = self._infer(node.children[0], value)
        if not base.loose and "array" not in base.types:
            self._note("never", node.children[0], t("{text} is no list", text=self._text(node.children[0])))
            return LOOSE
        items = base.items or LOOSE
        self._infer(node.children[2], items)
        return of_list(self._infer(node.children[1], items))

    def _value_projection(self, node: Node, value: Shape) -> Shape:
        self._infer(node.children[0], value)
        return of_list(LOOSE)

    def _flatten(self, node: Node, value: Shape) -> Shape:
        base = self._infer(node.children[0], value)
        return base if "array" in base.types else LOOSE

    def _multi_select_list(self, node: Node, value: Shape) -> Shape:
        return of_list(joined([self._infer(child, value) for child in node.children]))

    def _multi_select_dict(self, node: Node, value: Shape) -> Shape:
        for child in node.children:
            self._infer(child.children[0], value)
        return of_types("object")


def _fields(node: Node) -> list[Node]:
    return [node] if node.kind == "field" else [part for child in node.children for part in _fields(child)]
