"""`lba runs cancel`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "cancel",
    cls=Command,
    help=t("End a run that is under way; it is recorded as cancelled."),
    detail=t("Exit code 1 says that there was nothing to cancel: the run had ended, or no host runs."),
    examples=(
        ("lba runs list --status running", t("What can be cancelled.")),
        ("lba runs cancel run_0197f3…", t("End one.")),
    ),
)
@click.argument("run", cls=Argument, metavar="RUN", meaning=t("The run's id."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, run: str, workspace: str) -> int:
    """Cancel a run."""
    from .loading import open_project
    from .operating_naming import run_named
    from .operating_via import operator

    out = session.output
    with operator(session, open_project(session)) as desk:
        found = run_named(desk, workspace, run)
        answer = {**desk.cancel(workspace, run), "via": desk.via}
        status = found["status"]
        if answer["cancelling"]:
            out.line(("√ ", "green"), t("run {run_id} is being cancelled", run_id=run))
        elif status not in ("queued", "running"):
            out.note(
                ("~ ", "yellow"), t("run {run_id} had ended already: {status}", run_id=run, status=status)
            )
        else:
            out.note(
                ("~ ", "yellow"),
                t("nothing runs: no host is up; the next start of the host sees to run {run_id}", run_id=run),
            )
        out.document("runs-cancel", answer)
    return 0 if answer["cancelling"] else 1
