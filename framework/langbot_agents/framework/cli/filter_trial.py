"""A filter tried on one event: what came out, leg by leg, and what a binding with it would be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.events import AgentEventEnvelope

from ..errors import UsageError
from ..filters import (
    STANDARD,
    FilterSyntaxError,
    Frame,
    FunctionSet,
    Problem,
    Truth,
    check_filters,
    compile_filter,
    evaluate_all,
    parse,
)
from ..filters.parts import Part, parts_of
from ..router import RoutedEvent
from ..texts import t
from .output import Output, clean, one_line

_MARKS = {"true": ("√", "green"), "false": ("×", "red"), "error": ("!", "yellow")}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What a filter is on an event."""

    expr: str
    event_type: str
    clock: float
    function_set: str
    truth: Truth
    legs: tuple[Part, ...]
    problems: Sequence[Problem]
    """What loading a binding with this filter for this event type would say."""

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "expr": self.expr,
            "event_type": self.event_type,
            "clock": self.clock,
            "function_set": self.function_set,
            "truth": self.truth,
            "legs": [leg.as_dict() for leg in self.legs],
            "problems": [
                {
                    "kind": item.kind,
                    "severity": "warning" if item.is_warning else "error",
                    "offset": item.offset,
                    "width": item.width,
                    "message": item.message,
                    "remedy": item.remedy,
                }
                for item in self.problems
            ],
        }


def try_filter(
    expr: str,
    event: AgentEventEnvelope,
    clock: float,
    timezone: str,
    *,
    functions: FunctionSet = STANDARD,
) -> Trial:
    """Evaluate a filter as the router does. Raises `UsageError` for one that cannot be read."""
    try:
        compiled = compile_filter(expr, functions)
    except FilterSyntaxError as error:
        pointed = f"{clean(expr)}\n{' ' * error.offset}{'^' * error.width}"
        raise UsageError(
            t("not a JMESPath expression: {cause}", cause=error.message) + "\n" + pointed,
            remedy=t("text stands in single quotes, for example `input.text == 'hello'`"),
        ) from None
    document = {**RoutedEvent(event).json, "now": clock}

    def frame() -> Frame:
        return Frame(document, now=clock, timezone=timezone)

    whole = evaluate_all([compiled], document, frame())
    assert whole is not None
    return Trial(
        expr=expr,
        event_type=event.event_type,
        clock=clock,
        function_set=functions.version,
        truth=whole.truth,
        legs=tuple(parts_of(leg, document, frame(), functions) for leg in compiled.legs),
        problems=check_filters([(expr, parse(expr))], [event.event_type], functions)[0],
    )


def print_trial(out: Output, trial: Trial) -> None:
    """The trial as a terminal shows it."""
    mark, style = _MARKS[trial.truth]
    words = {"true": t("true"), "false": t("false"), "error": t("an error, which is no match")}
    out.line((f"{mark} {words[trial.truth]}", f"bold {style}"), "  ", (trial.event_type, "dim"))
    for leg in trial.legs:
        _print_part(out, leg, 1)
    for problem in trial.problems:
        out.line()
        out.line(trial.expr)
        out.line((" " * problem.offset + "^" * problem.width, "yellow" if problem.is_warning else "red"))
        out.line(problem.message)
        if problem.remedy:
            out.line(problem.remedy, indent=2)


def _print_part(out: Output, part: Part, depth: int) -> None:
    mark, style = _MARKS[part.truth]
    if depth == 1:
        out.line((mark, style), " ", part.text, *_why(part), indent=2)
    else:
        shown = part.reason if part.reason is not None else one_line(part.value, 120)
        out.line((part.text, "dim"), " = ", shown, indent=2 * depth + 2)
    for inner in part.parts:
        _print_part(out, inner, depth + 1)


def _why(part: Part) -> list[str]:
    return [] if part.reason is None else [f"  {part.reason}"]
