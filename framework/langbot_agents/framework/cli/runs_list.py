"""`lba runs list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import OneOf, Whole


@click.command(
    "list",
    cls=Command,
    help=t("List the runs, newest first."),
    detail=t("It asks the running host; with none running it reads the store."),
    examples=(
        ("lba runs list --status failed", t("What went wrong, and why.")),
        ("lba runs list --status running", t("What is under way.")),
        ("lba runs list --binding support -o json", t("The runs of one binding, for a program.")),
    ),
)
@click.option("--limit", type=Whole(1, 500), default="20", help=t("How many. [default: 20]"))
@click.option("--binding", "binding_id", metavar="BINDING", help=t("Only runs of this binding."))
@click.option(
    "--status",
    type=OneOf("queued", "running", "completed", "failed", "timeout", "cancelled", "interrupted"),
    metavar="STATUS",
    help=t("Only runs in this state: queued, running, completed, failed, timeout, cancelled or interrupted."),
)
@click.option("--cursor", metavar="CURSOR", help=t("The page behind this place, as the last page gave it."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session,
    *,
    limit: int,
    binding_id: str | None,
    status: str | None,
    cursor: str | None,
    workspace: str,
) -> int:
    """List runs."""
    from .loading import open_project
    from .operating_text import print_runs
    from .operating_via import operator

    conditions = {"binding_id": binding_id, "status": status}
    with operator(session, open_project(session)) as desk:
        page = desk.runs(
            workspace,
            {name: value for name, value in conditions.items() if value is not None},
            limit=limit,
            cursor=cursor,
        )
        print_runs(session.output, page["runs"])
        session.output.more(page["next_cursor"])
        session.output.document("runs-list", {"via": desk.via, **page})
    return 0
