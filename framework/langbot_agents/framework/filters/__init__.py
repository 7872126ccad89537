"""Filters: JMESPath over an event's JSON form, giving true, false or an error with its reason."""

from .evaluation import (
    FUNCTION_SET,
    CompiledFilter,
    Leg,
    LegResult,
    Truth,
    compile_filter,
    evaluate_all,
    evaluate_leg,
)
from .syntax import MAX_DEPTH, MAX_GROWTH, FilterSyntaxError, Node, conjuncts, parse

__all__ = [
    "FUNCTION_SET",
    "MAX_DEPTH",
    "MAX_GROWTH",
    "CompiledFilter",
    "FilterSyntaxError",
    "Leg",
    "LegResult",
    "Node",
    "Truth",
    "compile_filter",
    "conjuncts",
    "evaluate_all",
    "evaluate_leg",
    "parse",
]
