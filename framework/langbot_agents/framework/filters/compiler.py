"""An expression as a Python function: jmespath's interpreter, worked out once for each part.

The functions that most filters consist of hold what they need as defaults instead of in a closure, which
is half as large; the paths among them are shared.
"""

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..texts import t
from .frame import EvaluationError, Frame
from .functions import FilterFunction, FunctionSet, Reference
from .syntax import Node

Evaluator = Callable[[Any, Frame], Any]
"""`f(value, frame)`: what a part is of a value; raises whatever the interpreter would."""

_ORDERINGS: Mapping[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


_EMPTY = frozenset({str, list, dict})


def compile_node(node: Node, functions: FunctionSet) -> Evaluator:
    """The function of a part."""
    return _Compiler(functions).compile(node)


def is_false(value: Any) -> bool:
    """Whether a value counts as false: false, null, and empty text, lists and objects. 0 does not."""
    return value is None or value is False or (not value and type(value) in _EMPTY)


def equal(first: Any, second: Any) -> bool:
    """Equality of JMESPath: a number is never a truth value, though Python has `0 == False`."""
    if (first is True or first is False) is not (second is True or second is False):
        return False
    return bool(first == second)


def path_of(node: Node) -> tuple[str, ...] | None:
    """The names of a plain path such as `actor.actor_id`, else None."""
    if node.kind == "field":
        return (str(node.value),)
    if node.kind != "subexpression":
        return None
    names: tuple[str, ...] = ()
    for child in node.children:
        found = path_of(child)
        if found is None:
            return None
        names += found
    return names


class _Compiler:
    """One method a kind of part, named as in jmespath."""

    def __init__(self, functions: FunctionSet) -> None:
        self._functions = functions

    def compile(self, node: Node) -> Evaluator:
        made: Evaluator = getattr(self, f"_{node.kind}")(node)
        return made

    def _all(self, node: Node) -> list[Evaluator]:
        return [self.compile(child) for child in node.children]

    # Paths

    def _field(self, node: Node) -> Evaluator:
        return _name(node.value)

    def _subexpression(self, node: Node) -> Evaluator:
        names = path_of(node)
        if names is None:
            return self._chain(node)
        if len(names) == 2:
            return _two_names(*names)

        def walk(value: Any, _frame: Frame) -> Any:
            for name in names:
                if type(value) is not dict:
                    return None
                value = value.get(name)
            return value

        return walk

    def _chain(self, node: Node) -> Evaluator:
        steps = self._all(node)
        if len(steps) == 2:
            first, second = steps
            return lambda value, frame: second(first(value, frame), frame)

        def chain(value: Any, frame: Frame) -> Any:
            for step in steps:
                value = step(value, frame)
            return value

        return chain

    _index_expression = _chain
    _pipe = _chain

    def _current(self, _node: Node) -> Evaluator:
        return lambda value, _frame: value

    _identity = _current

    def _index(self, node: Node) -> Evaluator:
        place = node.value

        def index(value: Any, _frame: Frame) -> Any:
            if type(value) is not list or not -len(value) <= place < len(value):
                return None
            return value[place]

        return index

    def _slice(self, node: Node) -> Evaluator:
        cut = slice(*node.value)

        def cut_out(value: Any, frame: Frame) -> Any:
            if type(value) is not list:
                return None
            frame.spend(len(value))
            return value[cut]

        return cut_out

    def _literal(self, node: Node) -> Evaluator:
        constant = node.value
        return lambda _value, _frame: constant

    # Lists and objects

    def _projection(self, node: Node) -> Evaluator:
        base, each = self._all(node)

        def project(value: Any, frame: Frame) -> Any:
            found = base(value, frame)
            return _collect(found, each, frame) if type(found) is list else None

        return project

    def _value_projection(self, node: Node) -> Evaluator:
        base, each = self._all(node)

        def project(value: Any, frame: Frame) -> Any:
            found = base(value, frame)
            return _collect(list(found.values()), each, frame) if type(found) is dict else None

        return project

    def _filter_projection(self, node: Node) -> Evaluator:
        base, each, condition = self._all(node)

        def project(value: Any, frame: Frame) -> Any:
            found = base(value, frame)
            if type(found) is not list:
                return None
            collected = []
            for item in found:
                frame.spend(1)
                if is_false(condition(item, frame)):
                    continue
                made = each(item, frame)
                if made is not None:
                    collected.append(made)
            return collected

        return project

    def _flatten(self, node: Node) -> Evaluator:
        (base,) = self._all(node)

        def flatten(value: Any, frame: Frame) -> Any:
            found = base(value, frame)
            if type(found) is not list:
                return None
            frame.spend(len(found))
            merged: list[Any] = []
            for item in found:
                if type(item) is list:
                    merged.extend(item)
                else:
                    merged.append(item)
            frame.spend(len(merged))
            return merged

        return flatten

    def _multi_select_list(self, node: Node) -> Evaluator:
        if all(child.kind == "literal" for child in node.children):
            constant = [child.value for child in node.children]
            return lambda value, _frame: None if value is None else constant
        parts = self._all(node)
        return lambda value, frame: None if value is None else [part(value, frame) for part in parts]

    def _multi_select_dict(self, node: Node) -> Evaluator:
        parts = [(child.value, self.compile(child.children[0])) for child in node.children]
        return lambda value, frame: (
            None if value is None else {name: part(value, frame) for name, part in parts}
        )

    # Logic

    def _or_expression(self, node: Node) -> Evaluator:
        first, second = self._all(node)

        def either(value: Any, frame: Frame) -> Any:
            found = first(value, frame)
            # what Python takes for true is so in JMESPath, too
            return found if found or not is_false(found) else second(value, frame)

        return either

    def _and_expression(self, node: Node) -> Evaluator:
        first, second = self._all(node)

        def both(value: Any, frame: Frame) -> Any:
            found = first(value, frame)
            return second(value, frame) if found or not is_false(found) else found

        return both

    def _not_expression(self, node: Node) -> Evaluator:
        (inner,) = self._all(node)

        def negate(value: Any, frame: Frame) -> bool:
            found = inner(value, frame)
            # 0 is not false in JMESPath, though it is in Python
            return not found and (found is False or type(found) not in {int, float})

        return negate

    def _comparator(self, node: Node) -> Evaluator:
        left, right = node.children
        if node.value not in {"eq", "ne"}:
            return _ordering(_ORDERINGS[node.value], self.compile(left), self.compile(right))
        wanted = node.value == "eq"
        if left.kind == "literal":
            left, right = right, left
        if right.kind == "literal":
            names = path_of(left)
            if type(right.value) is str and names is not None and len(names) <= 2:
                return (_name_is if wanted else _name_is_not)(names, right.value)
            return _equals_literal(self.compile(left), right.value, wanted=wanted)
        first, second = self.compile(left), self.compile(right)
        return lambda value, frame: equal(first(value, frame), second(value, frame)) is wanted

    # Functions

    def _expref(self, node: Node) -> Evaluator:
        (inner,) = self._all(node)
        return lambda _value, frame: Reference(inner, frame)

    def _function_expression(self, node: Node) -> Evaluator:
        function = self._functions.get(node.value)
        if function is None:
            raise EvaluationError(t("there is no function {name!r}", name=node.value))
        arguments = self._all(node)
        last = node.children[-1] if len(arguments) == 2 else None
        if last is not None and last.kind == "literal" and type(last.value) is str:
            if node.value in _OF_TEXTS:
                return _text_test(function, arguments[0], last.value)
            if function.of_pattern is not None:
                try:
                    test = function.of_pattern(last.value)
                except ValueError:  # an error of each call, and of the check at load, which tells its place
                    test = None
                if test is not None:
                    return _pattern_test(function, arguments[0], last.value, test)

        def call(value: Any, frame: Frame) -> Any:
            frame.spend(1)
            given = [argument(value, frame) for argument in arguments]
            if not function.accepts(len(given)):
                raise EvaluationError(
                    t("{usage} does not take {count}", usage=function.usage(), count=len(given))
                )
            return function.call(frame, given)

        return call


@lru_cache(maxsize=4096)
def _name(name: str) -> Evaluator:
    return lambda value, _frame: value.get(name) if type(value) is dict else None


@lru_cache(maxsize=4096)
def _two_names(outer: str, inner: str) -> Evaluator:
    def walk(value: Any, _frame: Frame) -> Any:
        if type(value) is dict:
            found = value.get(outer)
            if type(found) is dict:
                return found.get(inner)
        return None

    return walk


def _collect(found: list[Any], each: Evaluator, frame: Frame) -> list[Any]:
    collected = []
    for item in found:
        frame.spend(1)
        made = each(item, frame)
        if made is not None:
            collected.append(made)
    return collected


def _name_is(names: tuple[str, ...], literal: str) -> Evaluator:
    """The common `name == 'text'` and `outer.inner == 'text'`."""
    if len(names) == 1:
        return lambda value, _frame, name=names[0], literal=literal: (  # type: ignore[misc]
            type(value) is dict and value.get(name) == literal
        )
    return lambda value, _frame, outer=names[0], inner=names[1], literal=literal: (  # type: ignore[misc]
        type(value) is dict and type(found := value.get(outer)) is dict and found.get(inner) == literal
    )


def _name_is_not(names: tuple[str, ...], literal: str) -> Evaluator:
    if len(names) == 1:
        return lambda value, _frame, name=names[0], literal=literal: (  # type: ignore[misc]
            type(value) is not dict or value.get(name) != literal
        )
    return lambda value, _frame, outer=names[0], inner=names[1], literal=literal: (  # type: ignore[misc]
        type(value) is not dict or type(found := value.get(outer)) is not dict or found.get(inner) != literal
    )


def _equals_literal(part: Evaluator, literal: Any, *, wanted: bool) -> Evaluator:
    # text is by far the most common, and equals nothing but text
    if type(literal) is not str:
        return lambda value, frame, part=part, literal=literal, wanted=wanted: (  # type: ignore[misc]
            equal(part(value, frame), literal) is wanted
        )
    if wanted:
        return lambda value, frame, part=part, literal=literal: part(value, frame) == literal  # type: ignore[misc]
    return lambda value, frame, part=part, literal=literal: part(value, frame) != literal  # type: ignore[misc]


def _ordering(compare: Callable[[Any, Any], Any], left: Evaluator, right: Evaluator) -> Evaluator:
    comparable = {int, float, str}

    def order(value: Any, frame: Frame) -> Any:
        first, second = left(value, frame), right(value, frame)
        if type(first) not in comparable or type(second) not in comparable:
            return None
        if (type(first) is str) is not (type(second) is str):
            raise EvaluationError(t("a number and a text cannot be put in order"))
        return compare(first, second)

    return order


_OF_TEXTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": operator.contains,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}


def _text_test(function: FilterFunction, subject: Evaluator, literal: str) -> Evaluator:
    """The common `contains(path, 'text')`, without the way through the function's signature."""

    # no annotations: they would be kept once for each function that is made here
    def tested(  # type: ignore[no-untyped-def] # noqa: PLR0917 - what it holds is given as defaults
        value, frame, subject=subject, test=_OF_TEXTS[function.name], literal=literal, function=function
    ):
        found = subject(value, frame)
        if type(found) is str:
            if len(found) > 10_000:
                frame.spend(len(found) // 100)
            return test(found, literal)
        return function.call(frame, [found, literal])

    return tested


def _pattern_test(
    function: FilterFunction, subject: Evaluator, literal: str, test: Callable[..., Any]
) -> Evaluator:
    """`matches(path, 'pattern')` with its pattern read once and kept."""

    def tested(value: Any, frame: Frame) -> Any:
        found = subject(value, frame)
        if found is None or type(found) is str:
            return test(frame, found)
        return function.call(frame, [found, literal])

    return tested
