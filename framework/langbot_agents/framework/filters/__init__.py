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
from .frame import EvaluationError, Frame
from .functions import FilterFunction, FunctionSet, Parameter
from .own_functions import STANDARD
from .syntax import MAX_DEPTH, MAX_GROWTH, FilterSyntaxError, Node, conjuncts, parse

__all__ = [
    "FUNCTION_SET",
    "MAX_DEPTH",
    "MAX_GROWTH",
    "STANDARD",
    "CompiledFilter",
    "EvaluationError",
    "FilterFunction",
    "FilterSyntaxError",
    "Frame",
    "FunctionSet",
    "Leg",
    "LegResult",
    "Node",
    "Parameter",
    "Truth",
    "compile_filter",
    "conjuncts",
    "evaluate_all",
    "evaluate_leg",
    "parse",
]
