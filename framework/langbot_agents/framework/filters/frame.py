"""What an evaluation carries along: the event, the time, and how much of it is left."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from ..texts import t

BUDGET_SECONDS = 0.05
"""How long what shares a frame may take on one event; the router gives each filter of a binding its own."""

STEPS_BETWEEN_LOOKS = 1_000
"""Elements or, in hundreds, characters that are looked at between two looks at the clock."""

MAX_MADE = 4_000_000
"""Characters of a text that a filter makes, such as by `join`; nobody can stop one that is being made."""


class EvaluationError(Exception):
    """A filter that cannot be answered on an event; its text says why."""


def reason_of(error: BaseException) -> str:
    """What an exception says, whoever wrote it."""
    try:
        return str(error) or type(error).__name__
    except Exception:  # isolation boundary: an exception of foreign code may fail to say what it is
        return type(error).__name__


class Frame:
    """One evaluation: `now` in Unix seconds, the zone of `hour_in`, and a budget of time."""

    __slots__ = ("document", "ends_at", "now", "steps", "timezone")

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        now: float = 0.0,
        timezone: str = "UTC",
        seconds: float = BUDGET_SECONDS,
    ) -> None:
        self.document = document
        self.now = now
        self.timezone = timezone
        self.ends_at = perf_counter() + seconds
        self.steps = STEPS_BETWEEN_LOOKS

    def spend(self, steps: int) -> None:
        """Note some work. Raises `EvaluationError` once the budget is used up."""
        self.steps -= steps
        if self.steps <= 0:
            self.left()
            self.steps = STEPS_BETWEEN_LOOKS

    def left(self) -> float:
        """Seconds that are left. Raises `EvaluationError` where there are none."""
        left = self.ends_at - perf_counter()
        if left <= 0:
            raise EvaluationError(t("it takes too long on this event"))
        return left
