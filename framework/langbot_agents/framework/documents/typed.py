"""A document becomes its model, or findings: one cause, one line, at the place it stands."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from langbot_agents.framework.texts import t

from .causes import Cause, Mistake, cause_of, place_of_own_rule, show, suggestion
from .findings import Finding, Path, by_place
from .shapes import key_names, model_at
from .source import SourceDocument

_M = TypeVar("_M", bound=BaseModel)

_MISMATCH = frozenset(
    {
        "string_type",
        "tuple_type",
        "model_type",
        "dict_type",
        "bool_type",
        "int_type",
        "float_type",
        "value_error",
    }
)
"""Errors by which a branch of a union says that the value is not of its kind at all."""


class Fault(NamedTuple):
    """One cause and the place that it is about; `value` is what stands there."""

    path: Path
    cause: Cause
    value: Any


class _Located(NamedTuple):
    """An error, the path of the document that it is about, and the union branches on the way."""

    error: ErrorDetails
    path: Path
    tags: tuple[tuple[int, str], ...]


def parse(
    document: SourceDocument, model: type[_M], *, event_types: Collection[str] = ()
) -> tuple[_M | None, list[Finding]]:
    """Give the model of a document, or what is wrong with it, sorted by place.

    `event_types` are the known names that a malformed event type is compared with.
    """
    data = document.data
    if not isinstance(data, dict):
        message = t("the document is {value}, not a mapping", value=show(data))
        return None, [document.finding("LBA120", (), message, remedy=t("write `key: value` lines"))]
    parsed = _validate(model, data)
    if isinstance(parsed, BaseModel):
        return parsed, []
    faults = faults_of(parsed, data, model, raw=document.raw, event_types=event_types)
    return None, list(by_place(_findings(document, faults)))


def faults_of(
    errors: Iterable[ErrorDetails],
    data: Any,
    model: type[BaseModel],
    *,
    raw: Callable[[Path], str],
    event_types: Collection[str] = (),
) -> list[Fault]:
    """The causes behind the errors of a validation of `data`; `raw` gives the text that stands at a place."""
    chosen = _choose_branches([_locate(error, data, model) for error in errors if not _is_echo(error)], data)
    mistakes = [
        Mistake(found.error, path, _value_at(data, path), raw(path), model, event_types)
        for found in chosen
        for path in place_of_own_rule(found.error, found.path, _value_at(data, found.path))
    ]
    return list(_faults(mistakes))


def _validate(model: type[_M], data: dict[str, Any]) -> _M | list[ErrorDetails]:
    """Validate in the strict mode of JSON, where `yes` is no truth value and `"5"` no number."""
    text = json.dumps(data)
    try:
        return model.model_validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        errors = error.errors(include_url=False)
    # Below a shorthand validator pydantic no longer knows that the data is JSON, and wants tuples.
    false_alarms = [e["loc"] for e in errors if e["type"] == "tuple_type" and isinstance(e["input"], list)]
    if not false_alarms:
        return errors
    remaining = [e for e in errors if e["loc"] not in false_alarms]
    try:
        lenient = model.model_validate_json(text, by_alias=True, by_name=False)
    except ValidationError as error:
        inside = error.errors(include_url=False)
        remaining += [e for e in inside if any(e["loc"][: len(loc)] == loc for loc in false_alarms)]
        return remaining or inside
    return remaining or lenient


def _locate(error: ErrorDetails, data: Any, root: type[BaseModel]) -> _Located:
    """Follow an error's location through the data; what leads nowhere is the name of a union branch."""
    path: list[str | int] = []
    tags: list[tuple[int, str]] = []
    location = error["loc"]
    for index, step in enumerate(location):
        last = index == len(location) - 1
        if _has(data, step):
            path.append(step)
            data = data[step]
        elif last and error["type"] == "missing" and isinstance(data, dict):
            path.append(step)
        elif isinstance(step, str) and not _is_key(root, tuple(path), step):
            tags.append((len(path), step))
    return _Located(error, tuple(path), tuple(tags))


def _is_echo(error: ErrorDetails) -> bool:
    """Whether a list is called too short only because entries of it are wrong, which is said already."""
    return error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]


def _is_key(root: type[BaseModel], path: Path, step: str) -> bool:
    """Whether a step is a key that a shorthand stands for: `filters[0]` is text, the error says `expr`."""
    model = model_at(root, path)
    return model is not None and step in key_names(model)


def _choose_branches(errors: Iterable[_Located], data: Any) -> list[_Located]:
    """Of each union keep the branch that was meant."""
    kept: list[_Located] = []
    unions: dict[Path, dict[str, list[_Located]]] = {}
    for found in errors:
        if not found.tags:
            kept.append(found)
            continue
        depth, tag = found.tags[0]
        unions.setdefault(found.path[:depth], {}).setdefault(tag, []).append(found)
    for path, branches in unions.items():
        value = _value_at(data, path)
        meant = min(branches.values(), key=lambda branch: _distance(branch, path, value))
        kept += _choose_branches([found._replace(tags=found.tags[1:]) for found in meant], data)
    return kept


def _distance(branch: list[_Located], path: Path, value: Any) -> int:
    """How far a branch is from what was written: it went inside, refused the value, or its kind."""
    if all(len(found.path) > len(path) for found in branch):
        return 0
    kinds = {found.error["type"] for found in branch}
    if isinstance(value, str) and not kinds & _MISMATCH:
        return 1
    if isinstance(value, dict | list):
        return 2 if "value_error" in kinds else 3 if kinds - {"string_type", "literal_error"} else 4
    return 2 if "string_type" in kinds else 3 if "literal_error" in kinds else 4


def _findings(document: SourceDocument, faults: Iterable[Fault]) -> Iterator[Finding]:
    for fault in faults:
        code, message, remedy = fault.cause
        yield document.finding(
            code,
            fault.path,
            message,
            remedy=remedy,
            value=None if code == "LBA141" else fault.value,
            at_key=code in ("LBA140", "LBA141"),
        )


def _faults(mistakes: list[Mistake]) -> Iterator[Fault]:
    unknown = {m.path for m in mistakes if m.error["type"] == "extra_forbidden"}
    meant = {(*m.path[:-1], suggestion(m)) for m in mistakes if m.path in unknown}
    for mistake in mistakes:
        missing = mistake.error["type"] == "missing"
        if missing and mistake.path in meant:
            continue  # the same cause as the misspelt key
        yield Fault(mistake.path, cause_of(mistake), mistake.value)


def _value_at(data: Any, path: Path) -> Any:
    for step in path:
        if not _has(data, step):
            return None
        data = data[step]
    return data


def _has(data: Any, step: str | int) -> bool:
    if isinstance(data, list | tuple):
        return isinstance(step, int) and step < len(data)
    return isinstance(data, dict) and step in data
