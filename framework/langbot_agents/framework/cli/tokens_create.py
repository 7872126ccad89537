"""`lba tokens create`."""

from typing import Any

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common
from .words import OneOf, Span


@click.command(
    "create",
    cls=Command,
    help=t("Make a bearer token for the HTTP surface, and print it: once, as only its hash is kept."),
    detail=t(
        "What a token may state of an event is bounded: by default no bot, no actor but itself, and the "
        "types api.invoked and message.received. The token alone goes to stdout. It is made through the "
        "running host; with none running the store is written."
    ),
    examples=(
        ("lba tokens create shop --scope ingest --expires 30d", t("A program that sends events.")),
        (
            "lba tokens create gate --scope ingest --bot main --actor '*'",
            t("It may speak for any person, to one bot."),
        ),
        ("lba tokens create ops --scope read --scope operate", t("A person who looks after the host.")),
    ),
)
@click.argument("name", cls=Argument, metavar="NAME", meaning=t("Name; the source.name of its events."))
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=OneOf("ingest", "read", "operate", "approve", "impersonate"),
    metavar="SCOPE",
    help=t(
        "What it may do: ingest, read, operate, approve or impersonate; may be given again. [default: ingest]"
    ),
)
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@click.option("--bot", "bots", multiple=True, metavar="BOT", help=t("A bot that it may name, or a pattern."))
@click.option(
    "--actor", "actors", multiple=True, metavar="ACTOR", help=t("An actor that it may name, or a pattern.")
)
@click.option(
    "--event-type",
    "event_types",
    multiple=True,
    metavar="TYPE",
    help=t("An event type that it may send, such as message.*; instead of the default ones."),
)
@click.option(
    "--expires", type=Span(), help=t("How long it is valid, such as 12h or 30d. [default: for ever]")
)
@common
def command(
    session: Session,
    *,
    name: str,
    scopes: tuple[str, ...],
    workspace: str,
    bots: tuple[str, ...],
    actors: tuple[str, ...],
    event_types: tuple[str, ...],
    expires: float | None,
) -> int:
    """Make a token."""
    from .loading import open_project
    from .operating_naming import checked_token
    from .operating_text import may_name, when
    from .operating_via import operator

    may_state: dict[str, Any] = {"bots": list(bots), "actors": list(actors)}
    if event_types:
        may_state["event_types"] = list(event_types)
    wanted = {
        "name": name,
        "workspace_id": workspace,
        "scopes": sorted(set(scopes or ("ingest",))),
        "may_state": may_state,
        "expires_after": expires,
    }
    out = session.output
    with operator(session, open_project(session)) as desk:
        made = desk.create_token(checked_token(wanted))
        if not out.as_json:
            ends = when(out, made["expires_at"]) if made["expires_at"] else t("never")
            out.note(
                ("√ ", "green"),
                t(
                    "token {name!r} may {scopes}; it ends: {ends}",
                    name=name,
                    scopes=", ".join(made["scopes"]),
                    ends=ends,
                ),
            )
            out.note(t("it may name: {names}", names=may_name(made["may_state"])), indent=2)
            out.note(t("keep it now: it is not shown again"), indent=2)
        out.line(str(made["token"]))
        out.document("tokens-create", {"via": desk.via, **made})
    return 0
