"""`lba bindings list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import OneOf


@click.command(
    "list",
    cls=Command,
    help=t("List the bindings: what each takes, which runner answers, and whether it takes part."),
    detail=t("It asks the running host; with none running it reads the files and the store."),
    examples=(
        ("lba bindings list", t("All of them.")),
        ("lba bindings list --state paused", t("What an operator has taken out.")),
    ),
)
@click.option(
    "--state",
    type=OneOf("live", "paused", "disabled", "quarantined"),
    help=t("Only bindings in this state."),
)
@common
def command(session: Session, state: str | None) -> int:
    """List bindings."""
    from .loading import open_project
    from .operating_text import print_bindings
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        found = [item for item in desk.bindings() if state in (None, item["state"])]
        whole = desk.binding_set()
        print_bindings(session.output, found)
        reason = (whole["loading"] or {}).get("reason")
        if reason is not None:
            session.output.note(("! ", "yellow"), reason)
        session.output.document("bindings-list", {"via": desk.via, **whole, "bindings": found})
    return 0
