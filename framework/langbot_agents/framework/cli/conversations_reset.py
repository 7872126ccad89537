"""`lba conversations reset`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "reset",
    cls=Command,
    help=t("Let a conversation begin anew: runners see nothing of what came before."),
    detail=t(
        "What was said stays on record. The sessions that runners keep at services end with it. It is "
        "done through the running host; with none running the store is written."
    ),
    examples=(
        ("lba conversations reset person_me", t("By its conversation_id, where only one has it.")),
        ("lba conversations list", t("Every conversation with its key.")),
    ),
)
@click.argument(
    "conversation", cls=Argument, metavar="CONVERSATION", meaning=t("Its key, or its conversation_id.")
)
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, *, conversation: str, workspace: str) -> int:
    """Reset a conversation."""
    from .loading import open_project
    from .operating_naming import conversation_key
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        key = conversation_key(desk, workspace, conversation)
        answer = desk.reset(workspace, key)
        session.output.line(("√ ", "green"), t("{name} begins anew", name=conversation))
        session.output.document("conversations-reset", {"via": desk.via, **answer, "conversation_key": key})
    return 0
