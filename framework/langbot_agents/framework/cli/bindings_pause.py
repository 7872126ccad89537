"""`lba bindings pause`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "pause",
    cls=Command,
    help=t("Take a binding out, at once and without changing a file, until it is resumed."),
    detail=t(
        "Runs that are under way go on. The pause lies in the store and outlasts a restart. It is made "
        "through the running host; with none running the store is written."
    ),
    examples=(
        ("lba bindings pause support --reason 'the model is down'", t("With a reason that others see.")),
        ("lba bindings list --state paused", t("What is paused.")),
    ),
)
@click.argument("binding", cls=Argument, metavar="BINDING", meaning=t("The binding's id."))
@click.option("--reason", metavar="TEXT", help=t("Why; it is shown where the binding is listed."))
@common
def command(session: Session, binding: str, reason: str | None) -> int:
    """Pause a binding."""
    from .loading import open_project
    from .operating_naming import nearest_binding
    from .operating_via import operator

    with operator(session, open_project(session)) as desk, nearest_binding(desk, binding):
        answer = desk.pause(binding, reason)
        if answer["changed"]:
            session.output.line(("√ ", "green"), t("{binding} is paused", binding=binding))
        else:
            session.output.line(("~ ", "yellow"), t("{binding} was paused already", binding=binding))
        session.output.document("bindings-pause", {"via": desk.via, **answer})
    return 0
