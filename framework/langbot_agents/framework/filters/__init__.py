"""Filters: JMESPath over an event's JSON form, giving true, false or an error with its reason."""

from .check import check_filters
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
from .rewrites import Rewrite, rewrite
from .rules import Problem
from .syntax import (
    MAX_DEPTH,
    MAX_GROWTH,
    FilterFunctionError,
    FilterSyntaxError,
    Node,
    conjuncts,
    parse,
)

__all__ = [
    "FUNCTION_SET",
    "MAX_DEPTH",
    "MAX_GROWTH",
    "STANDARD",
    "CompiledFilter",
    "EvaluationError",
    "FilterFunction",
    "FilterFunctionError",
    "FilterSyntaxError",
    "Frame",
    "FunctionSet",
    "Leg",
    "LegResult",
    "Node",
    "Parameter",
    "Problem",
    "Rewrite",
    "Truth",
    "check_filters",
    "compile_filter",
    "conjuncts",
    "evaluate_all",
    "evaluate_leg",
    "parse",
    "rewrite",
]
