"""One event through the host that runs, over HTTP."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from ..app import HostFile
from ..errors import LangbotAgentsError
from ..project import Project
from ..texts import t
from .reply import Step

_TIMEOUT = httpx2.Timeout(5.0, read=60.0)
"""A host that streams says something at least every 15 seconds."""


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
            timeout=_TIMEOUT,
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
            with self._client.sse("/v1/events", method="POST", json=data) as source:
                if source.response.status_code >= 400:
                    source.response.read()
                    raise _problem(source.response)
                ended = False
                for event in source:
                    ended = ended or event.event == "done"
                    yield Step(name=event.event, data=json.loads(event.data))
                if not ended:
                    raise RemoteError(
                        t("{url}: the host ended before the reply did", url=self.url), remedy=_log_hint()
                    )
        except httpx2.HTTPError as error:
            raise RemoteError(
                t("{url}: the connection broke: {cause}", url=self.url, cause=error or type(error).__name__),
                remedy=_log_hint(),
            ) from error

    def decision(self, event_uid: str) -> Mapping[str, Any]:
        """The stored decision of an event."""
        try:
            response = self._client.get(f"/v1/events/{event_uid}/decision")
        except httpx2.HTTPError:
            return {}
        found: Mapping[str, Any] = response.json() if response.status_code == 200 else {}
        return found


def _log_hint() -> str:
    return t("`lba events list` shows whether the event is in the log")


def _problem(response: httpx2.Response) -> RemoteError:
    """The host's problem details as an error."""
    try:
        body = response.json()
        detail, remedy = str(body["detail"]), body.get("remedy")
    except (ValueError, KeyError, TypeError):
        detail, remedy = response.text[:200], None
    return RemoteError(
        t("the host refused: {detail}", detail=detail), remedy=None if remedy is None else str(remedy)
    )
