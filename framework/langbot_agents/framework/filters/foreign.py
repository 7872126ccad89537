"""Functions of packages: what a Python function takes and gives is read from its annotations."""

import copy
import inspect
import json
import types
from collections.abc import Callable, Iterator
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..texts import t
from .frame import EvaluationError, Frame, reason_of
from .functions import ANY, FilterFunction, Parameter, ValueType, type_name

_KINDS: dict[Any, tuple[ValueType, ...]] = {
    str: ("string",),
    int: ("number",),
    float: ("number",),
    bool: ("boolean",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
    Any: ANY,
}


def function_of(function: Callable[..., Any], *, name: str | None = None) -> FilterFunction:
    """A function that filters may call, of a Python function; its docstring says what it does.

    Raises `ValueError` for one that cannot be called by position, or that does not say what it takes.
    """
    called = str(name or getattr(function, "__name__", ""))
    if not called.isidentifier() or not called.isascii():
        raise ValueError(t("{name!r} is not a name of a function", name=called))
    if inspect.iscoroutinefunction(function):
        raise ValueError(t("{name}() is async; a filter cannot wait", name=called))
    hints = get_type_hints(function)
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in {parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD}:
            raise ValueError(
                t("{name}() takes {parameter!r} by name alone", name=called, parameter=parameter.name)
            )
        parameters.append(
            Parameter(
                name=parameter.name,
                types=_types(called, parameter.name, hints.get(parameter.name)),
                optional=parameter.default is not parameter.empty,
                variadic=parameter.kind is parameter.VAR_POSITIONAL,
            )
        )
    returns = _types(called, "return", hints.get("return"))
    return FilterFunction(
        name=called,
        parameters=tuple(parameters),
        returns=returns,
        implementation=_shielded(called, function, returns),
        doc=inspect.getdoc(function) or "",
    )


def _shielded(name: str, function: Callable[..., Any], returns: tuple[ValueType, ...]) -> Callable[..., Any]:
    def call(frame: Frame, *arguments: Any) -> Any:
        try:
            # of lists and objects a copy: what a package does to them stays with it
            made = function(*map(copy.deepcopy, arguments))
            if type(made) in {list, dict}:
                made = json.loads(json.dumps(made))
        except BaseException as error:  # isolation boundary: foreign code may raise whatever it likes
            raise EvaluationError(f"{name}(): {type(error).__name__}: {reason_of(error)}") from None
        frame.left()  # time that it took is gone
        if type_name(made) not in returns:
            message = t(
                "{name}() gave a value of type {kind}, and says that it gives {wanted}",
                name=name,
                kind=type(made).__name__,
                wanted=t(" or ").join(returns),
            )
            raise EvaluationError(message)
        return made

    return call


def _types(name: str, parameter: str, hint: Any) -> tuple[ValueType, ...]:
    found = tuple(dict.fromkeys(_read(hint)))
    if not found:
        raise ValueError(
            t(
                "{name}() does not say what {parameter!r} is; annotate it with str, float, bool, list, dict "
                "or None",
                name=name,
                parameter=parameter,
            )
        )
    return found


def _read(hint: Any) -> Iterator[ValueType]:
    if get_origin(hint) in {Union, types.UnionType}:
        for item in get_args(hint):
            yield from _read(item)
        return
    yield from _KINDS.get(get_origin(hint) or hint, ())
