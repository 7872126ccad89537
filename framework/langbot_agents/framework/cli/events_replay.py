"""`lba events replay`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common
from .words import Span


@click.command(
    "replay",
    cls=Command,
    help=t("Decide logged events again, and with --deliver send them anew."),
    detail=t(
        "Without --deliver nothing is run, sent or written: what was decided then is compared with what the "
        "bindings of now, or those of --with, would decide. With --deliver each event goes to the host as a "
        "new one whose `cause` names the first, so that runners run and people get answers again; more than "
        "one needs --yes.\n\nThe exit code is 0 when all is decided as it was, 3 when anything is not; with "
        "--deliver 0 when all ended well, else 1."
    ),
    examples=(
        ("lba events replay evt_0197f3…", t("What would become of it now.")),
        (
            "lba events replay --since 1h --with ../new-bot",
            t("The last hour, by the bindings of another project."),
        ),
        ("lba events replay evt_0197f3… --deliver", t("Send it once more.")),
    ),
)
@click.argument(
    "event",
    cls=Argument,
    metavar="[EVENT]",
    required=False,
    meaning=t("The event's uid, or its id."),
)
@click.option("--since", type=Span(), help=t("All events of the last span of time, such as 2h."))
@click.option(
    "--with",
    "other",
    metavar="PATH",
    help=t("Bindings in place of those of now: a project, a folder, a file, or a revision such as `HEAD:`."),
)
@click.option("--deliver", is_flag=True, help=t("Send each as a new event."))
@click.option("--yes", is_flag=True, help=t("Send more than one without asking."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(
    session: Session,
    *,
    event: str | None,
    since: float | None,
    other: str | None,
    deliver: bool,
    yes: bool,
    workspace: str,
) -> int:
    """Replay events."""
    from ..errors import UsageError
    from .replaying import deliver_again, review_again

    if (event is None) == (since is None):
        raise UsageError(
            t("give either EVENT or --since"),
            remedy=t("for example `lba events replay --since 1h`"),
        )
    if deliver and other is not None:
        raise UsageError(
            t("--with and --deliver exclude each other"),
            remedy=t("what is delivered is decided by the host's own bindings"),
        )
    if deliver:
        return deliver_again(session, event, since, workspace=workspace, yes=yes)
    return review_again(session, event, since, workspace=workspace, other=other)
