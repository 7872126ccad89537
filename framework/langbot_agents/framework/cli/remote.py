"""The host that runs, over HTTP."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from ..app import HostFile
from ..errors import LangbotAgentsError, NotFoundError
from ..project import Project
from ..texts import t
from .reply import Step

READ_TIMEOUT = httpx2.Timeout(5.0, read=60.0)
"""A host that streams says something at least every 15 seconds."""

MAX_EVENT_BYTES = 64 * 1024**2
"""Largest event of a stream: a close carries the whole text, which a binding's limits bound."""


class RemoteError(LangbotAgentsError):
    """The running host refused, or broke off."""

    code = "remote"


class RemoteHost:
    """The running host of a project, by its `host.json`."""

    def __init__(self, file: HostFile) -> None:
        self.url = file.url
        # no proxy stands between a person and a host on this machine
        self._client = httpx2.Client(
            base_url=file.url,
            headers={"Authorization": f"Bearer {file.token}"},
            timeout=READ_TIMEOUT,
            trust_env=False,
        )

    @classmethod
    def find(cls, project: Project) -> "RemoteHost | None":
        """The host that runs and answers, or None."""
        file = HostFile.read(HostFile.path(project))
        if file is None:
            return None
        host = cls(file)
        try:
            host._client.get("/healthz").raise_for_status()
        except httpx2.HTTPError:
            host.close()
            return None
        return host

    def close(self) -> None:
        """Let go of its connections."""
        self._client.close()

    def send(self, data: Mapping[str, Any]) -> Iterator[Step]:
        """The steps of one event as the host streams them. Raises `RemoteError`."""
        try:
            with self._client.sse(
                "/v1/events", method="POST", json=data, max_event_size=MAX_EVENT_BYTES
            ) as source:
                if source.response.status_code >= 400:
                    source.response.read()
                    raise problem(source.response)
                ended = False
                for event in source:
                    ended = ended or event.event == "done"
                    yield step_of(event)
                if not ended:
                    raise no_end(self.url)
        except httpx2.HTTPError as error:
            raise broken(self.url, error) from error

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """One request and its JSON. Raises `NotFoundError` for a record that is not there, `RemoteError`."""
        wanted = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            response = self._client.request(method, path, params=wanted, json=body)
        except httpx2.HTTPError as error:
            raise broken(self.url, error) from error
        if response.status_code >= 400:
            raise problem(response)
        return response.json() if response.content else {}

    def decision(self, event_uid: str) -> Mapping[str, Any]:
        """The stored decision of an event."""
        try:
            response = self._client.get(f"/v1/events/{event_uid}/decision")
        except httpx2.HTTPError:
            return {}
        found: Mapping[str, Any] = response.json() if response.status_code == 200 else {}
        return found


def step_of(event: httpx2.ServerSentEvent) -> Step:
    """A step as the host streams it."""
    return Step(name=event.event, data=json.loads(event.data))


def broken(url: str, error: httpx2.HTTPError) -> RemoteError:
    """The error for a connection that broke."""
    return RemoteError(
        t("{url}: the connection broke: {cause}", url=url, cause=str(error) or type(error).__name__),
        remedy=_log_hint(),
    )


def no_end(url: str) -> RemoteError:
    """The error for a reply that did not come to its end."""
    return RemoteError(t("{url}: the host ended before the reply did", url=url), remedy=_log_hint())


def _log_hint() -> str:
    return t("`lba events list` shows whether the event is in the log")


def problem(response: httpx2.Response) -> LangbotAgentsError:
    """The host's problem details as an error."""
    try:
        body = response.json()
        detail, remedy = str(body["detail"]), body.get("remedy")
    except (ValueError, KeyError, TypeError):
        detail, remedy = response.text[:200], None
    told = None if remedy is None else str(remedy)
    match response.status_code:
        case 404:
            return NotFoundError(detail, remedy=told)
        case 401:
            return RemoteError(
                t("the host does not know this command's token: {detail}", detail=detail),
                remedy=t("it was started anew, or host.json is not its own; try again"),
            )
        case 429:
            after = response.headers.get("retry-after", "1")
            return RemoteError(
                t("the host takes nothing more just now: {detail}", detail=detail),
                remedy=t("try again in {seconds} s", seconds=after),
            )
    return RemoteError(t("the host refused: {detail}", detail=detail), remedy=told)
