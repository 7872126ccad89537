"""The server itself: a free port on loopback, and a thread that answers there."""

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread
from anyio.abc import TaskStatus
from anyio.from_thread import BlockingPortal, start_blocking_portal

from .application import application
from .replay import Replay
from .requests import RecordedRequest
from .script import FailureKind, FakeFailure, FakeReply, Matcher, Script, echo, failure
from .service import Overflow, Service

if TYPE_CHECKING:
    import uvicorn

ECHO = FakeReply(text=echo, text_split=4)
"""What is answered when the script says nothing: the conversation itself."""


class FakeOpenAI:
    """An OpenAI-compatible server for tests, used by `with` or `async with`; it has a thread of its own.

    `models` None answers to any name. `api_key` None takes any key and none. `max_characters` bounds the
    prompt. `otherwise` answers when nothing of the script is due; None makes that a 500. `replay` answers
    with captures (a file, or a folder of them) in place of the script.
    """

    def __init__(
        self,
        *,
        models: Sequence[str] | None = ("fake-model",),
        api_key: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        max_characters: int | None = None,
        overflow: Overflow = "error",
        otherwise: FakeReply | None = ECHO,
        replay: Path | None = None,
        replay_speed: float = 0.0,
    ) -> None:
        self._address = (host, port)
        self._running: _Running | None = None
        self._stack = ExitStack()
        self._service = Service(
            script=Script(),
            models=models,
            api_key=api_key,
            max_characters=max_characters,
            overflow=overflow,
            otherwise=otherwise,
            replay=None if replay is None else Replay(replay, speed=replay_speed),
        )

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every request so far, refused ones too."""
        return self._service.requests

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL. Raises `RuntimeError` before the server is started."""
        if self._running is None:
            raise RuntimeError("the server does not run; use it as `with FakeOpenAI() as server:`")
        return self._running.url + "/v1"

    def reply(self, reply: str | FakeReply = "", *, when: Matcher = None, times: int | None = None) -> None:
        """Script an answer: the first that is due and not used up is given."""
        answer = FakeReply(text=reply) if isinstance(reply, str) else reply
        self._service.script.add(answer, when=when, times=times)

    def fail(
        self,
        kind: FailureKind | FakeFailure,
        *,
        when: Matcher = None,
        times: int | None = None,
        retry_after: float | None = None,
        message: str | None = None,
    ) -> None:
        """Script a failure, by name or whole; with `times`, what was scripted after it follows."""
        found = (
            kind if isinstance(kind, FakeFailure) else failure(kind, retry_after=retry_after, message=message)
        )
        self._service.script.add(found, when=when, times=times)

    def reset(self) -> None:
        """Forget the script and the requests."""
        self._service.script.clear()
        self._service.requests.clear()

    def start(self) -> None:
        """Begin to answer. Raises `ImportError` without the extra, `OSError` where the port is taken."""
        if self._running is not None:
            raise RuntimeError("the server runs already")
        _need_extra()
        listener = _listen(self._address)
        with ExitStack() as stack:
            stack.callback(listener.close)
            portal = stack.enter_context(start_blocking_portal(name="fake-openai"))
            future, running = portal.start_task(_serve, self._service, listener)
            stack.callback(future.result)
            stack.callback(_stop, portal, running)
            self._running = running
            self._stack = stack.pop_all()

    def stop(self) -> None:
        """Break off what is under way, and end."""
        self._running = None
        self._stack.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        await anyio.to_thread.run_sync(self.start)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self.stop)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Running:
    url: str
    server: "uvicorn.Server"
    stopping: anyio.Event

    async def stop(self) -> None:
        self.stopping.set()
        self.server.should_exit = True


def _stop(portal: BlockingPortal, running: _Running) -> None:
    portal.call(running.stop)


async def _serve(service: Service, listener: socket.socket, *, task_status: TaskStatus[_Running]) -> None:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        """Lets the application have the connection, so that it can close it."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.app_state = {**self.app_state, "transport": transport}

    class Server(uvicorn.Server):
        """Says when it listens."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            task_status.started(_Running(url=url, server=self, stopping=stopping))

    host, port = listener.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    stopping = anyio.Event()
    config = uvicorn.Config(
        application(service, stopping),
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        server_header=False,
    )
    await Server(config).serve(sockets=[listener])


def _listen(address: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    return socket.create_server(address, family=family, backlog=512)


def _need_extra() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"FakeOpenAI needs {error.name}; install the extra: pip install 'langbot-agents[testing]'",
            name=error.name,
        ) from error
