"""`lba why`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "why",
    cls=Command,
    help=t("Tell why an event was answered, or was not, and what would become of it now."),
    detail=t(
        "The decision is shown as it was stored. Its reasons are worked out from the bindings of then, which "
        "the store keeps, also after a restart and later changes. Beside it stands what the bindings of now, "
        "or those of --with, would do at the same time of the clock."
    ),
    examples=(
        ("lba why evt_0197f3…", t("One sentence, then every reason.")),
        ("lba why order-118 --with ../new-bot", t("What another project would do with it.")),
        ("lba why evt_0197f3… -o json", t("All of it, for a program.")),
    ),
)
@click.argument("event", cls=Argument, metavar="EVENT", meaning=t("The event's uid, or its id."))
@click.option(
    "--with",
    "other",
    metavar="PATH",
    help=t("Bindings in place of those of now: a project, a folder, a file, or a revision such as `HEAD:`."),
)
@click.option(
    "--at",
    metavar="TIME",
    help=t("The time for the bindings of now. [default: the time of the decision]"),
)
@click.option("--all", "everything", is_flag=True, help=t("List every binding, also where there are many."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session, *, event: str, other: str | None, at: str | None, everything: bool, workspace: str
) -> int:
    """Explain what happened."""
    from contextlib import ExitStack

    from ..store import Cursor
    from .compared_sets import named_set
    from .live_set import live_set
    from .loading import find_event, open_project, read_log
    from .moments import parse_moment
    from .reviewing import Recorded, read_recorded, review
    from .why_text import as_dict, print_review

    stated = None if at is None else parse_moment(at)
    project = open_project(session)

    def read(cursor: Cursor) -> Recorded:
        return read_recorded(cursor, find_event(cursor, workspace, event), project)

    recorded = read_log(project, read)
    with ExitStack() as stack:
        if other is None:
            bindings, root = live_set(project), project.root
        else:
            named = stack.enter_context(named_set(other, project))
            bindings, root = named.bindings, named.root
        clock = stated if stated is not None else recorded.clock
        found = review(
            recorded,
            bindings,
            root=root,
            project=project,
            clock=parse_moment(None) if clock is None else clock,
        )
        print_review(session.output, found, other=other, everything=everything)
        session.output.document("why", as_dict(found, other=other))
    return 0
