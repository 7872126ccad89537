"""`--set path=value`: fields of an event, changed by their dotted paths."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..explanation.overlay import PathError, overlaid
from ..texts import t


def lay_over(data: Mapping[str, Any], sets: Iterable[str]) -> dict[str, Any]:
    """A copy of an event with fields set; a path that no event has is refused. Raises `UsageError`."""
    changes = [_change(written) for written in sets]
    try:
        return overlaid(data, changes)
    except PathError as error:
        raise UsageError(f"--set {error.message}", remedy=error.remedy) from None


def _change(written: str) -> tuple[str, Any]:
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise UsageError(
            t("--set {written!r} has no `=`", written=written),
            remedy=t("write for example --set actor.actor_id=42"),
        )
    return name, _value(value, name)


def _value(text: str, name: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    # an id is text also where it looks like a number
    if isinstance(value, int | float) and not isinstance(value, bool) and name.endswith("_id"):
        return text
    return value
