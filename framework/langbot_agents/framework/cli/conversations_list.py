"""`lba conversations list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import Whole


@click.command(
    "list",
    cls=Command,
    help=t("List the conversations, the last that changed first."),
    detail=t("It asks the running host; with none running it reads the store."),
    examples=(
        ("lba conversations list", t("The last twenty.")),
        ("lba conversations list --limit 100 -o json", t("More, for a program.")),
    ),
)
@click.option("--limit", type=Whole(1, 500), default="20", help=t("How many. [default: 20]"))
@click.option("--cursor", metavar="CURSOR", help=t("The page behind this place, as the last page gave it."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, *, limit: int, cursor: str | None, workspace: str) -> int:
    """List conversations."""
    from .loading import open_project
    from .operating_text import print_conversations
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        page = desk.conversations(workspace, limit=limit, cursor=cursor)
        print_conversations(session.output, page["conversations"])
        session.output.more(page["next_cursor"])
        session.output.document("conversations-list", {"via": desk.via, **page})
    return 0
