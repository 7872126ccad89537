"""Why one binding answers before another: the first element of their ranks that differs."""

from dataclasses import dataclass
from typing import Any, Literal

from ..bindings import SCOPE_FIELDS, BindingEntry
from ..texts import t

Element = Literal["priority", "scope", "event_type", "binding_id"]

SPECIFICITY = {0: "anything", 1: "a pattern", 2: "several values", 3: "one value"}
"""What the number of a scope field's specificity means."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RankStep:
    """The element that decides between two bindings, and what each has there."""

    element: Element
    better: Any
    worse: Any
    field: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The step as JSON data."""
        return {"element": self.element, "field": self.field, "better": self.better, "worse": self.worse}

    def sentence(self) -> str:
        """The step in words, the better one first."""
        match self.element:
            case "priority":
                return t("priority {better} over {worse}", better=self.better, worse=self.worse)
            case "scope":
                return t(
                    "its scope.{field} names {better}, the other's {worse}",
                    field=self.field,
                    better=t(SPECIFICITY[self.better]),
                    worse=t(SPECIFICITY[self.worse]),
                )
            case "event_type":
                return t(
                    "its event type {better!r} is closer than {worse!r}", better=self.better, worse=self.worse
                )
        return t("only by its name: {better!r} sorts before {worse!r}", better=self.better, worse=self.worse)


def rank_step(better: BindingEntry, worse: BindingEntry, event_type: str) -> RankStep:
    """The first difference in rank, in the router's order."""
    if better.document.priority != worse.document.priority:
        return RankStep(element="priority", better=better.document.priority, worse=worse.document.priority)
    for name, mine, other in zip(SCOPE_FIELDS, better.scope_rank, worse.scope_rank, strict=True):
        if mine != other:
            return RankStep(element="scope", field=name, better=mine, worse=other)
    if better.type_rank(event_type) != worse.type_rank(event_type):
        return RankStep(
            element="event_type", better=_pattern(better, event_type), worse=_pattern(worse, event_type)
        )
    return RankStep(element="binding_id", better=better.binding_id, worse=worse.binding_id)


def _pattern(entry: BindingEntry, event_type: str) -> str:
    """The event type of the binding that takes the event."""
    if event_type in entry.exact:
        return event_type
    return next((f"{prefix}*" for prefix in entry.prefixes if event_type.startswith(prefix)), "")
