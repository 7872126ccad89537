"""`serve --dev`: each decision as a line, read from the event log behind it."""

import anyio

from ..app import Host
from ..errors import StoreError
from ..store import Cursor, decisions, events
from ..store.events import StoredEvent
from ..texts import t
from .log_text import outcome_part
from .output import Output, Part

PAUSE = 0.2
"""Seconds between two looks."""


async def print_decisions(out: Output, host: Host) -> None:
    """Print every decision that is made from now on, in the order of the log, until the store is closed."""
    workspace = "default"
    try:
        last = await host.db.read(_newest, workspace)
        while True:
            for item, parts in await host.db.read(_decided_after, workspace, last):
                out.line(*parts)
                last = item.seq
            await anyio.sleep(PAUSE)
    except StoreError:
        return


def _newest(cursor: Cursor, workspace: str) -> int:
    page = events.page(cursor, workspace, limit=1)
    return page[0].seq if page else 0


def _decided_after(cursor: Cursor, workspace: str, seq: int) -> list[tuple[StoredEvent, list[Part]]]:
    found: list[tuple[StoredEvent, list[Part]]] = []
    for item in events.page(cursor, workspace, after=seq, limit=200):
        if item.outcome is None:
            break
        decision = decisions.get(cursor, workspace, item.envelope.event_uid or "")
        event = item.envelope
        received = event.received_at
        parts: list[Part] = [
            (f"{received.astimezone():%H:%M:%S}  " if received else "", "dim"),
            f"{event.event_type}  {event.conversation_id or event.source.name}  ",
            outcome_part(item.outcome),
        ]
        if decision is not None and decision.winner is not None:
            parts += [" → ", (decision.winner, "bold")]
        if decision is not None and decision.observers:
            parts.append(t(" (observed by {names})", names=", ".join(decision.observers)))
        parts.append((f"  {event.event_uid}", "dim"))
        found.append((item, parts))
    return found
