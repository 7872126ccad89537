"""`lba events show`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common


@click.command(
    "show",
    cls=Command,
    help=t("Show an event and all that became of it: decision, dispatches, runs, deliveries."),
    detail=t(
        "It shows what was recorded. Why each binding was or was not chosen is computed by `lba "
        "route`, with the bindings as they are now."
    ),
    examples=(
        ("lba events show evt_0197f3…", t("By the uid that the host gave it.")),
        ("lba events show order-118 -o json", t("By the id that its source gave it, for a program.")),
    ),
)
@click.argument("event", cls=Argument, metavar="EVENT", meaning=t("The event's uid, or its id."))
@click.option("--workspace", metavar="NAME", default="default", help=t("Workspace. [default: default]"))
@common
def command(session: Session, event: str, workspace: str) -> int:
    """Show an event."""
    from langbot_agents.schemas.records import Decision

    from ..app import EventStory, read_story
    from ..store import Cursor, decisions
    from .loading import find_event, open_project, read_log
    from .log_text import print_story

    project = open_project(session)

    def read(cursor: Cursor) -> tuple[EventStory, Decision | None]:
        stored = find_event(cursor, workspace, event)
        uid = stored.envelope.event_uid or ""
        return read_story(cursor, stored), decisions.get(cursor, workspace, uid)

    story, decision = read_log(project, read)
    print_story(session.output, story, decision)
    session.output.document(
        "events-show",
        {
            "event": story.stored.envelope.model_dump(mode="json"),
            "seq": story.stored.seq,
            "decision": None if decision is None else decision.model_dump(mode="json"),
            "dispatches": [item.model_dump(mode="json") for item in story.dispatches],
            "runs": [item.model_dump(mode="json") for item in story.runs],
            "deliveries": [item.model_dump(mode="json") for item in story.deliveries],
        },
    )
    return 0
