"""`lba runs show`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "show",
    cls=Command,
    help=t("Show a run: how it ended and why, what it used, and every result that it gave."),
    detail=t("It asks the running host; with none running it reads the store."),
    examples=(
        ("lba runs show run_0197f3…", t("One run.")),
        ("lba runs show run_0197f3… -o json", t("With every result whole, for a program.")),
    ),
)
@click.argument("run", cls=Argument, metavar="RUN", meaning=t("The run's id."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, run: str, workspace: str) -> int:
    """Show a run."""
    from .loading import open_project
    from .operating_naming import run_named
    from .operating_text import print_run
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        found = run_named(desk, workspace, run)
        results = desk.results(workspace, run)
        print_run(session.output, found, results)
        session.output.document("runs-show", {"via": desk.via, "run": found, "results": results})
    return 0
