"""What a reload changed, as a terminal shows it."""

from ..reload import Change, RootStatus
from ..texts import t
from .output import Output, Part

MAX_NAMES = 5


def print_change(out: Output, change: Change, root: RootStatus) -> None:
    """One line on what is live now, and one for each document that is not."""
    told: list[Part] = []
    for text, names in (
        (t("{count} added", count=len(change.added)), change.added),
        (t("{count} changed", count=len(change.changed)), change.changed),
        (t("{count} removed", count=len(change.removed)), change.removed),
        (t("{count} mended", count=len(change.mended)), change.mended),
        (t("langbot-agents.yaml: {count} keys", count=len(change.keys)), change.keys),
    ):
        if names:
            told.append(f"{', ' if told else ''}{text} ({_some(names)})")
    if told:
        out.line((t("reloaded: "), "bold"), *told)
    for item in change.failed:
        out.line(("x ", "bold red"), item.reason)
    if root.reason is not None:
        out.line(("! ", "yellow"), root.reason)


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:MAX_NAMES])
    return shown if len(names) <= MAX_NAMES else f"{shown}, …"
