"""`lba bindings show`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "show",
    cls=Command,
    help=t("Show a binding: its state, its place, and its document with secrets as references."),
    detail=t("It asks the running host; with none running it reads the files and the store."),
    examples=(
        ("lba bindings show echo-messages", t("One binding.")),
        ("lba bindings show echo-messages -o json", t("The same for a program.")),
    ),
)
@click.argument("binding", cls=Argument, metavar="BINDING", meaning=t("The binding's id."))
@common
def command(session: Session, binding: str) -> int:
    """Show a binding."""
    from .loading import open_project
    from .operating_naming import nearest_binding
    from .operating_text import print_binding
    from .operating_via import operator

    with operator(session, open_project(session)) as desk, nearest_binding(desk, binding):
        found = desk.binding(binding)
        print_binding(session.output, found)
        session.output.document("bindings-show", {"via": desk.via, "binding": found})
    return 0
