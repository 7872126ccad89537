"""`lba schema`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "schema",
    cls=Command,
    help=t("Print the JSON Schema of a document or record, or list the names."),
    detail=t(
        "An editor that knows YAML schemas completes and checks bindings with it. `--write` puts those of "
        "the documents into the project, with the runners that are installed and their settings; a line "
        "`# yaml-language-server: $schema=…` in a document leads the editor there. `lba init` writes both."
    ),
    examples=(
        ("lba schema", t("Every name.")),
        ("lba schema AgentBinding > binding.schema.json", t("What a binding may say, for an editor.")),
        ("lba schema --write", t("Bring the project's schemas up to date, after a runner was installed.")),
    ),
)
@click.argument("name", cls=Argument, metavar="[NAME]", required=False, meaning=t("A name of the list."))
@click.option("--write", is_flag=True, help=t("Write the schemas of the documents into the project."))
@common
def command(session: Session, name: str | None, write: bool) -> int:
    """Print a schema, or write those of the project."""
    from langbot_agents.schemas.json_schema import json_schema, model_names

    from ..errors import UsageError
    from .words import near

    if write:
        if name is not None:
            raise UsageError(t("--write takes no name: it writes the schemas of all documents"))
        return _write(session)
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


def _write(session: Session) -> int:
    from ..errors import LangbotAgentsError
    from .editor_schemas import FOLDER, editor_schemas
    from .loading import open_project

    project = open_project(session)
    folder = project.root / FOLDER
    made = editor_schemas(project.registry)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise LangbotAgentsError(
            t("{path}: {cause}", path=error.filename or folder, cause=error.strerror),
            remedy=t("choose a folder that you may write to"),
        ) from None
    for name in made:
        session.output.line(("+ ", "green"), f"{FOLDER}/{name}")
        session.output.line((f"# yaml-language-server: $schema={FOLDER}/{name}", "dim"), indent=2)
    session.output.document("schema-write", {"folder": str(folder), "files": list(made)})
    return 0
