"""`lba diff`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "diff",
    cls=Command,
    help=t("Run logged events through two sets of bindings, and show only what moves."),
    detail=t(
        "OLD and NEW are each a project, its root document, a folder or a file of bindings, or a revision "
        "of git: `HEAD:` is this project at HEAD, `main:bots/a` a path from the top of the repository. What "
        "moves is grouped by its cause: which binding before, which after, and because of which change, with "
        "its place in both. Nothing is run and nothing is written.\n\nThe exit code is 0 when nothing moves, "
        "3 when anything does, and 2 when there is nothing to compare."
    ),
    examples=(
        ("lba diff HEAD: .", t("What the changes that are not committed would move, of the last week.")),
        ("lba diff bindings new-bindings --events 24h", t("Two folders, by the events of the last day.")),
        ("lba diff main: . --events samples -o json", t("By a sample of each event type, for a program.")),
    ),
)
@click.argument("old", cls=Argument, metavar="OLD", meaning=t("The set before."))
@click.argument("new", cls=Argument, metavar="NEW", meaning=t("The set after."))
@click.option(
    "--events",
    "names",
    metavar="SPAN|FILE|-",
    multiple=True,
    help=t(
        "Which events: a span of the log such as 7d, a file with one JSON event a line, `-` for stdin, an "
        "event type, or `samples`; may be given again. [default: 7d]"
    ),
)
@click.option(
    "--at",
    metavar="TIME",
    help=t("Decide all for this time. [default: when each event came in, else now]"),
)
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session, *, old: str, new: str, names: tuple[str, ...], at: str | None, workspace: str
) -> int:
    """Compare two sets."""
    from contextlib import ExitStack

    from ..comparison import Comparison
    from ..errors import UsageError
    from .compared_sets import named_set
    from .diff_text import as_dict, print_comparison
    from .loading import open_project
    from .logged import given_events
    from .moments import parse_moment
    from .progress import progress

    clock = None if at is None else parse_moment(at)
    project = open_project(session)
    with ExitStack() as stack:
        before, after = (stack.enter_context(named_set(name, project)) for name in (old, new))
        comparison = Comparison(before.side, after.side)
        with progress() as tell:
            comparison.add_all(
                given_events(names or ("7d",), project, workspace=workspace, at=clock, tell=tell)
            )
        if not comparison.events:
            raise UsageError(
                t("there are no events to compare by"),
                remedy=t("give a longer span, or `--events samples`"),
            )
        print_comparison(session.output, comparison, before, after)
        session.output.document("diff", as_dict(comparison, before, after))
    return 3 if comparison.moved else 0
