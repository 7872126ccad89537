"""`lba tokens list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common


@click.command(
    "list",
    cls=Command,
    help=t(
        "List the tokens: what each may do and name, and when it ends. The tokens themselves are not kept."
    ),
    detail=t("It asks the running host; with none running it reads the store."),
    examples=(
        ("lba tokens list", t("All of them.")),
        ("lba tokens list -o json", t("The same for a program.")),
    ),
)
@common
def command(session: Session) -> int:
    """List tokens."""
    from .loading import open_project
    from .operating_text import print_tokens
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        found = desk.tokens()
        print_tokens(session.output, found)
        session.output.document("tokens-list", {"via": desk.via, "tokens": found})
    return 0
