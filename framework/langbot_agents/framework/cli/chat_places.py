"""Where a chat's messages go: a host in this process, or the one that runs."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Protocol
from urllib.parse import quote

import httpx2
from anyio.from_thread import BlockingPortal

from ..app import Host, HostFile, open_host
from ..project import Project
from ..texts import t
from .embedded import EmbeddedHost
from .remote import READ_TIMEOUT, RemoteError, RemoteHost, broken, no_end, problem, step_of
from .reply import Step

UNDER_WAY = ("queued", "running")


class Place(Protocol):
    """A host that is talked to; its methods run on the chat's event loop."""

    via: Literal["host", "embedded"]

    def send(self, data: Mapping[str, Any]) -> AsyncGenerator[Step, None]:
        """The steps of one message. Raises `LangbotAgentsError` where it was refused or broke off."""

    async def cancel(self, event_uid: str) -> int:
        """Ask the runs of a message to end; gives how many there were."""

    async def decision(self, event_uid: str) -> Mapping[str, Any]:
        """The stored decision of a message."""


class EmbeddedPlace:
    """A host in this process."""

    via: Literal["host", "embedded"] = "embedded"

    def __init__(self, host: Host) -> None:
        self._host = host
        self._sender = EmbeddedHost(host)

    def send(self, data: Mapping[str, Any]) -> AsyncGenerator[Step, None]:
        """The steps of one message."""
        return self._sender.send(data)

    async def cancel(self, event_uid: str) -> int:
        """End the runs of a message."""
        sessions = self._host.parts.sessions.of_event(event_uid)
        for session in sessions:
            session.cancel(t("cancelled in the chat"))
        return len(sessions)

    async def decision(self, event_uid: str) -> Mapping[str, Any]:
        """The stored decision of a message."""
        return await self._sender.decision(event_uid, "default")


class RunningPlace:
    """The running host; it is looked up for each message, so that a restart does not end the chat."""

    via: Literal["host", "embedded"] = "host"

    def __init__(self, project: Project) -> None:
        self._path = HostFile.path(project)

    async def send(self, data: Mapping[str, Any]) -> AsyncGenerator[Step, None]:
        """The steps of one message."""
        file = self._file()
        try:
            async with (
                self._client(file) as client,
                client.sse("/v1/events", method="POST", json=data, max_event_size=None) as source,
            ):
                if source.response.status_code >= 400:
                    await source.response.aread()
                    raise problem(source.response)
                ended = False
                async for event in source:
                    ended = ended or event.event == "done"
                    yield step_of(event)
            if not ended:
                raise no_end(file.url)
        except httpx2.HTTPError as error:
            raise broken(file.url, error) from error

    async def cancel(self, event_uid: str) -> int:
        """End the runs of a message."""
        file = self._file()
        try:
            async with self._client(file) as client:
                found = await client.get(f"/v1/events/{quote(event_uid, safe='')}")
                runs = found.json().get("runs", ()) if found.status_code == 200 else ()
                live = [run["run_id"] for run in runs if run["status"] in UNDER_WAY]
                for run_id in live:
                    await client.post(f"/v1/runs/{quote(run_id, safe='')}/cancel")
                return len(live)
        except httpx2.HTTPError as error:
            raise broken(file.url, error) from error

    async def decision(self, event_uid: str) -> Mapping[str, Any]:
        """The stored decision of a message."""
        try:
            async with self._client(self._file()) as client:
                found = await client.get(f"/v1/events/{quote(event_uid, safe='')}/decision")
        except httpx2.HTTPError:
            return {}
        decision: Mapping[str, Any] = found.json() if found.status_code == 200 else {}
        return decision

    def _file(self) -> HostFile:
        file = HostFile.read(self._path)
        if file is None:
            raise RemoteError(
                t("the host does not run any more"),
                remedy=t("start it again (`lba serve`), and go on here"),
            )
        return file

    def _client(self, file: HostFile) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            base_url=file.url,
            headers={"Authorization": f"Bearer {file.token}"},
            timeout=READ_TIMEOUT,
            trust_env=False,
        )


@contextmanager
def open_place(portal: BlockingPortal, project: Project, *, embedded: bool) -> Iterator[Place]:
    """The running host if there is one, else one of our own for as long as the block lasts."""
    found = None if embedded else RemoteHost.find(project)
    if found is not None:
        found.close()
        yield RunningPlace(project)
        return
    with portal.wrap_async_context_manager(open_host(project)) as host:
        yield EmbeddedPlace(host)
