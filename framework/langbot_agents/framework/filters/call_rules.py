"""Rules for functions: whether they are called as they want to be."""

from collections.abc import Sequence

from langbot_agents.schemas.units import check_zone

from ..texts import t
from .compiler import path_of
from .functions import FilterFunction, Parameter
from .own_functions import compiled_pattern, time_window
from .rules import Rules, kinds_of
from .shapes import LOOSE, Shape, joined, of_types
from .suggest import as_text, called, near_function
from .syntax import Node


class CallRules(Rules):
    """What a function gives, and what it does not take."""

    def _expref(self, node: Node, _value: Shape) -> Shape:
        self._infer(node.children[0], LOOSE)
        return Shape(frozenset({"expression"}))

    def _function_expression(self, node: Node, value: Shape) -> Shape:
        function = self._functions.get(node.value)
        shapes = [self._infer(child, value) for child in node.children]
        if function is None:
            self._no_function(node, shapes)
            return LOOSE
        if not function.accepts(len(node.children)):
            self._note(
                "call",
                node,
                t("{name}() does not take {count} arguments", name=function.name, count=len(node.children)),
                self._as_list(function, node) or t("it is written {usage}", usage=function.usage()),
            )
            return LOOSE
        for parameter, child, shape in zip(function.parameters, node.children, shapes, strict=False):
            self._argument(function, parameter, node, child, shape)
        self._literals(function, node)
        return self._returned(function, shapes)

    def _no_function(self, node: Node, shapes: Sequence[Shape]) -> None:
        name, inner = str(node.value), [self._text(child) for child in node.children]
        near = near_function(name, self._functions)
        if name.lower() == "not":
            near, remedy = "!", t("write {text}", text=f"!({', '.join(inner)})")
        elif near is not None and inner:
            may_be_null = shapes[0].nullable and "array" not in shapes[0].types
            better = called(near, [as_text(item) for item in inner], of_text=may_be_null)
            near, remedy = better.partition("(")[0], t("write {text}", text=better)
        else:
            remedy = t("docs/filters.md lists every function")
        hint = t(" (did you mean {name!r}?)", name=near) if near else ""
        message = t("there is no function {name!r}{hint}", name=name, hint=hint)
        self._note("call", node, message, remedy, width=len(name))

    def _as_list(self, function: FilterFunction, node: Node) -> str | None:
        """`contains_any(input.text, 'a', 'b')` with its texts in a list."""
        takes_list = [item.types == ("array",) for item in function.parameters]
        texts = [as_text(self._text(child)) for child in node.children]
        if (
            takes_list != [False, True]
            or not all(text.startswith("'") for text in texts[1:])
            or not texts[1:]
        ):
            return None
        return t("write {text}", text=f"{function.name}({texts[0]}, [{', '.join(texts[1:])}])")

    def _argument(
        self, function: FilterFunction, parameter: Parameter, call: Node, node: Node, shape: Shape
    ) -> None:
        if shape.loose:
            return
        wanted = frozenset(parameter.types)
        if not shape.types & wanted:
            self._note(
                "call",
                node,
                t(
                    "{name}() wants {wanted}, and {text} is {kind}",
                    name=function.name,
                    wanted=kinds_of(Shape(wanted)),
                    text=self._text(node),
                    kind=kinds_of(shape),
                ),
                self._as_list(function, call) or t("it is written {usage}", usage=function.usage()),
            )
        elif "null" in shape.types and "null" not in wanted:
            inner = node.children[0] if node.kind == "function_expression" and node.children else node
            path = path_of(inner)
            if path is not None and ".".join(path) not in self._safe:
                self._may_be_null(function, call, node, shape)
                self._safe |= {".".join(path)}  # said once

    def _may_be_null(self, function: FilterFunction, call: Node, node: Node, shape: Shape) -> None:
        text = self._text(node)
        remedy = t(
            "put {text} || {empty} in its place",
            text=text,
            empty="''" if "string" in shape.types else "`[]`",
        )
        written = self._text(call)
        better = called(
            function.name, [self._text(child) for child in call.children], of_text="string" in shape.types
        )
        if better != written and node is call.children[0]:
            remedy = t("write {text}, which takes null, or {rest}", text=better, rest=remedy)
        message = t(
            "{text} may be null, and {name}() then fails: the filter is an error, which is no match",
            text=text,
            name=function.name,
        )
        self._note("null", node, message, remedy)

    def _literals(self, function: FilterFunction, node: Node) -> None:
        """A pattern, hours or a zone that can be tried now."""
        given = [child.value if child.kind == "literal" else None for child in node.children]
        try:
            if function.name == "matches" and isinstance(given[1], str):
                compiled_pattern(given[1])
            elif function.name == "hour_in" and isinstance(given[0], str):
                time_window(given[0], None)
                if len(given) > 1 and isinstance(given[1], str):
                    check_zone(given[1])
        except ValueError as error:
            place = 1 if function.name == "matches" or str(given[0]) not in str(error) else 0
            where = node.children[min(place, len(given) - 1)]
            remedy = None
            if function.name == "matches":
                remedy = t("mend the pattern; a sign that stands for itself has a backslash before it: '\\('")
            self._note("call", where, f"{function.name}(): {error}", remedy)

    def _returned(self, function: FilterFunction, shapes: Sequence[Shape]) -> Shape:
        if function.name == "not_null":
            known = [shape.without_null() for shape in shapes]
            return (
                joined([*known, of_types("null")])
                if all(shape.nullable for shape in shapes)
                else joined(known)
            )
        if (
            function.name in {"lower", "upper", "percent"}
            and shapes
            and not shapes[0].loose
            and "null" not in shapes[0].types
        ):
            return of_types(*(kind for kind in function.returns if kind != "null"))
        if len(function.returns) > 3:
            return LOOSE
        return of_types(*function.returns)
