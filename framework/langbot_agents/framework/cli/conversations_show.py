"""`lba conversations show`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common
from .words import Whole


@click.command(
    "show",
    cls=Command,
    help=t("Show a conversation and the end of its history."),
    detail=t("It asks the running host; with none running it reads the store."),
    examples=(
        ("lba conversations show person_me", t("By its conversation_id, where only one has it.")),
        ('lba conversations show \'["local","person_me",null]\'', t("By its key.")),
    ),
)
@click.argument(
    "conversation", cls=Argument, metavar="CONVERSATION", meaning=t("Its key, or its conversation_id.")
)
@click.option(
    "--limit", type=Whole(1, 500), default="20", help=t("How many entries of history. [default: 20]")
)
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, *, conversation: str, limit: int, workspace: str) -> int:
    """Show a conversation."""
    from .loading import open_project
    from .operating_naming import conversation_key
    from .operating_text import print_conversation
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        key = conversation_key(desk, workspace, conversation)
        found = desk.conversation(workspace, key, limit=limit)
        print_conversation(session.output, found)
        session.output.document("conversations-show", {"via": desk.via, "conversation": found})
    return 0
