"""`lba bindings resume`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "resume",
    cls=Command,
    help=t("Let a binding that was paused take part again."),
    detail=t("It is done through the running host; with none running the store is written."),
    examples=(
        ("lba bindings list --state paused", t("What is paused.")),
        ("lba bindings resume support", t("Lift one pause.")),
    ),
)
@click.argument("binding", cls=Argument, metavar="BINDING", meaning=t("The binding's id."))
@common
def command(session: Session, binding: str) -> int:
    """Resume a binding."""
    from .loading import open_project
    from .operating_naming import nearest_binding
    from .operating_via import operator

    with operator(session, open_project(session)) as desk, nearest_binding(desk, binding):
        answer = desk.resume(binding)
        if answer["changed"]:
            session.output.line(("√ ", "green"), t("{binding} takes part again", binding=binding))
        else:
            session.output.line(("~ ", "yellow"), t("{binding} was not paused", binding=binding))
        session.output.document("bindings-resume", {"via": desk.via, **answer})
    return 0
