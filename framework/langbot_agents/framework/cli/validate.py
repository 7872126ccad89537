"""`lba validate`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "validate",
    cls=Command,
    help=t("Check the root document and the bindings, as the host does at its start."),
    detail=t(
        "Every finding names its place, the cause and what to do. Without PATH the whole project is "
        "checked, its test files too. PATH may be a file or folder of bindings, which is then "
        "checked by itself with the settings of the root document, or the root document or folder of "
        "another project.\n\nThe exit code is 0 when all is well, 1 when there are errors, and 2 when "
        "there is nothing to check."
    ),
    examples=(
        ("lba validate", t("The project in this folder.")),
        ("lba validate bindings/refund.yaml", t("One file.")),
        ("lba validate --deny-warnings -o json", t("For CI: warnings count, findings as JSON.")),
    ),
)
@click.argument(
    "paths",
    cls=Argument,
    metavar="[PATH]…",
    nargs=-1,
    meaning=t("Files or folders of bindings, or another project."),
)
@click.option("--deny-warnings", is_flag=True, help=t("Fail where there are warnings."))
@common
def command(session: Session, paths: tuple[str, ...], deny_warnings: bool) -> int:
    """Check documents."""
    from .checking import check
    from .checking_text import exit_code, print_checked

    checked = check(session, paths)
    code = exit_code(checked, deny_warnings=deny_warnings)
    print_checked(session.output, checked)
    session.output.document("validate", {"ok": code == 0, **checked.as_dict()})
    return code
