"""Why the bot answered, or was silent, in one sentence that names the file and line."""

from ..explanation import Explained, Line
from ..texts import t
from .explanation_text import because
from .reply import ending
from .reviewing import Recorded

_NEAREST = ("filter_error", "filter_false", "inactive", "scope", "disabled")
"""Which reason is the nearest to a match, first the one that failed last."""


def sentence(recorded: Recorded, then: Explained | None) -> str:
    """What the record says."""
    decision = recorded.decision
    if decision is None:
        return t("it is not decided yet: the next start of the host decides it")
    if decision.veto is not None:
        return t("a hook stopped it: {reason}", reason=decision.veto)
    if decision.winner is None:
        return _nobody(then, observed=bool(decision.observers))
    place = _place(then, decision.winner)
    found = ending(recorded.story.summary(), decision.model_dump(mode="json"))
    if not found.answered:
        return t("{place}: {told}", place=place, told=found.sentence)
    runs = {item.run_id for item in recorded.story.runs if item.binding_id not in decision.observers}
    if any(item.run_id in runs for item in recorded.story.deliveries):
        return t("{place}: {binding} answered", place=place, binding=decision.winner)
    delivers = None
    if then is not None:
        delivers = next((item for item in then.outlooks if item.entry.binding_id == decision.winner), None)
    if delivers is not None and not delivers.destinations and delivers.downgrades:
        return t(
            "{place}: {binding} completed, but {reason}",
            place=place,
            binding=decision.winner,
            reason=delivers.downgrades[0].sentence(),
        )
    return t("{place}: {binding} completed and said nothing", place=place, binding=decision.winner)


def _place(then: Explained | None, binding_id: str) -> str:
    entry = None if then is None else then.bindings.get(binding_id)
    return t("(the set of then is not known)") if entry is None else entry.origin


def nearest(explained: Explained) -> Line | None:
    """The binding that came nearest to taking the event, of those that take its type."""
    for code in _NEAREST:
        for line in explained.by_code.get(code, []):
            if line.entry is not None and line.entry.type_rank(explained.event.event_type) is not None:
                return line
    return None


def _nobody(then: Explained | None, *, observed: bool) -> str:
    line = None if then is None else nearest(then)
    if then is None or line is None:
        if observed:
            return t("only observers took it, which never answer")
        if then is None:
            return t("no binding took it")
        out = [str(item.place) for item in then.by_code.get("quarantined", [])]
        if out:
            return t(
                "no binding takes events of type {name}; left out as quarantined: {places}",
                name=then.event.event_type,
                places=", ".join(out),
            )
        return t("no binding takes events of type {name}", name=then.event.event_type)
    told = because(then, line)
    place, name = line.place, line.reason.binding_id
    if observed:
        return t(
            "{place}: only observers took it; {binding}, the nearest, did not: {reason}",
            place=place,
            binding=name,
            reason=told,
        )
    return t(
        "{place}: no binding took it; {binding}, the nearest, did not: {reason}",
        place=place,
        binding=name,
        reason=told,
    )
