"""The functions that filters may call: jmespath's own and ours, with their signatures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ValueType = Literal["string", "number", "boolean", "array", "object", "null", "expression"]
"""A type of a value in an expression; `expression` is a `&reference`."""

ANY: tuple[ValueType, ...] = ("string", "number", "boolean", "array", "object", "null")


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    types: tuple[ValueType, ...]
    element: tuple[ValueType, ...] = ()
    """What the elements of an array must be, where that matters."""
    optional: bool = False
    variadic: bool = False
    """Whether it takes any further arguments too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterFunction:
    """A function: what it takes and gives, what it does, and examples that a test runs."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[ValueType, ...]
    implementation: Callable[..., Any]
    doc: str = ""
    examples: tuple[tuple[str, Any], ...] = ()
    """Expressions without an event, or on a sample, and what they give."""


@dataclass(frozen=True, kw_only=True)
class FunctionSet:
    """All functions that the filters of a host may call."""

    version: str
    """Names the set; a decision stores it."""
    functions: Mapping[str, FilterFunction]
