"""A review of an event as a terminal shows it: one sentence, the record, the reasons of then, and now."""

from typing import Any

from ..texts import t
from .diff_text import move_parts, print_cause
from .explanation_text import headline, print_explained
from .log_text import print_story
from .output import Output
from .reviewing import Review, decision_data
from .why_sentence import sentence


def as_dict(review: Review, *, other: str | None) -> dict[str, Any]:
    """The review as JSON data."""
    story = review.recorded.story
    return {
        "event": story.stored.envelope.model_dump(mode="json"),
        "sentence": sentence(review.recorded, review.then),
        "decision": decision_data(review.decision),
        "then": None if review.then is None else review.then.as_dict(),
        "repeats": review.repeats,
        "became": story.summary(),
        "with": other,
        "now": review.now.as_dict(),
        "differs": review.differs,
        "moves": None if review.moves is None else [move.as_dict() for move in review.moves],
    }


def print_review(out: Output, review: Review, *, other: str | None, everything: bool) -> None:
    """The whole review."""
    out.line((sentence(review.recorded, review.then), "bold"))
    out.line()
    print_story(out, review.recorded.story, review.decision)
    out.line()
    out.line((t("The reasons of then"), "bold"))
    if review.then is not None:
        print_explained(out, review.then, everything=everything)
        if not review.repeats:
            out.line(
                (t("they come to another decision now: the filter functions or a runner changed"), "yellow")
            )
    elif review.decision is None:
        out.line(t("none: it is not decided yet"), indent=2)
    else:
        digest = review.decision.set_digest.removeprefix("sha256:")[:12]
        out.line(t("not known: the store has no set {digest}", digest=digest), indent=2)
    out.line()
    out.line((t("Now") if other is None else t("With {path}", path=other), "bold"))
    out.line(*headline(review.now), indent=2)
    if review.moves:
        for move in review.moves:
            out.line(*move_parts(move), indent=2)
            print_cause(out, move, indent=4)
    elif review.differs:
        out.line((t("not as it was"), "yellow"), indent=2)
    elif review.decision is not None:
        out.line((t("as it was"), "dim"), indent=2)
