"""The reply of one event: shown while it comes, and kept for who wants JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..texts import t
from .output import Output


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a reply: `accepted`, `message.open`, `message.delta`, `message.close` or `done`."""

    name: str
    data: Mapping[str, Any]


@dataclass(kw_only=True)
class _Shown:
    """What a person has seen of one message."""

    text: str = ""
    broken: bool = False


@dataclass(kw_only=True)
class Reply:
    """Takes the steps of one event as they come."""

    out: Output
    indent: str = ""
    accepted: dict[str, Any] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    done: dict[str, Any] = field(default_factory=dict)
    _shown: dict[tuple[str, str], _Shown] = field(default_factory=dict)
    _current: tuple[str, str] | None = None

    def take(self, step: Step) -> None:
        """Show what a step brings, at once."""
        match step.name:
            case "accepted":
                self.accepted = dict(step.data)
                if self.accepted.get("duplicate"):
                    uid = self.accepted.get("event_uid")
                    self.out.note(t("a repeat of {uid}: it does not run again; this is its reply", uid=uid))
            case "message.delta":
                self._grow(_key(step.data), str(step.data.get("text", "")))
            case "message.close":
                self._close(step.data)
            case "done":
                self.end()
                self.done = dict(step.data)

    def end(self) -> None:
        """End the line that a message was growing on, if any."""
        if self._current is not None:
            self.out.raw("\n")
            self._shown[self._current].broken = True
            self._current = None

    def _grow(self, key: tuple[str, str], text: str) -> None:
        shown = self._shown.setdefault(key, _Shown())
        if self._current != key:
            self.end()
            if shown.text:
                shown.broken = True
            self._current = key
            self._write(self.indent)
        shown.text += text
        self._write(text)

    def _close(self, data: Mapping[str, Any]) -> None:
        key, final = _key(data), str(data.get("text", ""))
        self.messages.append(dict(data))
        shown = self._shown.pop(key, _Shown())
        if self._current == key and not shown.broken and final.startswith(shown.text):
            self._write(final[len(shown.text) :])
            self.out.raw("\n")
            self._current = None
            return
        if self._current is not None:
            self.out.raw("\n")
            if self._current != key:
                self._shown[self._current].broken = True
            self._current = None
        if shown.text and not shown.broken:
            self.out.line((t("(this replaces it)"), "dim"), indent=len(self.indent))
        self._write(self.indent + (final or _parts(data)))
        self.out.raw("\n")

    def _write(self, text: str) -> None:
        """A piece of a message; its further lines are indented like the first."""
        self.out.raw(text.replace("\n", "\n" + self.indent))


def _key(data: Mapping[str, Any]) -> tuple[str, str]:
    return str(data.get("run_id")), str(data.get("message_id"))


def _parts(data: Mapping[str, Any]) -> str:
    """What a message without text consists of."""
    kinds = [str(part.get("type")) for part in data.get("contents", ())]
    return f"[{', '.join(kinds)}]" if kinds else ""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How an event ended, and whether that is well; `mark` and its style are what a terminal shows."""

    well: bool
    sentence: str
    answered: bool = False

    @property
    def mark(self) -> tuple[str, str]:
        """√ for an answer, ~ where nobody answers, x for a failure."""
        if not self.well:
            return "x ", "bold red"
        return ("√ ", "green") if self.answered else ("~ ", "yellow")


def ending(done: Mapping[str, Any], decision: Mapping[str, Any]) -> Ending:
    """What the records say, in one sentence; observers that fail do not count as the answer."""
    outcome = str(done.get("outcome"))
    observers = set(decision.get("observers", ()))
    runs = [run for run in done.get("runs", ()) if run["binding_id"] not in observers]
    dispatches = [item for item in done.get("dispatches", ()) if item["binding_id"] not in observers]
    if not dispatches:
        sentence = (
            t("observed: nobody answers it") if outcome == "observed" else t("unmatched: nobody answers it")
        )
        return Ending(well=outcome in {"observed", "unmatched"}, sentence=sentence)
    last = dispatches[-1]
    name = last["binding_id"]
    if last["outcome"] == "discarded":
        return Ending(
            well=True, sentence=t("discarded by {binding}: there is no answer, on purpose", binding=name)
        )
    if last["outcome"] != "started" or not runs:
        why = f"{last['outcome']}" + (f" ({last['reason']})" if last.get("reason") else "")
        well = last["outcome"] in {"loop_guard", "vetoed"}
        return Ending(
            well=well, sentence=t("{binding} was chosen, but not run: {why}", binding=name, why=why)
        )
    run = runs[-1]
    undelivered = [
        item
        for item in done.get("deliveries", ())
        if item["run_id"] == run["run_id"] and item["status"] != "sent"
    ]
    if run["status"] != "completed":
        why = ": ".join(str(part) for part in (run["code"], run["reason"]) if part)
        told = t("{binding} {status}: {why}", binding=name, status=run["status"], why=why or "-")
        return Ending(well=False, sentence=told)
    if undelivered:
        why = "; ".join(f"{item['surface']} {item['status']}: {item['error'] or '-'}" for item in undelivered)
        return Ending(
            well=False, sentence=t("{binding} completed, but not delivered: {why}", binding=name, why=why)
        )
    return Ending(well=True, answered=True, sentence=t("{binding} completed", binding=name))
