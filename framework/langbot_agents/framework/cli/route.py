"""`lba route`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common, sets_option


@click.command(
    "route",
    cls=Command,
    help=t("Explain which binding answers an event, and why each of the others does not."),
    detail=t(
        "It asks the same router as the host, needs no running host, and starts nothing. A filter "
        "that fails is shown with the values it looked at."
    ),
    examples=(
        ("lba route message.received", t("The decision on a sample of the catalogue.")),
        (
            "lba route message.received --set bot_id=7 --at 2026-03-02T09:00:00+08:00",
            t("The sample with another bot, at another time."),
        ),
        ("lba route event.json -o json", t("An event from a file, with stable reason codes for programs.")),
    ),
)
@click.argument(
    "event",
    cls=Argument,
    metavar="EVENT",
    meaning=t(
        "An event type (its sample is taken), a JSON or YAML file, `-` for stdin, or an event of the "
        "log by its uid or id."
    ),
)
@click.option(
    "--at",
    metavar="TIME",
    help=t("Decide for this time: RFC 3339 with a zone, or Unix seconds. [default: now]"),
)
@sets_option
@click.option("--all", "everything", is_flag=True, help=t("List every binding, also where there are many."))
@click.option(
    "--workspace",
    metavar="NAME",
    default="default",
    help=t("Workspace whose log is searched. [default: default]"),
)
@common
def command(
    session: Session, *, event: str, at: str | None, sets: tuple[str, ...], everything: bool, workspace: str
) -> int:
    """Explain a decision."""
    from .event_input import read_event
    from .explanation import explain
    from .explanation_text import print_explained
    from .live_set import live_or_disk
    from .loading import open_project
    from .moments import parse_moment

    clock = parse_moment(at)
    project = open_project(session)
    given = read_event(event, sets, project=project, workspace=workspace)
    explained = explain(project, given, clock, live_or_disk(session.output, project))
    print_explained(session.output, explained, everything=everything)
    session.output.document("route", explained.as_dict())
    return 0
