"""What a case expects against what happened."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.binding_tests import NOBODY, TestExpectation, TestMessage
from langbot_agents.schemas.records import Decision

from ..documents import Path as KeyPath

PATTERN_SECONDS = 1.0
"""How long a pattern of a test may look at a text."""

Codes = Callable[[], Mapping[str, str]]
"""Gives what became of each binding, by its id."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One expectation that was not met."""

    path: KeyPath
    """From the case to the expectation."""
    expected: Any
    actual: Any
    about: tuple[str, ...] = ()
    """Bindings whose reasons explain it."""
    note: str | None = None

    @property
    def name(self) -> str:
        """The field of `expect`."""
        return str(self.path[1])


@dataclass(frozen=True, kw_only=True)
class Happened:
    """What came behind a decision, in the host's own records."""

    dispatch: str | None
    """What became of the binding that answers."""
    status: str
    """How the run ended; `none` without one."""
    code: str | None
    reason: str | None
    messages: tuple[str, ...]
    actions: tuple[Mapping[str, Any], ...]
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "dispatch": self.dispatch,
            "status": self.status,
            "code": self.code,
            "reason": self.reason,
            "messages": list(self.messages),
            "actions": [dict(action) for action in self.actions],
            "warnings": list(self.warnings),
        }


def routing_mismatches(expect: TestExpectation, decision: Decision, codes: Codes) -> Iterator[Mismatch]:
    """What of a decision is not as expected."""
    if expect.winner is not None:
        actual = decision.winner or NOBODY
        if expect.winner != actual:
            about = tuple(name for name in (expect.winner, actual) if name != NOBODY)
            yield Mismatch(path=("expect", "winner"), expected=expect.winner, actual=actual, about=about)
    if expect.observers is not None and set(expect.observers) != set(decision.observers):
        missing = tuple(name for name in expect.observers if name not in decision.observers)
        yield Mismatch(
            path=("expect", "observers"),
            expected=sorted(expect.observers),
            actual=sorted(decision.observers),
            about=missing or tuple(set(decision.observers) - set(expect.observers)),
        )
    if expect.outcome is not None and expect.outcome != decision.outcome:
        yield Mismatch(path=("expect", "outcome"), expected=expect.outcome, actual=decision.outcome)
    if expect.reasons:
        found = codes()
        for name, code in expect.reasons.items():
            if found.get(name) != code:
                yield Mismatch(
                    path=("expect", "reasons", name), expected=code, actual=found.get(name), about=(name,)
                )


def running_mismatches(expect: TestExpectation, happened: Happened) -> Iterator[Mismatch]:
    """What of a run and its output is not as expected."""
    ended = f"{happened.code}: {happened.reason}" if happened.code else None
    for name in ("dispatch", "status", "code"):
        wanted, actual = getattr(expect, name), getattr(happened, name)
        if wanted is not None and wanted != actual:
            yield Mismatch(
                path=("expect", name),
                expected=wanted,
                actual=actual,
                note=ended if name == "status" else None,
            )
    if expect.messages is not None:
        yield from _messages(expect.messages, happened.messages, ended)
    if expect.actions is not None:
        yield from _actions(expect.actions, happened.actions)


def _messages(wanted: Sequence[TestMessage], actual: Sequence[str], ended: str | None) -> Iterator[Mismatch]:
    for index, (message, text) in enumerate(zip(wanted, actual, strict=False)):
        missed = missed_by(message, text)
        if missed is not None:
            kind, expected = missed
            path: KeyPath = ("expect", "messages", index)
            yield Mismatch(
                path=path if kind == "exact" else (*path, kind),
                expected=expected if kind == "exact" else {kind: expected},
                actual=text,
                note=ended,
            )
    if len(wanted) != len(actual):
        yield Mismatch(
            path=("expect", "messages"),
            expected=[_plain(message) for message in wanted],
            actual=list(actual),
            note=ended,
        )


def _plain(message: TestMessage) -> Any:
    """A message as a person writes it."""
    conditions = message.model_dump(exclude_none=True)
    return message.exact if list(conditions) == ["exact"] else conditions


def missed_by(message: TestMessage, text: str) -> tuple[str, str] | None:
    """Which of its conditions a text does not meet: its name and what it asks for."""
    if message.exact is not None and text != message.exact:
        return "exact", message.exact
    if message.contains is not None and message.contains not in text:
        return "contains", message.contains
    if message.matches is not None and not _found(message.matches, text):
        return "matches", message.matches
    return None


def _found(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        return False


def _actions(wanted: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]]) -> Iterator[Mismatch]:
    for index, (action, happened) in enumerate(zip(wanted, actual, strict=False)):
        if not holds(action, happened):
            yield Mismatch(path=("expect", "actions", index), expected=thaw(action), actual=thaw(happened))
    if len(wanted) != len(actual):
        yield Mismatch(
            path=("expect", "actions"),
            expected=[thaw(action) for action in wanted],
            actual=[thaw(action) for action in actual],
        )


def holds(wanted: Any, actual: Any) -> bool:
    """Whether all that is wanted is there; an object may hold more."""
    if isinstance(wanted, Mapping):
        return isinstance(actual, Mapping) and all(
            holds(value, actual.get(key)) for key, value in wanted.items()
        )
    if isinstance(wanted, tuple | list):
        return (
            isinstance(actual, tuple | list)
            and len(wanted) == len(actual)
            and all(map(holds, wanted, actual))
        )
    return type(wanted) is type(actual) and bool(wanted == actual)
