"""`lba send`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common, embedded_option, sets_option, speaker_options


@click.command(
    "send",
    cls=Command,
    help=t("Send one event, and show the reply as it comes."),
    detail=t(
        "It goes to the running host of this project, if there is one; else to a host in this "
        "process, which ends with the command. The reply goes to stdout, what became of the event to "
        "stderr. A sample of the catalogue is sent as a new event each time; a file is sent as it "
        "is, so that a repeat of its event_id does not run again.\n\nThe exit code is 0 when it ended "
        "well, also where nobody answers, and 1 when the run failed."
    ),
    examples=(
        ('lba send --text "hello"', t("Say something, as a person in a private chat.")),
        ("lba send group.member_joined", t("The sample of an event that is not a message.")),
        ("lba events sample api.invoked | lba send - -o json", t("An event from stdin, the result as JSON.")),
    ),
)
@click.argument(
    "event",
    cls=Argument,
    metavar="[EVENT]",
    required=False,
    meaning=t("An event type (its sample is sent), a JSON or YAML file, or `-` for stdin."),
)
@click.option("--text", metavar="TEXT", help=t("Send a message with this text instead of EVENT."))
@speaker_options
@sets_option
@embedded_option
@common
def command(
    session: Session,
    *,
    event: str | None,
    text: str | None,
    actor: str | None,
    conversation: str | None,
    sets: tuple[str, ...],
    embedded: bool,
) -> int:
    """Send an event."""
    from .sending import event_to_send, send_event

    given = event_to_send(event, text=text, actor=actor, conversation=conversation, sets=sets)
    return send_event(session, given, embedded=embedded)
