"""`lba validate`."""

from typing import TYPE_CHECKING

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common

if TYPE_CHECKING:
    from .checking import Checked


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
@click.option(
    "--sarif",
    "sarif_file",
    type=click.Path(dir_okay=False, writable=True),
    metavar="FILE",
    help=t("Write the findings as SARIF too, for code hosts and editors."),
)
@common
def command(session: Session, paths: tuple[str, ...], deny_warnings: bool, sarif_file: str | None) -> int:
    """Check documents."""
    from .checking import check
    from .checking_text import exit_code, print_checked

    checked = check(session, paths)
    code = exit_code(checked, deny_warnings=deny_warnings)
    print_checked(session.output, checked)
    if sarif_file is not None:
        _write_sarif(sarif_file, checked)
    session.output.document("validate", {"ok": code == 0, **checked.as_dict()})
    return code


def _write_sarif(name: str, checked: "Checked") -> None:
    import json
    from pathlib import Path

    from ..errors import UsageError
    from .sarif import sarif

    try:
        Path(name).write_text(json.dumps(sarif(checked.findings, Path.cwd()), indent=2) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(t("{path}: {cause}", path=name, cause=error.strerror or error)) from None
