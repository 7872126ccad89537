"""`lba runners show`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "show",
    cls=Command,
    help=t("Show a runner: what it can do, what it asks for, and every setting it takes."),
    detail=t("It asks the running host; with none running it looks at what is installed here."),
    examples=(
        ("lba runners show echo", t("By an alias.")),
        ("lba runners show plugin:langbot-agents/echo/default -o json", t("By its id, for a program.")),
    ),
)
@click.argument("runner", cls=Argument, metavar="RUNNER", meaning=t("Its id or an alias."))
@common
def command(session: Session, runner: str) -> int:
    """Show a runner."""
    from .loading import open_project
    from .operating_text import print_runner
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        found = desk.runner(runner)
        users = [str(item["binding_id"]) for item in desk.bindings() if item.get("runner_id") == found["id"]]
        print_runner(session.output, found, users)
        session.output.document("runners-show", {"via": desk.via, "runner": found, "bindings": users})
    return 0
