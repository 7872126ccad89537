"""The event of a case: a sample, a file beside the test, or written out; with what is set laid over it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.binding_tests import EVENT_FILES, BindingTestCase
from langbot_agents.schemas.catalogue import contract, sample, standard_types
from langbot_agents.schemas.events import AgentEventEnvelope

from ..documents import Path as KeyPath
from ..documents import check_keys, nearest, read_source
from ..errors import InvalidEventError
from ..explanation import envelope_of
from ..explanation.overlay import PathError, overlaid, path_of
from ..texts import t


class EventFault(Exception):
    """A case's event cannot be made; `path` leads from the case to what is at fault."""

    def __init__(
        self, code: str, path: KeyPath, message: str, remedy: str | None = None, *, at_key: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
        self.at_key = at_key
        """Whether it is the key at the path that is wrong."""


@dataclass(frozen=True, kw_only=True)
class CaseEvent:
    """A case's event, made whole as the host would make it."""

    origin: Literal["sample", "file", "inline"]
    name: str
    envelope: AgentEventEnvelope


def event_of(case: BindingTestCase, folder: Path) -> CaseEvent:
    """The event of a case whose file lies in `folder`. Raises `EventFault`."""
    if not isinstance(case.event, str):
        data = thaw(case.event)
        return CaseEvent(
            origin="inline", name=str(data.get("event_type", "-")), envelope=_envelope(case, data)
        )
    name = case.event
    if contract(name) is not None:
        return CaseEvent(origin="sample", name=name, envelope=_envelope(case, sample(name)))
    if "/" not in name and not name.endswith(EVENT_FILES):
        names = [found.name for found in standard_types()]
        meant = nearest(name, names)
        raise EventFault(
            "LBA321",
            ("event",),
            t("{name!r} is no event type of the catalogue, and no file", name=name),
            t("did you mean {near!r}?", near=meant)
            if meant
            else t("`lba events sample` lists the event types; an event of another type is written out here"),
        )
    return CaseEvent(origin="file", name=name, envelope=_envelope(case, _read(folder / name, name)))


def _read(path: Path, name: str) -> dict[str, Any]:
    """The one event of a JSON or YAML file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        message = t("{path}: {cause}", path=name, cause=error.strerror)
        raise EventFault(
            "LBA321", ("event",), message, t("the path starts at the folder of the test file")
        ) from None
    data: Any = None
    if name.endswith(".json"):
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise EventFault(
                "LBA322", ("event",), t("{place}: not valid JSON: {cause}", place=name, cause=error)
            ) from None
    else:
        source = read_source(content, name)
        findings = [*source.findings, *(each for found in source.documents for each in found.findings)]
        if findings:
            raise EventFault("LBA322", ("event",), findings[0].headline(), findings[0].remedy)
        if len(source.documents) == 1:
            data = source.documents[0].data
    if not isinstance(data, dict):
        raise EventFault(
            "LBA322",
            ("event",),
            t("{name}: an event is a mapping", name=name),
            t("`lba events sample message.received` shows a whole event"),
        )
    return data


def _envelope(case: BindingTestCase, data: dict[str, Any]) -> AgentEventEnvelope:
    try:
        data = overlaid(data, thaw(case.set).items())
    except PathError as error:
        raise EventFault("LBA322", ("set", error.name), error.message, error.remedy, at_key=True) from None
    try:
        check_keys(data)
        return envelope_of(data)
    except InvalidEventError as error:
        detail = error.details[0]
        raise EventFault(
            "LBA322",
            _place(case, str(detail["path"])),
            error.message,
            error.remedy,
        ) from None


def _place(case: BindingTestCase, written: str) -> KeyPath:
    """What of a case made a field of the event wrong: what was set, else the field where it is written."""
    steps: KeyPath = tuple(
        int(step) if step.isdecimal() else step for step in re.findall(r"[^.\[\]]+", written)
    )
    for name in case.set:
        changed = path_of(name)
        if changed == steps[: len(changed)] or steps == changed[: len(steps)]:
            return "set", name
    return ("event",) if isinstance(case.event, str) else ("event", *steps)
