"""A comparison as a terminal shows it: what moves, by its cause, most events first."""

from typing import Any

from ..comparison import Comparison, Group, Move
from ..texts import t
from . import counts
from .compared_sets import NamedSet
from .output import Output, Part


def as_dict(comparison: Comparison, old: NamedSet, new: NamedSet) -> dict[str, Any]:
    """The comparison and its sides as JSON data."""
    return {"old": _side(old), "new": _side(new), **comparison.as_dict()}


def _side(named: NamedSet) -> dict[str, Any]:
    return {
        "name": named.name,
        "set_digest": named.bindings.digest,
        "bindings": len(named.bindings),
        "quarantined": [
            {"binding_id": item.binding_id, "origin": item.origin, "reason": item.reason}
            for item in named.bindings.quarantined
        ],
    }


def print_comparison(out: Output, comparison: Comparison, old: NamedSet, new: NamedSet) -> None:
    """Each group, then the sum."""
    for side in (old, new):
        for item in side.bindings.quarantined:
            out.note(
                ("! ", "yellow"),
                t("{name}: {binding} is left out", name=side.name, binding=item.binding_id or item.origin),
                (f"  {item.reason}", "dim"),
            )
    for group in comparison.groups:
        _print_group(out, group)
        out.line()
    changed = len(comparison.change.binding_ids)
    if comparison.change.nothing:
        out.line((t("the two sets say the same"), "green"))
    elif not comparison.moved:
        told = t("nothing moves; changed: {bindings}", bindings=counts.bindings(changed))
        out.line((told, "green"), f"  {counts.events(comparison.events)}")
    else:
        events = counts.events(comparison.events)
        told = t("moved: {moved} of {events}", moved=comparison.moved, events=events)
        out.line((told, "bold"), f"  {t('changed: {bindings}', bindings=counts.bindings(changed))}")


def _print_group(out: Output, group: Group) -> None:
    out.line((counts.events(group.count), "bold"), "  ", *move_parts(group.move))
    print_cause(out, group.move, indent=4)
    names = ", ".join(group.examples)
    more = group.count - len(group.examples)
    out.line((names + (t(" and {count} more", count=more) if more else ""), "dim"), indent=4)


def move_parts(move: Move) -> tuple[Part, ...]:
    """What moves, on one line."""
    nobody = t("nobody")
    if move.kind == "handling":
        return (t("{binding} still takes it", binding=move.before),)
    if move.kind == "observer":
        if move.after is None:
            return (t("{binding} observes no more", binding=move.before),)
        return (t("{binding} observes, too", binding=move.after),)
    return ((move.before or nobody, "red"), " → ", (move.after or nobody, "green"))


def print_cause(out: Output, move: Move, *, indent: int) -> None:
    """The change behind it, with its place before and after."""
    cause = move.cause
    out.line(cause.sentence(), indent=indent)
    places = [str(place) for place in (cause.old, cause.new) if place is not None]
    if places:
        out.line((" → ".join(dict.fromkeys(places)), "dim"), indent=indent)
