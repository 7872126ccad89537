"""What `lba serve` does: load, open the host, say what is there and what to try, and run until a signal."""

import logging
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial

import anyio

from .. import telemetry
from ..app import Host
from ..errors import SettingsError, StoreError
from ..project import Project, load_project
from ..store.database import sqlite_path
from ..texts import t
from ..web import serve
from .failures import CANNOT_START, report
from .loading import own_command, quiet_logs
from .options import Session
from .output import Part
from .reload_text import print_change
from .watching import print_decisions

EXAMPLE = '{"event_type": "message.received", "input": {"text": "hello"}}'


def start(session: Session, work: Callable[[Session, Project], int]) -> int:
    """Load the project and do the work; a host that cannot start, or not use its store, is exit 78."""
    quiet_logs(session)
    try:
        return work(session, load_project(session.config))
    except (SettingsError, StoreError) as error:
        report(session, error)
        return CANNOT_START


def with_server(
    *, host: str | None, port: int | None, dev: bool, watch: bool = True
) -> Callable[[Session, Project], int]:
    """Running a server, with the settings of the command line over those of the root document."""

    def work(session: Session, project: Project) -> int:
        stated = {"host": host, "port": port}
        server = project.settings.server.model_copy(
            update={name: value for name, value in stated.items() if value is not None}
        )
        settings = project.settings.model_copy(update={"server": server})
        level = "debug" if session.debug else "info" if dev else settings.telemetry.log_level
        telemetry.configure(level=level, style=settings.telemetry.log_format)
        if not session.debug:
            logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        anyio.run(partial(_serve, session, replace(project, settings=settings), dev=dev, watch=watch))
        return 0

    return work


async def _serve(session: Session, project: Project, *, dev: bool, watch: bool) -> None:
    hosts: list[Host] = []
    opened = anyio.Event()
    failure: Exception | None = None

    def ready(url: str, token: str, host: Host) -> None:
        hosts.append(host)
        _tell(session, host, url, token)
        if dev:
            host.reloader.tell(partial(print_change, session.output))
        opened.set()

    async def decisions() -> None:
        await opened.wait()
        await print_decisions(session.output, hosts[0])

    async with anyio.create_task_group() as tasks:
        if dev:
            tasks.start_soon(decisions)
        try:
            await serve(project, on_ready=ready, watch=watch)
        except Exception as error:  # kept out of the task group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


def _tell(session: Session, host: Host, url: str, token: str) -> None:
    """What is there, and what to try."""
    out, project = session.output, host.project
    store = sqlite_path(project.settings.storage.url, project.root)
    out.line(
        ("langbot-agents ", "bold"), t("answers at {url}", url=url), "  ", (t("(Ctrl-C ends it)"), "dim")
    )
    out.line()
    out.table(_facts(host, str(store)), indent=2)
    out.line()
    out.line((t("Try, in another terminal:"), "bold"))
    lba = own_command(session)
    for line in (
        f'{lba} send --text "hello"',
        f"{lba} route message.received",
        f"curl -N {url}/v1/events -H 'Authorization: Bearer {token}' \\",
        "  -H 'Accept: text/event-stream' -H 'Content-Type: application/json' \\",
        f"  -d {shlex.quote(EXAMPLE)}",
    ):
        out.line(line, indent=2)
    out.line()
    out.document(
        "serve",
        {
            "url": url,
            "token": token,
            "pid": os.getpid(),
            "bindings": {"live": len(host.bindings.live), "quarantined": len(host.bindings.quarantined)},
            "store": str(store),
            "recovered": asdict(host.recovered),
        },
    )


RECOVERED: Mapping[str, str] = {
    "restarted": "{count} started again",
    "interrupted": "{count} ended as interrupted",
    "dispatched": "{count} that waited",
    "decided": "{count} not decided before",
    "deliveries": "{count} replies that were being sent",
}
"""What a start can find of the last one, in words."""


def _facts(host: Host, store: str) -> list[tuple[Part, Part]]:
    project = host.project
    live, out, stale = len(host.bindings.live), host.bindings.quarantined, project.stale
    bindings = t("{count} live", count=live)
    if stale:
        bindings += t(", {count} of them with the last good revision", count=len(stale))
    if out:
        bindings += t(", {count} left out: `lba validate` says why", count=len(out))
    ready = [item for item in project.registry.descriptors() if item.state == "ready"]
    names = ", ".join(item.aliases[0] if item.aliases else item.id for item in ready)
    rows: list[tuple[Part, Part]] = [
        ((t("bindings"), "dim"), (bindings, "yellow" if out or stale else "")),
        ((t("runners"), "dim"), names),
        ((t("store"), "dim"), store),
    ]
    found = {name: count for name, count in asdict(host.recovered).items() if count}
    if found:
        told = ", ".join(t(RECOVERED[name], count=count) for name, count in found.items())
        rows.append(((t("taken up"), "dim"), told))
    return rows
