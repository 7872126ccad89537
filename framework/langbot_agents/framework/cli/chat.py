"""`lba chat`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common, embedded_option, speaker_options


@click.command(
    "chat",
    cls=Command,
    help=t("Hold a conversation with the bot: type, and its answer comes as it is made."),
    detail=t(
        "It goes to the running host of this project, if there is one; else to a host in this process, "
        "which ends with the command. What was said before in the conversation counts. Ctrl-C ends an "
        "answer that is under way; at the prompt it leaves, as Ctrl-D does. `/image PATH` adds a picture "
        "to the next message, `/help` lists more.\n\nWhere stdin is no terminal, each line of it is a "
        "message, and the exit code is 1 if one of them was not answered well. With -o json each message "
        "gives one line of JSON."
    ),
    examples=(
        ("lba chat", t("As `me`, in a private chat.")),
        ("lba chat --as mia --in group_7", t("As somebody else, in a group.")),
        ("lba chat --image cat.png", t("With a picture to the first message.")),
        ("printf 'hello\\nand again\\n' | lba chat", t("Two messages of a script.")),
    ),
)
@speaker_options
@click.option(
    "--image",
    "images",
    metavar="PATH",
    multiple=True,
    help=t("A picture for the first message; may be given again."),
)
@embedded_option
@common
def command(
    session: Session, *, actor: str | None, conversation: str | None, images: tuple[str, ...], embedded: bool
) -> int:
    """Hold a conversation."""
    from .chatting import Speaker, chat

    return chat(session, Speaker(actor=actor or "me", conversation=conversation), images, embedded=embedded)
