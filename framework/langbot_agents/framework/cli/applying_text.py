"""How far what is on disk is live, as a terminal shows it."""

from collections.abc import Mapping, Sequence

from ..texts import t
from .applying import Applied
from .output import Output

MAX_NAMES = 10

NEWS: Mapping[str, str] = {
    "added": "{count} new: {names}",
    "changed": "{count} changed: {names}",
    "removed": "{count} gone: {names}",
}
"""What is live now that was not."""
MISSING: Mapping[str, str] = {
    "added": "{count} that the host does not have: {names}",
    "changed": "{count} that it has in another form: {names}",
    "removed": "{count} that only it has: {names}",
}
"""What the host does not have as it is on disk."""


def print_applied(out: Output, applied: Applied) -> None:
    """The result, what it is about, and what to do."""
    if applied.live:
        out.line(
            ("√ ", "green"),
            t("live: {count} bindings", count=applied.bindings),
            (f"  {_short(applied.found)}", "dim"),
        )
        for name, ids in _changes(applied):
            out.line(t(NEWS[name], count=len(ids), names=_some(ids)), indent=2)
        return
    for finding in applied.findings:
        out.note(finding.render())
    out.note(("x ", "bold red"), t("not live: {reason}", reason=applied.reason))
    for name, ids in _changes(applied):
        out.note(t(MISSING[name], count=len(ids), names=_some(ids)), indent=2)
    if applied.remedy is not None:
        out.note(applied.remedy, indent=4)


def _changes(applied: Applied) -> list[tuple[str, Sequence[str]]]:
    return [(name, ids) for name, ids in applied.changes.items() if ids]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else "")


def _short(digest: str) -> str:
    return digest[:19]
