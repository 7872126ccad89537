"""What is wrong with the data of an event or of a request, in the words that documents are told of with."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.events import AgentEventEnvelope

from ..errors import InvalidEventError
from ..texts import t
from .causes import Mistake, cause_of, show
from .findings import Path, format_path
from .masking import MASK, is_secret_name
from .shapes import branches, key_names
from .typed import Fault, faults_of

Models = tuple[type[BaseModel], ...]

MAX_SHOWN = 20
"""Faults that one answer lists."""


def invalid_event(error: ValidationError, data: Mapping[str, Any]) -> InvalidEventError:
    """The refusal of an event that is malformed: one entry a field, the first cause in the message."""
    return _refusal(request_faults(error, data, AgentEventEnvelope))


def check_keys(data: Mapping[str, Any]) -> None:
    """Refuse an event with a key that no event has: it would be kept, and mean nothing to anybody.

    Raises `InvalidEventError` with the key and the one that was probably meant.
    """
    unknown = list(_unknown(AgentEventEnvelope, data, ()))
    if unknown:
        raise _refusal(unknown)


def without_unknown(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of an event without the keys that `check_keys` refuses."""
    kept: dict[str, Any] = deepcopy(dict(data))
    for fault in list(_unknown(AgentEventEnvelope, data, ())):
        holder: Any = kept
        for step in fault.path[:-1]:
            holder = holder[step]
        del holder[fault.path[-1]]
    return kept


def request_faults(error: ValidationError, data: Any, model: type[BaseModel]) -> list[Fault]:
    """The causes behind the errors of what somebody sent."""
    errors = error.errors(include_url=False)
    names = [each.name for each in standard_types()]
    return faults_of(errors, data, model, raw=lambda path: _written(data, path), event_types=names)


def fault_entry(fault: Fault, whole: str) -> dict[str, Any]:
    """A fault as an answer lists it, with `whole` as the place of a fault of everything."""
    entry: dict[str, Any] = {"path": format_path(fault.path) or whole, "message": fault.cause.message}
    if fault.cause.code != "LBA141":
        secret = any(isinstance(step, str) and is_secret_name(step) for step in fault.path)
        entry["value"] = MASK if secret else show(fault.value)
    if fault.cause.remedy:
        entry["remedy"] = fault.cause.remedy
    return entry


def headline(fault: Fault, whole: str) -> str:
    """`path: cause`, with the same `whole`."""
    return t("{path}: {cause}", path=format_path(fault.path) or whole, cause=fault.cause.message)


def _refusal(faults: Sequence[Fault]) -> InvalidEventError:
    first = faults[0]
    return InvalidEventError(
        headline(first, "event"),
        remedy=first.cause.remedy
        or t(
            "`lba events sample message.received` shows a whole event; "
            "`lba schema AgentEventEnvelope` every field"
        ),
        details=[fault_entry(fault, "event") for fault in faults[:MAX_SHOWN]],
    )


def _unknown(model: type[BaseModel], data: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    names = _keys(model)
    for key, value in data.items():
        if key not in names:
            error: Any = {"type": "extra_forbidden", "msg": "", "loc": (key,), "input": value}
            mistake = Mistake(error, (key,), value, "", model, ())
            yield Fault((*path, key), cause_of(mistake), value)
        elif isinstance(value, Mapping):
            yield from _inside(names[key][0], value, (*path, key))
        elif isinstance(value, list | tuple):
            for index, item in enumerate(value):
                if isinstance(item, Mapping):
                    yield from _inside(names[key][1], item, (*path, key, index))


def _inside(models: Models, data: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    """The unknown keys of a value, which is of the one of these models that its `type` names."""
    for model in models:
        stated = model.model_fields.get("type")
        if len(models) == 1 or (stated is not None and data.get("type") in get_args(stated.annotation)):
            yield from _unknown(model, data, path)
            return


@cache
def _keys(
    model: type[BaseModel],
) -> dict[str, tuple[tuple[type[BaseModel], ...], tuple[type[BaseModel], ...]]]:
    """The keys of a model, with the models of its value and of the items of its value."""
    return {name: (_models(found), _item_models(found)) for name, found in key_names(model).items()}


def _models(annotation: Any) -> Models:
    return tuple(
        each for each in branches(annotation) if isinstance(each, type) and issubclass(each, BaseModel)
    )


def _item_models(annotation: Any) -> Models:
    return tuple(
        model
        for each in branches(annotation)
        if get_origin(each) is tuple
        for model in _models(get_args(each)[0])
    )


def _written(data: Any, path: Path) -> str:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return ""
    try:
        return json.dumps(data, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(data)
