"""`lba doctor`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common


@click.command(
    "doctor",
    cls=Command,
    help=t("Look over what is installed, reachable and set up, and say what to do about what is not well."),
    detail=t(
        "It changes nothing, and uses no network unless `--connect` is given. Each line is ok, warn or "
        "bad; the exit code is 1 if one is bad."
    ),
    examples=(
        ("lba doctor", t("Everything on this machine.")),
        ("lba doctor --connect", t("Also ask each model's service whether it takes the key.")),
        ("lba doctor -o json", t("The same for a program.")),
    ),
)
@click.option("--connect", is_flag=True, help=t("Ask each model's service, which costs nothing."))
@common
def command(session: Session, connect: bool) -> int:
    """Look everything over."""
    from .doctoring import examine, print_checks

    checks = examine(session, connect=connect)
    print_checks(session.output, checks)
    bad = any(check.status == "bad" for check in checks)
    session.output.document("doctor", {"ok": not bad, "checks": [check.as_dict() for check in checks]})
    return 1 if bad else 0
