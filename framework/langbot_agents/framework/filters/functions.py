"""The functions that filters may call: jmespath's own and ours, with their signatures."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions

from ..texts import t
from .frame import MAX_MADE, EvaluationError, Frame

ValueType = Literal["string", "number", "boolean", "array", "object", "null", "expression"]
"""A type of a value in an expression; `expression` is a `&reference`."""

ANY: tuple[ValueType, ...] = ("string", "number", "boolean", "array", "object", "null")

_PYTHON: Mapping[type, ValueType] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    type(None): "null",
}


def type_name(value: Any) -> ValueType:
    """The type of a value."""
    return _PYTHON.get(type(value), "expression")


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    types: tuple[ValueType, ...] = ANY
    element: tuple[ValueType, ...] = ()
    """What the elements of an array must be, all of one of them, where that matters."""
    optional: bool = False
    variadic: bool = False
    """Whether it takes any further arguments too."""


Implementation = Callable[..., Any]
"""`f(frame, *arguments)`; it gets values of the stated types, and raises whatever it likes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterFunction:
    """A function: what it takes and gives, what it does, and examples that a test runs."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[ValueType, ...]
    implementation: Implementation
    doc: str = ""
    examples: tuple[tuple[str, Any], ...] = ()
    """Expressions on the sample of `message.received`, and what they give."""
    of_pattern: Callable[[str], Implementation] | None = None
    """`f(frame, text)` for a pattern that stands in the filter; raises `ValueError` for a bad one."""

    def accepts(self, count: int) -> bool:
        """Whether it takes so many arguments."""
        least = sum(not parameter.optional for parameter in self.parameters)
        if count < least:
            return False
        return count <= len(self.parameters) or bool(self.parameters and self.parameters[-1].variadic)

    def usage(self) -> str:
        """How it is written: `contains(subject, search)`."""
        names = [
            f"{item.name}, …" if item.variadic else f"{item.name}?" if item.optional else item.name
            for item in self.parameters
        ]
        return f"{self.name}({', '.join(names)})"

    def call(self, frame: Frame, arguments: list[Any]) -> Any:
        """What it gives. Raises `EvaluationError` for an argument of another type."""
        for parameter, argument in zip(self.parameters, arguments, strict=False):
            kind = type_name(argument)
            if kind not in parameter.types:
                message = t(
                    "{function}() wants {wanted} for `{name}`, got {kind}",
                    function=self.name,
                    wanted=t(" or ").join(parameter.types),
                    name=parameter.name,
                    kind=kind,
                )
                raise EvaluationError(message)
            if parameter.element and kind == "array":
                self._check_elements(parameter, argument, frame)
        return self.implementation(frame, *arguments)

    def _check_elements(self, parameter: Parameter, found: list[Any], frame: Frame) -> None:
        frame.spend(len(found))
        kinds = {type_name(item) for item in found}
        if len(kinds) > 1 or not kinds <= set(parameter.element):
            message = t(
                "{function}() wants a list of {wanted} for `{name}`",
                function=self.name,
                wanted=t(" or ").join(parameter.element),
                name=parameter.name,
            )
            raise EvaluationError(message)


class FunctionSet:
    """All functions that the filters of a host may call; decisions store `version`, which names the set."""

    def __init__(self, version: str, functions: Iterable[FilterFunction]) -> None:
        self.version = version
        self.functions: Mapping[str, FilterFunction] = {item.name: item for item in functions}

    def get(self, name: str) -> FilterFunction | None:
        """The function of that name."""
        return self.functions.get(name)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self.functions)

    def with_more(self, version: str, functions: Iterable[FilterFunction]) -> "FunctionSet":
        """The set with those of a package; `version` is `<package>-<its version>`.

        Raises `ValueError` for a name that is taken.
        """
        more = list(functions)
        names = [item.name for item in more]
        taken = [name for place, name in enumerate(names) if name in self.functions or name in names[:place]]
        if taken:
            raise ValueError(t("there is a function {name!r} already", name=taken[0]))
        return FunctionSet(f"{self.version}+{version}", [*self.functions.values(), *more])


class Reference:
    """`&expression` as an argument; what jmespath's functions call on each element."""

    __slots__ = ("_evaluate", "_frame")

    expression = None

    def __init__(self, evaluate: Callable[[Any, Frame], Any], frame: Frame) -> None:
        self._evaluate = evaluate
        self._frame = frame

    def visit(self, _expression: None, element: Any) -> Any:
        """The value of the expression on an element."""
        self._frame.spend(1)
        return self._evaluate(element, self._frame)


_LIBRARY = Functions()


def _size(value: Any) -> int:
    """About how many characters a value is as JSON; no more than is too many is counted."""
    size, left = 0, [value]
    while left and size <= MAX_MADE:
        found = left.pop()
        size += 1
        if type(found) is str:
            size += len(found)
        elif type(found) is list:
            left.extend(found)
        elif type(found) is dict:
            size += sum(map(len, found))
            left.extend(found.values())
    return size


_MEASURED: Mapping[str, Callable[..., int]] = {
    "join": lambda glue, texts: len(glue) * len(texts) + sum(map(len, texts)),
    "to_string": _size,
}
"""Functions whose text may be far longer than what they are given, and how long it will be."""


def _call_library(name: str, frame: Frame, *arguments: Any) -> Any:
    # jmespath's own code, so that nothing about it can differ
    for argument in arguments:
        if type(argument) in {str, list, dict}:
            frame.spend(1 + len(argument) // 100 if type(argument) is str else len(argument))
    if name in _MEASURED:
        size = _MEASURED[name](*arguments)
        if size > MAX_MADE:
            raise EvaluationError(
                t("{name}() would make a text of over {count} characters", name=name, count=MAX_MADE)
            )
        frame.spend(size // 100)
    try:
        return getattr(_LIBRARY, f"_func_{name}")(*arguments)
    except JMESPathError as error:
        raise EvaluationError(" ".join(str(error).split())) from None


def _of_library(name: str, returns: tuple[ValueType, ...], *names: str) -> FilterFunction:
    signature = Functions.FUNCTION_TABLE[name]["signature"]
    parameters = []
    for label, stated in zip(names, signature, strict=True):
        types: list[ValueType] = []
        elements: list[ValueType] = []
        for kind in stated["types"] or [*ANY, "expref"]:
            outer, _, inner = kind.partition("-")
            types.append(cast("ValueType", "expression" if outer == "expref" else outer))
            if inner:
                elements.append(cast("ValueType", inner))
        parameters.append(
            Parameter(
                name=label,
                types=tuple(dict.fromkeys(types)),
                element=tuple(elements),
                variadic=bool(stated.get("variadic")),
            )
        )
    return FilterFunction(
        name=name,
        parameters=tuple(parameters),
        returns=returns,
        implementation=partial(_call_library, name),
    )


LIBRARY: tuple[FilterFunction, ...] = (
    _of_library("abs", ("number",), "value"),
    _of_library("avg", ("number", "null"), "elements"),
    _of_library("ceil", ("number",), "value"),
    _of_library("contains", ("boolean",), "subject", "search"),
    _of_library("ends_with", ("boolean",), "subject", "suffix"),
    _of_library("floor", ("number",), "value"),
    _of_library("join", ("string",), "glue", "strings"),
    _of_library("keys", ("array",), "object"),
    _of_library("length", ("number",), "subject"),
    _of_library("map", ("array",), "expression", "elements"),
    _of_library("max", ("number", "string", "null"), "elements"),
    _of_library("max_by", ANY, "elements", "expression"),
    _of_library("merge", ("object",), "objects"),
    _of_library("min", ("number", "string", "null"), "elements"),
    _of_library("min_by", ANY, "elements", "expression"),
    _of_library("not_null", ANY, "values"),
    _of_library("reverse", ("array", "string"), "subject"),
    _of_library("sort", ("array",), "elements"),
    _of_library("sort_by", ("array",), "elements", "expression"),
    _of_library("starts_with", ("boolean",), "subject", "prefix"),
    _of_library("sum", ("number",), "elements"),
    _of_library("to_array", ("array",), "value"),
    _of_library("to_number", ("number", "null"), "value"),
    _of_library("to_string", ("string",), "value"),
    _of_library("type", ("string",), "value"),
    _of_library("values", ("array",), "object"),
)
"""jmespath's own functions, which behave exactly as there."""
