"""`lba serve`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, common
from .words import Whole


@click.command(
    "serve",
    cls=Command,
    help=t(
        "Run the host: take events in over HTTP, let the bindings decide, run the runners, deliver "
        "the replies."
    ),
    detail=t(
        "It runs until Ctrl-C or SIGTERM. An event that is acknowledged is on disk; what a crash "
        "left is taken up at the next start.\n\nA change of a binding takes effect for the next event, "
        "without a restart; a document with an error leaves the last good one live, and `lba apply` "
        "tells whether a change is live.\n\nThe exit code is 78 when it cannot start: the root "
        "document is invalid, the port is taken, or another host holds the store."
    ),
    examples=(
        ("lba serve", t("The project in this folder.")),
        ("lba serve --dev --port 0", t("On any free port, each decision printed as it is made.")),
        ("lba serve --once", t("No server: two sample events, their decisions and replies, then the end.")),
    ),
)
@click.option("--dev", is_flag=True, help=t("Print each decision and each reload, and log more."))
@click.option(
    "--no-reload",
    is_flag=True,
    help=t("Do not watch the files; SIGHUP loads them anew all the same."),
)
@click.option(
    "--once",
    is_flag=True,
    help=t("Send two sample events to a host in this process, show what becomes of them, and end."),
)
@click.option(
    "--host",
    metavar="ADDRESS",
    help=t("Address to listen on; beyond loopback a token is needed. [default: server.host]"),
)
@click.option("--port", type=Whole(0, 65535), help=t("Port; 0 takes a free one. [default: server.port]"))
@common
def command(
    session: Session, *, dev: bool, no_reload: bool, once: bool, host: str | None, port: int | None
) -> int:
    """Run the host."""
    from .once import run_once
    from .serving import start, with_server

    if once:
        return start(session, run_once)
    return start(session, with_server(host=host, port=port, dev=dev, watch=not no_reload))
