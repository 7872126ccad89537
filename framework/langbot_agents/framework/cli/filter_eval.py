"""`lba filter eval`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "eval",
    cls=Command,
    help=t("Try a filter on an event: each of its legs, and what it looked at."),
    detail=t(
        "It needs no project; in one, events of the log can be named and its time zone counts. Exit code "
        "0 is true, 1 false or an error. docs/filters.md says how filters are written."
    ),
    examples=(
        (
            """lba filter eval "contains_any(input.text, ['refund'])" message.received""",
            t("On the sample of the catalogue."),
        ),
        (
            """lba filter eval "bot_id == '7'" message.received --set bot_id=7""",
            t("On the sample with another bot."),
        ),
    ),
)
@click.argument("expr", cls=Argument, metavar="EXPR", meaning=t("The filter, in quotes for the shell."))
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
    help=t("Evaluate for this time: RFC 3339 with a zone, or Unix seconds. [default: now]"),
)
@click.option(
    "--set",
    "sets",
    metavar="PATH=VALUE",
    multiple=True,
    help=t("Change a field of the event; may be given again. VALUE is JSON, else text."),
)
@click.option(
    "--workspace",
    metavar="NAME",
    default="default",
    help=t("Workspace whose log is searched. [default: default]"),
)
@common
def command(
    session: Session, *, expr: str, event: str, at: str | None, sets: tuple[str, ...], workspace: str
) -> int:
    """Try a filter."""
    from ..errors import SettingsError
    from ..explanation import envelope_of
    from ..filters import STANDARD
    from ..project import find_root
    from .event_input import read_event
    from .filter_trial import print_trial, try_filter
    from .loading import open_project
    from .moments import parse_moment

    clock = parse_moment(at)
    try:
        find_root(session.config)
    except SettingsError:
        if session.config is not None:
            raise
        project = None
    else:
        project = open_project(session)
    given = read_event(event, sets, project=project, workspace=workspace)
    timezone = "UTC" if project is None else project.settings.timezone
    functions = STANDARD if project is None else project.registry.filter_functions
    trial = try_filter(expr, envelope_of(given.data), clock, timezone, functions=functions)
    print_trial(session.output, trial)
    session.output.document("filter-eval", trial.as_dict())
    return 0 if trial.truth == "true" else 1
