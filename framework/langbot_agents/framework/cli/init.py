"""`lba init`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "init",
    cls=Command,
    help=t("Make a project that runs: a root document, example bindings, a test file."),
    detail=t("Nothing is ever overwritten: where a file is there already, nothing is written at all."),
    examples=(
        ("lba init my-bot", t("A new folder with a project in it.")),
        ("lba init", t("The same in this folder.")),
    ),
)
@click.argument(
    "directory",
    cls=Argument,
    metavar="[DIR]",
    default=".",
    meaning=t("Folder of the project; it is made if need be."),
)
@common
def command(session: Session, directory: str) -> int:
    """Make a project."""
    from .templates import make_project

    return make_project(session, directory)
