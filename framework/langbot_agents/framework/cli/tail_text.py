"""Events of the log, each on a line of its own as it comes."""

from typing import Any

from ..errors import UsageError
from ..filters import CompiledFilter, FilterSyntaxError, compile_filter
from ..texts import t
from .log_text import listed, outcome_part
from .output import Output, one_line
from .tailing import Seen


def compiled(expr: str) -> CompiledFilter:
    """The filter of `--filter`. Raises `UsageError` with a caret at the fault."""
    try:
        return compile_filter(expr)
    except FilterSyntaxError as error:
        place = f"--filter:{error.offset + 1}"
        marked = f"{expr}\n    {' ' * error.offset}{'^' * max(1, error.width)}"
        raise UsageError(t("{place}: {cause}", place=place, cause=error.message), remedy=marked) from None


def seen_data(seen: Seen) -> dict[str, Any]:
    """An event, its outcome and its winner as JSON data; `event` is the whole of it."""
    decision = seen.decision
    return {
        **listed(seen.stored),
        "winner": seen.winner,
        "observers": [] if decision is None else list(decision.observers),
        "event": seen.stored.envelope.model_dump(mode="json"),
    }


def print_seen(out: Output, seen: Seen) -> None:
    """One line."""
    event = seen.stored.envelope
    outcome = seen.stored.outcome
    text = "" if event.input.text is None else one_line(event.input.text, 48)
    part = outcome_part(outcome)
    word, style = (part, "") if isinstance(part, str) else part
    out.line(
        (out.moment(event.received_at), "dim"),
        "  ",
        (f"{word:<9}", style),
        "  ",
        (seen.winner or "-", "bold" if seen.winner else "dim"),
        f"  {event.event_type}  {event.conversation_id or event.source.name}",
        f"  {text}" if text else "",
        (f"  {event.event_uid}", "dim"),
    )
