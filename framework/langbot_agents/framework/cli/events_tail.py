"""`lba events tail`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import Whole


@click.command(
    "tail",
    cls=Command,
    help=t("Follow the log: each event with its outcome and who answers, on one line."),
    detail=t(
        "It reads the store beside a running host, from any number of terminals, and changes nothing. An "
        "event is shown once it is decided. Ctrl-C ends it."
    ),
    examples=(
        ("lba events tail --unmatched", t("What nobody takes, as it comes.")),
        (
            "lba events tail --type 'message.*' --filter \"contains(input.text, 'refund')\"",
            t("Some messages."),
        ),
        ("lba events tail --last 1000 --no-follow -o json", t("The last thousand, one JSON object a line.")),
    ),
)
@click.option("--filter", "expr", metavar="EXPR", help=t("Only events for which this filter is true."))
@click.option(
    "--type", "event_type", metavar="TYPE", help=t("Only this event type, or a pattern such as message.*.")
)
@click.option("--unmatched", is_flag=True, help=t("Only events that nobody takes."))
@click.option(
    "--last", type=Whole(0, 1_000_000), default="10", help=t("Begin with the last N. [default: 10]")
)
@click.option("--no-follow", is_flag=True, help=t("End where the log ends."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session,
    *,
    expr: str | None,
    event_type: str | None,
    unmatched: bool,
    last: int,
    no_follow: bool,
    workspace: str,
) -> int:
    """Follow the log."""
    from .loading import open_project
    from .tail_text import compiled, print_seen, seen_data
    from .tailing import Tail, Wanted

    wanted = Wanted(
        filter=None if expr is None else compiled(expr), event_type=event_type, unmatched=unmatched
    )
    project = open_project(session)
    tail = Tail(project, workspace)
    tail.step_back(last)
    try:
        for seen in tail.rest() if no_follow else tail.follow():
            if wanted.takes(seen, project.settings.timezone):
                print_seen(session.output, seen)
                session.output.record("events-tail", seen_data(seen))
    except KeyboardInterrupt:
        return 0  # the usual end
    return 0
