"""`--set path=value`: fields of an event, changed by their dotted paths."""

import copy
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from langbot_agents.schemas.events import AgentEventEnvelope

from ..documents import Path, nearest
from ..documents.shapes import annotations_at, key_names
from ..errors import UsageError
from ..texts import t

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def lay_over(data: Mapping[str, Any], sets: Iterable[str]) -> dict[str, Any]:
    """A copy of an event with fields set; a path that no event has is refused. Raises `UsageError`."""
    changed: dict[str, Any] = copy.deepcopy(dict(data))
    for written in sets:
        name, equals, value = written.partition("=")
        if not equals or not name:
            raise UsageError(
                t("--set {written!r} has no `=`", written=written),
                remedy=t("write for example --set actor.actor_id=42"),
            )
        path = _path(name)
        _check(path, name)
        _put(changed, path, _value(value, path), name)
    return changed


def _path(name: str) -> Path:
    steps: list[str | int] = []
    for word, index in _STEP.findall(name):
        steps.append(int(index) if index else word)
    return tuple(steps)


def _value(text: str, path: Path) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    # an id is text also where it looks like a number
    if isinstance(value, int | float) and not isinstance(value, bool) and str(path[-1]).endswith("_id"):
        return text
    return value


def _check(path: Path, name: str) -> None:
    """Refuse a key that the event's model does not have; free objects take any."""
    for index, step in enumerate(path):
        found = annotations_at(AgentEventEnvelope, path[:index])
        models = [each for each in found if isinstance(each, type) and issubclass(each, BaseModel)]
        names = sorted({key for model in models for key in key_names(model)})
        if models and isinstance(step, str) and step not in names:
            meant = nearest(step, names)
            raise UsageError(
                t("--set {name}: an event has no {key!r} there", name=name, key=step),
                remedy=t("did you mean {near!r}?", near=meant)
                if meant
                else t("it has {names}", names=", ".join(names)),
            )


def _put(data: dict[str, Any], path: Path, value: Any, name: str) -> None:
    if not path:
        raise UsageError(t("--set {name}: this is not a path", name=name))
    place: Any = data
    for written in path[:-1]:
        step = _step(place, written, name)
        following = place[step] if isinstance(place, list) else place.get(step)
        if following is None:
            following = place[step] = {}
        place = following
    place[_step(place, path[-1], name)] = value


def _step(place: Any, step: str | int, name: str) -> Any:
    """The step as the place takes it: `contents.0` is `contents[0]`."""
    if isinstance(place, list):
        index = int(step) if isinstance(step, int) or step.isdecimal() else len(place)
        if index < len(place):
            return index
        raise UsageError(t("--set {name}: the list there has {count} entries", name=name, count=len(place)))
    if isinstance(place, dict) and isinstance(step, str):
        return step
    raise UsageError(t("--set {name}: there is no place for {key!r}", name=name, key=step))
