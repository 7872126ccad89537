"""`lba events list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import OneOf, Whole


@click.command(
    "list",
    cls=Command,
    help=t("List the events of the log, newest first."),
    detail=t("It reads the store beside a running host, and changes nothing."),
    examples=(
        ("lba events list --outcome unmatched", t("What came in and was taken by nobody.")),
        (
            "lba events list --type message.received --limit 5 -o json",
            t("The last five messages, for a program."),
        ),
    ),
)
@click.option("--limit", type=Whole(1, 1000), default="20", help=t("How many. [default: 20]"))
@click.option("--type", "event_type", metavar="TYPE", help=t("Only this event type."))
@click.option(
    "--outcome",
    type=OneOf("matched", "observed", "unmatched"),
    help=t("Only events with this decision."),
)
@click.option("--before", metavar="CURSOR", type=Whole(0, 2**62), help=t("Older than this place in the log."))
@click.option(
    "--after",
    metavar="CURSOR",
    type=Whole(0, 2**62),
    help=t("Newer than this place in the log, oldest first."),
)
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session,
    *,
    limit: int,
    event_type: str | None,
    outcome: str | None,
    before: int | None,
    after: int | None,
    workspace: str,
) -> int:
    """List events."""
    from ..errors import UsageError
    from ..store import Cursor, events
    from ..store.events import StoredEvent
    from .loading import open_project, read_log
    from .log_text import listed, print_events

    if before is not None and after is not None:
        raise UsageError(t("give --before or --after, not both"))
    project = open_project(session)

    def read(cursor: Cursor) -> list[StoredEvent]:
        return events.page(
            cursor,
            workspace,
            after=after,
            before=before,
            limit=limit,
            event_type=event_type,
            outcome=outcome,
        )

    page = read_log(project, read)
    more = str(page[-1].seq) if len(page) == limit else None
    print_events(session.output, page)
    if more is not None:
        word = "after" if after is not None else "before"
        session.output.note((t("more: {option}", option=f"--{word} {more}"), "dim"))
    session.output.document("events-list", {"events": [listed(item) for item in page], "next_cursor": more})
    return 0
