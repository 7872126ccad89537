"""`lba runners list`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common


@click.command(
    "list",
    cls=Command,
    help=t("List the runners that are installed: what to write as runner_id, and why one cannot be used."),
    detail=t(
        "A runner comes with a Python package. A package that did not come with langbot-agents is "
        "imported only if `plugins.in_process` of the root document names it."
    ),
    examples=(
        ("lba runners list", t("What can be used.")),
        ("lba runners list -o json", t("With the settings each one takes, for a program.")),
    ),
)
@common
def command(session: Session) -> int:
    """List runners."""
    from langbot_agents.schemas.text import localized

    from ..texts import process_language
    from .loading import open_project
    from .output import Part

    project = open_project(session)
    found = project.registry.descriptors()
    head = [t("runner"), t("alias"), t("package"), t("state"), ""]
    rows: list[list[Part]] = [[(name, "dim") for name in head]]
    for item in found:
        package = f"{item.plugin.distribution} {item.plugin.version}" if item.plugin else "-"
        state: Part = (item.state, "green" if item.state == "ready" else "red")
        about = item.reason or localized(item.description, process_language())
        rows.append([item.id, ", ".join(item.aliases) or "-", package, state, (about, "dim")])
    session.output.table(rows)
    session.output.document("runners-list", {"runners": [item.model_dump(mode="json") for item in found]})
    return 0
