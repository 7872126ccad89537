"""Fields of an event, changed by their dotted paths."""

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from langbot_agents.schemas.events import AgentEventEnvelope

from ..documents import Path, nearest
from ..documents.shapes import annotations_at, key_names
from ..errors import UsageError
from ..texts import t

SAME = (("conversation_type",), ("metadata", "chat_type"))
"""Two fields that say the same: who sets one has set the other."""

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class PathError(UsageError):
    """A path that no event has."""

    def __init__(self, name: str, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.name = name


def path_of(name: str) -> Path:
    """`contents[0].text` as steps."""
    return tuple(int(index) if index else word for word, index in _STEP.findall(name))


def overlaid(data: Mapping[str, Any], changes: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A copy of an event with fields set. Raises `PathError` for a path that no event has."""
    changed: dict[str, Any] = copy.deepcopy(dict(data))
    given: dict[Path, Any] = {}
    for name, value in changes:
        path = path_of(name)
        if not path:
            raise PathError(name, t("{name}: this is not a path", name=name))
        _check(path, name)
        _put(changed, path, value, name)
        given[path] = value
    for one, other in (SAME, SAME[::-1]):
        if one in given and other not in given and _has(changed, other):
            _put(changed, other, given[one], ".".join(map(str, one)))
    return changed


def _has(data: Any, path: Path) -> bool:
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return False
        data = data[step]
    return True


def _check(path: Path, name: str) -> None:
    """Refuse a key that the event's model does not have; free objects take any."""
    for index, step in enumerate(path):
        found = annotations_at(AgentEventEnvelope, path[:index])
        models = [each for each in found if isinstance(each, type) and issubclass(each, BaseModel)]
        names = sorted({key for model in models for key in key_names(model)})
        if models and isinstance(step, str) and step not in names:
            meant = nearest(step, names)
            raise PathError(
                name,
                t("{name}: an event has no {key!r} there", name=name, key=step),
                remedy=t("did you mean {near!r}?", near=meant)
                if meant
                else t("it has {names}", names=", ".join(names)),
            )


def _put(data: dict[str, Any], path: Path, value: Any, name: str) -> None:
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
        raise PathError(name, t("{name}: the list there has {count} entries", name=name, count=len(place)))
    if isinstance(place, dict) and isinstance(step, str):
        return step
    raise PathError(name, t("{name}: there is no place for {key!r}", name=name, key=step))
