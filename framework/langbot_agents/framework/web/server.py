"""Serving a project over HTTP until a signal ends it."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import anyio
import uvicorn
from starlette.applications import Starlette

from .. import collector
from ..access import is_valid
from ..app import Host, HostFile, new_local_token, open_host
from ..errors import SettingsError
from ..project import Project
from ..reload import FileWatch
from ..store import Database, tokens
from ..store.database import sqlite_path
from ..telemetry import get_logger
from ..texts import t
from .application import create_app

log = get_logger(__name__)
_uvicorn_log = logging.getLogger("uvicorn.error")

CUT_OFF_DEADLINE = 1.0
"""Seconds in which a request that is cut off must have ended."""

Ready = Callable[[str, str, Host], None]
"""Called with the URL, the local token and the host once requests are answered."""


class _Server(uvicorn.Server):
    """uvicorn without signal handlers of its own: it would end the process before the store is closed."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve`."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; requests that are cut off now are no faults, and uvicorn would log each with its traceback."""
        _uvicorn_log.setLevel(logging.CRITICAL)
        await super().shutdown(sockets=sockets)
        left = set(self.server_state.tasks)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=CUT_OFF_DEADLINE)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()


async def serve(project: Project, *, on_ready: Ready, watch: bool = True) -> None:
    """Run a host and answer HTTP until SIGINT or SIGTERM; files are loaded anew at SIGHUP, or by `watch`.

    Raises `SettingsError` where it cannot listen, `StoreLockedError` where another host has the store.
    """
    with _listen(project) as listener, _level_of(_uvicorn_log):
        async with open_host(project) as host:
            collector.settle()
            token = new_local_token()
            file = HostFile(url=_url(listener), pid=os.getpid(), token=token)
            path = HostFile.path(project)

            def ready() -> None:
                file.write(path)
                on_ready(file.url, token, host)

            try:
                app = create_app(host, token=token, own_hosts=_own_hosts(listener))
                await _answer(app, listener, ready, FileWatch(host.reloader, alone=watch))
            finally:
                HostFile.remove(path)


@contextmanager
def _level_of(logger: logging.Logger) -> Iterator[None]:
    """Give a logger its level back."""
    level = logger.level
    try:
        yield
    finally:
        logger.setLevel(level)


async def _answer(
    app: Starlette, listener: socket.socket, ready: Callable[[], None], watch: FileWatch
) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    server = _Server(config, ready)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, server, app.state.host)
        tasks.start_soon(_load_on_signal, watch)
        tasks.start_soon(watch.run)
        await server.serve(sockets=[listener])
        tasks.cancel_scope.cancel()


async def _stop_on_signal(server: uvicorn.Server, host: Host) -> None:
    """The first signal ends it in order, a second one at once; the next start goes on with what runs."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            log.info("stopping", signal=signal.Signals(number).name)
            if server.should_exit:
                server.force_exit = True
                host.hurry()
            server.should_exit = True


async def _load_on_signal(watch: FileWatch) -> None:
    """SIGHUP loads at once; where it says that the terminal is gone, the host ends with it."""
    attended = _has_terminal()
    with anyio.open_signal_receiver(signal.SIGHUP) as signals:
        async for _ in signals:
            if attended and not _has_terminal():
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                watch.now()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _listen(project: Project) -> socket.socket:
    server = project.settings.server
    if not _is_loopback(server.host) and not _has_token(project):
        raise SettingsError(
            t(
                "server.host: {host!r} is not on this machine's loopback, and there is no token yet",
                host=server.host,
            ),
            remedy=t("make a token first: `lba tokens create NAME`; or listen on 127.0.0.1"),
        )
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    try:
        return socket.create_server((server.host, server.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            t(
                "server: cannot listen on {host}:{port}: {cause}",
                host=server.host,
                port=server.port,
                cause=error.strerror,
            ),
            remedy=t("choose another port: `--port`, `server.port` or LANGBOT_AGENTS__SERVER__PORT"),
        ) from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _has_token(project: Project) -> bool:
    """Whether anybody could ask from outside; the store is looked at before a host is opened."""
    url = project.settings.storage.url
    if not sqlite_path(url, project.root).exists():
        return False
    database = Database.open(url, root=project.root, lock=False, read_only=True)
    return any(is_valid(record) for record in database.read_now(tokens.every))


def _address(listener: socket.socket) -> str:
    """Where commands on this machine reach it; a host that listens everywhere is also here."""
    host = str(listener.getsockname()[0])
    address = ip_address(host.partition("%")[0])
    if address.is_unspecified:
        host = "::1" if address.version == 6 else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _own_hosts(listener: socket.socket) -> tuple[str, ...]:
    # a page of another site can reach an address of ours only under its own name, so this one is no risk
    return (_address(listener),)


def _url(listener: socket.socket) -> str:
    return f"http://{_address(listener)}:{listener.getsockname()[1]}"
