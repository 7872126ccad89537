"""The events that `diff` and `replay` are asked about: a span of the log, a file, stdin, or samples."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from langbot_agents.schemas.catalogue import contract, sample, standard_types
from langbot_agents.schemas.units import parse_duration

from ..clock import rfc3339
from ..errors import InvalidEventError, UsageError
from ..explanation import envelope_of
from ..project import Project
from ..router import RoutedEvent
from ..store import Database, events, spans
from ..store.events import StoredEvent
from ..texts import t

PAGE = 500
"""Events of the log that are in memory at once."""

SAMPLES = "samples"
"""The name of every sample of the catalogue."""

Given = tuple[RoutedEvent, float, str]
"""An event, the time at which it is decided, and how a person finds it again."""

Tell = Callable[[str], None]
"""Shows how far it is."""


def span_of(text: str) -> float | None:
    """The seconds of `7d`; None for what is no span of time."""
    if not text[:1].isdigit():
        return None
    try:
        seconds = float(parse_duration(text))
    except ValueError:
        return None
    return seconds if 0 < seconds <= 3_153_600_000 else None


def log_since(
    project: Project, seconds: float, workspace: str, tell: Tell = lambda _text: None
) -> Iterator[StoredEvent]:
    """What came in within the last seconds, oldest first, page by page. Raises `StoreError`."""
    url = project.settings.storage.url
    database = Database.open(url, root=project.root, lock=False, read_only=True)
    since = rfc3339(datetime.fromtimestamp(time.time() - seconds, UTC))
    first, last, count = database.read_now(spans.span, workspace, since)
    place, done = first - 1, 0
    while count and place < last:
        page = database.read_now(events.page, workspace, after=place, limit=PAGE)
        if not page:
            return
        for item in page:
            if item.seq > last:
                return
            yield item
        place, done = page[-1].seq, done + len(page)
        tell(t("{done} of {count} events", done=done, count=count))


def given_events(
    names: Iterable[str], project: Project, *, workspace: str, at: float | None, tell: Tell
) -> Iterator[Given]:
    """The events of each name, decided at `at`, else when each came in, else now.

    Raises `UsageError` and `InvalidEventError`.
    """
    for name in names:
        if name == "-":
            yield from _lines(sys.stdin, "-", at)
        elif name == SAMPLES:
            for each in standard_types():
                yield _sample(each.name, at)
        elif contract(name) is not None:
            yield _sample(name, at)
        elif Path(name).is_file():
            with Path(name).open(encoding="utf-8") as file:
                yield from _lines(file, name, at)
        elif (seconds := span_of(name)) is not None:
            for item in log_since(project, seconds, workspace, tell):
                yield routed(item, at)
        else:
            raise UsageError(
                t("--events {name!r} is no span of time, no file and no event type", name=name),
                remedy=t("write for example 7d, events.ndjson, `-`, message.received or samples"),
            )


def routed(item: StoredEvent, at: float | None = None) -> Given:
    """A logged event as the router takes it, at the time of its coming."""
    envelope = item.envelope
    received = envelope.received_at
    clock = at if at is not None else (time.time() if received is None else received.timestamp())
    return RoutedEvent(envelope), clock, envelope.event_uid or ""


def _sample(name: str, at: float | None) -> Given:
    return RoutedEvent(envelope_of(sample(name))), time.time() if at is None else at, name


def _lines(file: IO[str], name: str, at: float | None) -> Iterator[Given]:
    """One JSON object a line; blank lines are nothing."""
    number = 0
    while True:
        number += 1
        try:
            line = file.readline()
        except UnicodeDecodeError as error:
            raise InvalidEventError(t("{place}: {cause}", place=f"{name}:{number}", cause=error)) from None
        if not line:
            return
        if line.strip():
            place = f"{name}:{number}"
            yield _event(_object(line, place), place, at)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidEventError(
            t("{place}: not valid JSON: {cause}", place=f"{place}:{error.colno}", cause=error.msg),
            remedy=t("one event a line, as `lba events tail -o json` prints them"),
        ) from None
    except RecursionError:
        raise InvalidEventError(t("{name}: nested too deeply", name=place)) from None
    if isinstance(data, dict) and isinstance(data.get("event"), dict):
        data = data["event"]
    if not isinstance(data, dict):
        raise InvalidEventError(t("{name}: an event is a mapping", name=place))
    return data


def _event(data: dict[str, Any], place: str, at: float | None) -> Given:
    try:
        envelope = envelope_of(data)
    except InvalidEventError as error:
        raise InvalidEventError(
            t("{place}: {cause}", place=place, cause=error.message),
            remedy=error.remedy,
            details=error.details,
        ) from None
    received = envelope.received_at
    clock = at if at is not None else (time.time() if received is None else received.timestamp())
    return RoutedEvent(envelope), clock, envelope.event_uid or envelope.event_id or place
