"""`lba tokens revoke`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "revoke",
    cls=Command,
    help=t("End a token at once."),
    detail=t("It is done through the running host; with none running the store is written."),
    examples=(
        ("lba tokens revoke shop", t("End one.")),
        ("lba tokens list", t("Every token with its name.")),
    ),
)
@click.argument("name", cls=Argument, metavar="NAME", meaning=t("The token's name."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, name: str, workspace: str) -> int:
    """End a token."""
    from ..errors import NotFoundError
    from .loading import open_project
    from .operating import unknown
    from .operating_via import operator

    with operator(session, open_project(session)) as desk:
        try:
            desk.revoke_token(workspace, name)
        except NotFoundError as error:
            names = [str(item["name"]) for item in desk.tokens()]
            raise unknown(error.message, name, names, listing="lba tokens list") from None
        session.output.line(("√ ", "green"), t("token {name!r} has ended", name=name))
        session.output.document("tokens-revoke", {"via": desk.via, "name": name, "workspace_id": workspace})
    return 0
