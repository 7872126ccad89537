"""The EVENT that a person names: a sample of the catalogue, a file, stdin, or an event of the log."""

import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from langbot_agents.schemas.catalogue import contract, sample, standard_types

from ..documents import check_keys, nearest, read_source
from ..errors import InvalidEventError, NotFoundError, StoreError, UsageError
from ..ids import new_id
from ..project import Project
from ..texts import t
from .event_set import lay_over
from .loading import find_event, read_log

Origin = Literal["sample", "file", "stdin", "log"]
_SUFFIXES = (".json", ".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class EventInput:
    """An event as it was given, before a host completes it."""

    data: dict[str, Any]
    origin: Origin
    name: str

    def fresh(self) -> "EventInput":
        """A sample as if it happened now; as an event of its own, not a repeat of the last one."""
        if self.origin != "sample":
            return self
        return replace(self, data={**self.data, "event_id": new_id("sample"), "event_time": time.time()})


def read_event(
    name: str, sets: tuple[str, ...] = (), *, project: Project | None = None, workspace: str = "default"
) -> EventInput:
    """Read what EVENT names, with a project also in its log. Raises `UsageError`, `InvalidEventError`."""
    given = _named(name, project, workspace)
    given = replace(given, data=lay_over(given.data, sets)) if sets else given
    if given.origin != "log":  # what an adapter said is as it is
        check_keys(given.data)
    return given


def message(text: str, actor: str, conversation: str | None) -> EventInput:
    """A `message.received` from a person, as `--text` makes it."""
    place = conversation or f"person_{actor}"
    data: dict[str, Any] = {
        "event_type": "message.received",
        "event_time": time.time(),
        "conversation_id": place,
        "conversation_type": "group" if place.startswith("group_") else "private",
        "actor": {"actor_type": "user", "actor_id": actor, "actor_name": actor},
        "subject": {"subject_type": "message"},
        "input": {"text": text, "contents": [{"type": "text", "text": text}]},
    }
    return EventInput(data=data, origin="sample", name="message.received")


def _named(name: str, project: Project | None, workspace: str) -> EventInput:
    if name == "-":
        if sys.stdin.isatty():
            raise UsageError(
                t("EVENT is `-`, but nothing is piped in"), remedy=t("pipe an event in, or name one")
            )
        return EventInput(data=_parsed(sys.stdin.buffer.read(), "-"), origin="stdin", name="-")
    if contract(name) is not None:
        return EventInput(data=sample(name), origin="sample", name=name)
    path = Path(name)
    if path.is_file():
        return EventInput(data=_parsed(_content(path), name), origin="file", name=name)
    if "/" in name or name.endswith(_SUFFIXES):
        raise UsageError(t("{name}: there is no such file", name=name))
    if project is not None and (stored := _logged(name, project, workspace)) is not None:
        return stored
    raise _unknown(name, in_log=project is not None)


def _logged(name: str, project: Project, workspace: str) -> EventInput | None:
    try:
        stored = read_log(project, lambda cursor: find_event(cursor, workspace, name))
    except (StoreError, NotFoundError):
        if name.startswith("evt_"):
            raise
        return None
    data = stored.envelope.model_dump(mode="json")
    return EventInput(data=data, origin="log", name=stored.envelope.event_uid or name)


def _unknown(name: str, *, in_log: bool) -> UsageError:
    names = [each.name for each in standard_types()]
    meant = nearest(name, names)
    remedy = (
        t("did you mean {near!r}?", near=meant)
        if meant
        else t("`lba events sample` lists the event types; a file or `-` works too")
    )
    if in_log:
        message = t("{name!r} is no event type of the catalogue, no file, and no event of the log", name=name)
    else:
        message = t("{name!r} is no event type of the catalogue, and no file", name=name)
    return UsageError(message, remedy=remedy)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(t("{path}: {cause}", path=path, cause=error.strerror)) from None


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    """The one event of a text, JSON or strict YAML."""
    data: Any
    if name.endswith(".json") or content.lstrip()[:1] == b"{":
        try:
            data = json.loads(content)
        except UnicodeDecodeError as error:
            raise InvalidEventError(t("{place}: {cause}", place=name, cause=error)) from None
        except json.JSONDecodeError as error:
            if name.endswith(".json") or not name.endswith(_SUFFIXES):
                place = f"{name}:{error.lineno}:{error.colno}"
                raise InvalidEventError(
                    t("{place}: not valid JSON: {cause}", place=place, cause=error.msg)
                ) from None
            data = _yaml(content, name)
        except RecursionError:
            raise InvalidEventError(t("{name}: nested too deeply", name=name)) from None
    else:
        data = _yaml(content, name)
    if not isinstance(data, dict):
        raise InvalidEventError(t("{name}: an event is a mapping", name=name), remedy=_sample_hint())
    if "specversion" in data and "event_type" not in data:
        raise InvalidEventError(
            t("{name}: a CloudEvent; this command reads events in our own form", name=name),
            remedy=t("post it to /v1/events as application/cloudevents+json"),
        )
    return data


def _yaml(content: bytes, name: str) -> Any:
    source = read_source(content, name)
    findings = [*source.findings, *(f for document in source.documents for f in document.findings)]
    if findings:
        raise InvalidEventError(t("{name}: not an event", name=name), details=findings)
    if len(source.documents) != 1:
        raise InvalidEventError(
            t("{name}: one event is wanted, found {count}", name=name, count=len(source.documents)),
            remedy=_sample_hint(),
        )
    return source.documents[0].data


def _sample_hint() -> str:
    return t("`lba events sample message.received` shows a whole event")
