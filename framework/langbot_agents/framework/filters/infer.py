"""What a whole filter is on one shape of event, and what in it cannot be meant."""

from dataclasses import replace

from rapidfuzz import process

from ..texts import t
from .call_rules import CallRules
from .compiler import compile_node, path_of
from .frame import Frame
from .functions import type_name
from .path_rules import WORDS, PathRules
from .rewrites import without_repeats
from .rules import KINDS, Problem, kinds_of, not_null_in
from .shapes import Shape, joined, of_types
from .suggest import as_kind, quoted
from .syntax import Node, conjuncts

_NEVER_THE_SAME = frozenset({"hour_in", "mentions_bot"})
"""Functions that look at the event or the clock without being given anything of it."""


class Checker(PathRules, CallRules):
    """All the rules, with those for comparisons and for the whole."""

    def check(self, node: Node) -> list[Problem]:
        """All problems of a filter."""
        for leg in conjuncts(node):
            before = len(self.problems)
            shape = self._infer(leg, self._root)
            if len(self.problems) == before:
                if _is_constant(leg):
                    self._constant(leg)
                else:
                    self._boolean(leg, shape)
        return self.problems

    def _not_expression(self, node: Node, value: Shape) -> Shape:
        self._infer(node.children[0], value)
        return of_types("boolean")

    def _and_expression(self, node: Node, value: Shape) -> Shape:
        first, second = node.children
        self._infer(first, value)
        before = self._safe
        self._safe = before | not_null_in(first)
        right = self._infer(second, value)
        self._safe = before
        return (
            right
            if right.loose
            else Shape(right.types | {"null", "boolean"} if "boolean" in right.types else right.types)
        )

    def _or_expression(self, node: Node, value: Shape) -> Shape:
        first, second = node.children
        left = self._infer(first, value)
        before = self._safe
        self._safe = before | not_null_in(first, truth=False)
        right = self._infer(second, value)
        self._safe = before
        return joined([left.without_null(), right])

    def _comparator(self, node: Node, value: Shape) -> Shape:
        left, right = node.children
        for side, other in ((left, right), (right, left)):
            if self._is_bare_word(side, value) and path_of(other) is not None:
                word = self._text(side)
                self._note(
                    "not_text",
                    side,
                    t("{text} is the name of a field here, not a value", text=word),
                    t("text stands in single quotes: {text}", text=quoted(word)),
                )
                self._infer(other, value)
                return of_types("boolean")
        first, second = self._infer(left, value), self._infer(right, value)
        if node.value not in {"eq", "ne"}:
            self._ordered(node, first, second)
            return of_types("boolean")
        if left.kind == "literal":
            left, right, first, second = right, left, second, first
        if right.kind == "literal" and left.kind != "literal":
            self._equals(node, left, right, first)
        elif not _is_constant(node) and self._text(left) == self._text(right):
            self._note(
                "constant",
                node,
                t(
                    "both sides are the same, so it is always {truth}",
                    truth="true" if node.value == "eq" else "false",
                ),
                t("compare with something else, or leave it out"),
            )
        elif not first.loose and not second.loose and not (first.types & second.types):
            self._note(
                "never",
                node,
                t(
                    "{first} is {kind} and {second} is {other}, which are never equal",
                    first=self._text(left),
                    kind=kinds_of(first),
                    second=self._text(right),
                    other=kinds_of(second),
                ),
            )
        return of_types("boolean")

    def _is_bare_word(self, node: Node, value: Shape) -> bool:
        """Whether this is a word that is no field, where a text may have been meant."""
        text = self._text(node)
        return (
            node.kind == "field"
            and value is self._root
            and str(node.value) not in value.properties
            and not text.startswith('"')
            and text not in WORDS
        )

    def _equals(self, node: Node, left: Node, right: Node, shape: Shape) -> None:
        literal = right.value
        kind = type_name(literal)
        if shape.loose or literal is None:
            return
        always = t("never true") if node.value == "eq" else t("always true")
        if kind not in shape.types:
            better = as_kind(literal, shape)
            if left.kind == "not_expression":
                sign = "!=" if node.value == "eq" else "=="
                better = f"{self._text(left).lstrip('! ')} {sign} {self._text(right)}"
            self._note(
                "never",
                right,
                t(
                    "{text} is {kind}, and {literal} is {other}: this is {always}",
                    text=self._text(left),
                    kind=kinds_of(shape),
                    literal=self._text(right),
                    other=KINDS[kind](),
                    always=always,
                ),
                None if better is None else t("write {text}", text=better),
            )
        elif kind == "string" and shape.values and literal not in shape.values:
            near = process.extractOne(literal, [str(item) for item in shape.values], score_cutoff=60)
            hint = t("  (did you mean {name!r}?)", name=near[0]) if near else ""
            names = ", ".join(quoted(str(item)) for item in shape.values)
            self._note(
                "never",
                right,
                t(
                    "{text} is never {literal}: this is {always}",
                    text=self._text(left),
                    literal=self._text(right),
                    always=always,
                ),
                t("it is one of: {names}", names=names) + hint,
            )

    def _ordered(self, node: Node, first: Shape, second: Shape) -> None:
        sides = ((node.children[0], first), (node.children[1], second))
        for part, shape in sides:
            if not shape.loose and not shape.types & {"number", "string"}:
                self._note(
                    "never",
                    part,
                    t("{text} is {kind}, which has no order", text=self._text(part), kind=kinds_of(shape)),
                    t("only numbers, and texts among each other, can be put in order"),
                )
                return
        orders = [shape.types & {"number", "string"} for _, shape in sides]
        if not first.loose and not second.loose and not orders[0] & orders[1]:
            part = next(part for part, shape in sides if "string" in shape.types)
            self._note(
                "never", node, t("a text and a number cannot be put in order"), self._as_number(node, part)
            )
        elif all(shape.types <= {"string", "null"} and not shape.loose for _, shape in sides):
            part = next((part for part, _ in sides if part.kind == "literal"), node)
            if part is not node and as_kind(part.value, of_types("number")) is not None:
                other = next(side for side, _ in sides if side is not part)
                self._note(
                    "never",
                    node,
                    t("texts are put in order letter by letter: '9' comes after '10'"),
                    self._as_number(node, other, part),
                )

    def _as_number(self, node: Node, *parts: Node) -> str:
        """The comparison with these sides as numbers."""
        written = self._text(node)
        for part in sorted(parts, key=lambda part: -part.start):
            number = as_kind(part.value, of_types("number")) if part.kind == "literal" else None
            path = path_of(part)
            is_time = path is not None and path[-1].endswith("_at")
            if (part.kind == "literal" and number is None) or is_time:
                return t("event_time and now are Unix seconds, as in {text}", text="now > `1790000000`")
            better = number or f"to_number({self._text(part)})"
            at = part.start - node.start
            written = written[:at] + better + written[at + part.end - part.start :]
        return t("write {text}", text=written)

    def _boolean(self, leg: Node, shape: Shape) -> None:
        if leg.kind == "or_expression":
            before = len(self.problems)
            for child in leg.children:
                self._boolean(child, self._quiet(child))
            better = without_repeats(self._text(leg))
            if len(self.problems) > before and better != self._text(leg):
                last = self.problems[-1]
                self.problems[-1] = replace(last, remedy=t("write {text}", text=better))
            return
        if shape.loose or "boolean" in shape.types:
            return
        text = self._text(leg)
        remedy: str | None
        if leg.kind == "literal":
            remedy = t("compare a field with it, for example input.text == {text}", text=text)
        elif shape.types <= {"number"}:
            remedy = t("compare it, for example {text} > `0`", text=text)
        elif shape.types <= {"array", "object"}:
            remedy = t("for example length({text}) > `0`", text=text)
        else:
            remedy = t("to ask whether it is there, write {text} != `null`", text=text)
        self._note(
            "not_boolean",
            leg,
            t("{text} is {kind}, not true or false", text=text, kind=kinds_of(shape)),
            remedy,
        )

    def _quiet(self, node: Node) -> Shape:
        """The shape of a part that was looked at already."""
        kept = len(self.problems)
        shape = self._infer(node, self._root)
        del self.problems[kept:]
        return shape

    def _constant(self, leg: Node) -> None:
        try:
            value = compile_node(leg, self._functions)({}, Frame({}))
        except Exception:  # isolation boundary: what it raises is that it never holds
            value = None
        text = self._text(leg)
        if value is True or value is False:
            truth = "true" if value else "false"
            self._note(
                "constant",
                leg,
                t("{text} is always {truth}", text=text, truth=truth),
                t("leave it out") if value else t("to take no events, write `enabled: false` in the binding"),
            )
        else:
            self._note(
                "constant",
                leg,
                t("{text} does not look at the event", text=text),
                t("compare a field with it, for example input.text == {text}", text=text),
            )


def _is_constant(node: Node) -> bool:
    """Whether a part says the same of every event."""
    return not any(
        part.kind in {"field", "current"}
        or (part.kind == "function_expression" and part.value in _NEVER_THE_SAME)
        for part in node.walk()
    )
