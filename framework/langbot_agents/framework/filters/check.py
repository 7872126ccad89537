"""What is wrong with a filter is found when it is loaded, against the shapes of the events it will see."""

from collections.abc import Sequence
from functools import lru_cache, partial

from langbot_agents.schemas.catalogue import contract

from .. import texts
from ..texts import t
from .functions import FunctionSet
from .infer import Checker
from .own_functions import STANDARD
from .rules import Problem, not_null_in
from .shapes import UNKNOWN_TYPE, Shape, event_shape, types_of
from .syntax import Node, conjuncts, parse


def check_filters(
    filters: Sequence[tuple[str, Node]], event_types: Sequence[str], functions: FunctionSet = STANDARD
) -> list[list[Problem]]:
    """The problems of each filter of a binding, given as (text, tree), on the events that it takes."""
    safe = frozenset(path for _, node in filters for leg in conjuncts(node) for path in not_null_in(leg))
    types, language = tuple(event_types), texts.process_language()
    return [list(_check(expr, types, functions, safe, language)) for expr, _ in filters]


@lru_cache(maxsize=4096)
def _check(
    expr: str, event_types: tuple[str, ...], functions: FunctionSet, safe: frozenset[str], _language: str
) -> tuple[Problem, ...]:
    node = parse(expr)
    named, others = types_of(event_types)
    looks = partial(_look, expr, node, functions=functions, safe=safe)
    if others:
        problems = looks(event_shape(UNKNOWN_TYPE), name=t("an event"))
        known = _distinct(tuple(name for name in named if contract(name)))
        return tuple(
            problem
            for problem in problems
            if problem.kind != "null"
            or any(_fails_on_null(problem, looks(shape, name=names[0])) for names, shape in known)
        )
    shapes = _distinct(named)
    whole = len(named)
    found: dict[tuple[str, int, int], tuple[Problem, list[str]]] = {}
    for names, shape in shapes:
        for problem in looks(shape, name=names[0] if whole == 1 else t("an event")):
            held = found.setdefault((problem.kind, problem.offset, problem.width), (problem, []))
            held[1].extend(item for item in names if item not in held[1])
    kept = [_of_some(expr, problem, types, whole) for problem, types in found.values()]
    return tuple(
        sorted(
            (problem for problem in kept if problem is not None),
            key=lambda problem: (problem.offset, problem.kind),
        )
    )


def _look(
    expr: str, node: Node, shape: Shape, *, functions: FunctionSet, safe: frozenset[str], name: str
) -> list[Problem]:
    return Checker(expr, shape, functions, safe=safe, name=name).check(node)


def _fails_on_null(problem: Problem, others: Sequence[Problem]) -> bool:
    """Whether a function that may be given null is given it in one type."""
    return any(other.kind == "null" and other.offset == problem.offset for other in others)


def _of_some(expr: str, problem: Problem, types: Sequence[str], whole: int) -> Problem | None:
    """A problem of so many of the types as what it is for the whole."""
    if len(types) == whole or problem.kind == "null":
        return problem
    return _partly(expr, problem, types) if problem.kind == "unknown" else None


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
