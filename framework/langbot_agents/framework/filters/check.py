"""What is wrong with a filter is found when it is loaded, against the shapes of the events it will see."""

from collections.abc import Sequence
from functools import lru_cache

from langbot_agents.schemas.catalogue import contract

from ..texts import t
from .functions import FunctionSet
from .infer import Checker
from .own_functions import STANDARD
from .rules import Problem, not_null_in
from .shapes import Shape, event_shape, types_of
from .syntax import Node, conjuncts


def check_filters(
    filters: Sequence[tuple[str, Node]], event_types: Sequence[str], functions: FunctionSet = STANDARD
) -> list[list[Problem]]:
    """The problems of each filter of a binding, given as (text, tree), on the events that it takes."""
    safe = frozenset(path for _, node in filters for leg in conjuncts(node) for path in not_null_in(leg))
    return [_check(expr, node, tuple(event_types), functions, safe=safe) for expr, node in filters]


def _check(
    expr: str, node: Node, event_types: tuple[str, ...], functions: FunctionSet, *, safe: frozenset[str]
) -> list[Problem]:
    named, others = types_of(event_types)
    shapes = _distinct(named or ("",))
    whole = sum(len(names) for names, _ in shapes)
    found: dict[tuple[str, int, int], tuple[Problem, list[str]]] = {}
    for names, shape in shapes:
        name = names[0] if whole == 1 and names[0] else t("an event")
        for problem in Checker(expr, shape, functions, safe=safe, name=name).check(node):
            known = found.setdefault((problem.kind, problem.offset, problem.width), (problem, []))
            known[1].extend(item for item in names if item not in known[1])
    problems = []
    for problem, types in found.values():
        if problem.kind == "null" and not any(contract(name) for name in types):
            continue  # nobody knows what events of such types always have
        if len(types) == whole:
            problems.append(problem)
        elif problem.kind == "unknown" and not others:
            problems.append(_partly(expr, problem, types))
    return sorted(problems, key=lambda problem: (problem.offset, problem.kind))


def _partly(expr: str, problem: Problem, names: Sequence[str]) -> Problem:
    path = expr[problem.offset : problem.offset + problem.width]
    return Problem(
        kind="partly",
        offset=problem.offset,
        width=problem.width,
        message=t("{path!r} is always null in {type}", path=path, type=", ".join(names)),
        remedy=t("give those event types a binding of their own, or leave them out"),
    )


@lru_cache(maxsize=1024)
def _distinct(names: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], Shape], ...]:
    """The shapes of these types, equal ones once, with the types that have them."""
    groups: list[tuple[list[str], Shape]] = []
    for name in names:
        shape = event_shape(name)
        for members, known in groups:
            if known == shape:
                members.append(name)
                break
        else:
            groups.append(([name], shape))
    return tuple((tuple(members), shape) for members, shape in groups)
