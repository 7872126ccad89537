"""`lba schema`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "schema",
    cls=Command,
    help=t("Print the JSON Schema of a document or record, or list the names."),
    detail=t("An editor that knows YAML schemas completes and checks bindings with it."),
    examples=(
        ("lba schema", t("Every name.")),
        ("lba schema AgentBinding > binding.schema.json", t("What a binding may say, for an editor.")),
    ),
)
@click.argument("name", cls=Argument, metavar="[NAME]", required=False, meaning=t("A name of the list."))
@common
def command(session: Session, name: str | None) -> int:
    """Print a schema."""
    from langbot_agents.schemas.json_schema import json_schema, model_names

    from ..errors import UsageError
    from .words import near

    names = model_names()
    if name is None:
        for each in names:
            session.output.line(each)
        session.output.document("schema-list", {"names": list(names)})
        return 0
    if name not in names:
        by_word = {each.lower(): each for each in names}
        meant = by_word.get(near(name, list(by_word)) or "")
        raise UsageError(
            t("there is no schema {name!r}", name=name),
            remedy=t("did you mean {near!r}?", near=meant)
            if meant
            else t("`{command}` shows what is there", command="lba schema"),
        )
    session.output.plain_json(json_schema(name))
    return 0
