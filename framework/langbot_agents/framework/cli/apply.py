"""`lba apply`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import Seconds


@click.command(
    "apply",
    cls=Command,
    help=t("Tell whether what is on disk is what the running host answers with."),
    detail=t(
        "The files are loaded as the host loads them, and the digest of the set is compared with the one "
        "that the host reports. With `--wait` it waits until both are the same: a host notices changes "
        "by itself, or at once by SIGHUP.\n\nThe exit code is 0 when what is on disk is live, and 1 when "
        "it is not: the files have errors, which are shown, and the host goes on with what was good; "
        "the root document takes a restart; the time is up; or no host runs."
    ),
    examples=(
        ("lba apply --wait", t("After an edit, or in a script that rolls it out.")),
        ("lba apply --wait --timeout 2m -o json", t("The same for programs, with more time.")),
    ),
)
@click.option("--wait", is_flag=True, help=t("Wait until it is live."))
@click.option(
    "--timeout",
    type=Seconds(),
    default="30",
    help=t("With --wait: for how long at most. [default: 30]"),
)
@common
def command(session: Session, wait: bool, timeout: float) -> int:
    """Compare, and wait."""
    from .applying import apply
    from .applying_text import print_applied

    applied = apply(session, wait_for=timeout if wait else 0.0)
    print_applied(session.output, applied)
    session.output.document("apply", applied.as_dict())
    return 0 if applied.live else 1
