"""`lba events sample`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, debug_option
from .words import OneOf


def _form(ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    ctx.ensure_object(Session).output.as_json = value == "json"
    return value


@click.command(
    "sample",
    cls=Command,
    help=t("Print the sample event of a type, or list the types of the catalogue."),
    examples=(
        ("lba events sample", t("Every event type and what it is.")),
        ("lba events sample message.received > event.json", t("A whole event, to change and to send.")),
        ("lba events sample schedule.triggered -o yaml", t("The same as YAML.")),
    ),
)
@click.argument(
    "event_type",
    cls=Argument,
    metavar="[TYPE]",
    required=False,
    meaning=t("An event type, such as message.received."),
)
@click.option(
    "-o",
    "--output",
    "form",
    type=OneOf("text", "json", "yaml"),
    callback=_form,
    help=t("text lists the types; a sample is printed as json or yaml. [default: json with TYPE, else text]"),
)
@debug_option
@click.pass_obj
def command(session: Session, event_type: str | None, form: str | None) -> int:
    """Print a sample."""
    from .catalogue_text import print_catalogue, print_sample

    if event_type is None:
        print_catalogue(session.output, form or "text")
    else:
        print_sample(event_type, form or "json")
    return 0
