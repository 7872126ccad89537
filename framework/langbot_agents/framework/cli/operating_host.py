"""Operating the running host, over its HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from .operating import Record, Via
from .remote import RemoteHost

PAGE = 1000
"""Results that are asked for at once."""


class HostOperator:
    """Does an operator's work through the running host."""

    via: Via = "host"

    def __init__(self, host: RemoteHost) -> None:
        self._host = host

    def runs(
        self, workspace: str, conditions: Mapping[str, Any], *, limit: int, cursor: str | None
    ) -> Record:
        """One page of runs."""
        query = {"limit": limit, "cursor": cursor, **_place(workspace), **conditions}
        return self._record("GET", "/v1/runs", query=query)

    def run(self, workspace: str, run_id: str) -> Record:
        """One run."""
        return self._record("GET", f"/v1/runs/{_part(run_id)}", query=_place(workspace))

    def results(self, workspace: str, run_id: str) -> Sequence[Record]:
        """What a run said and did."""
        found: list[Record] = []
        after: int | None = 0
        while after is not None:
            query = {"after": after, "limit": PAGE, **_place(workspace)}
            page = self._record("GET", f"/v1/runs/{_part(run_id)}/results", query=query)
            found += page["results"]
            after = page["next_after"]
        return found

    def cancel(self, workspace: str, run_id: str) -> Record:
        """Ask a run to end."""
        return self._record("POST", f"/v1/runs/{_part(run_id)}/cancel", query=_place(workspace))

    def bindings(self) -> Sequence[Record]:
        """Every binding."""
        return self._list("bindings", "/v1/bindings")

    def binding_set(self) -> Record:
        """What is live."""
        found = self._record("GET", "/v1/bindings")
        return {"digest": found["digest"], "loading": found["loading"]}

    def binding(self, binding_id: str) -> Record:
        """One binding."""
        return self._record("GET", f"/v1/bindings/{_part(binding_id)}")

    def pause(self, binding_id: str, reason: str | None) -> Record:
        """Pause a binding."""
        return self._record("POST", f"/v1/bindings/{_part(binding_id)}/pause", body={"reason": reason})

    def resume(self, binding_id: str) -> Record:
        """Lift a pause."""
        return self._record("POST", f"/v1/bindings/{_part(binding_id)}/resume")

    def conversations(self, workspace: str, *, limit: int, cursor: str | None) -> Record:
        """One page of conversations."""
        query = {"limit": limit, "cursor": cursor, **_place(workspace)}
        return self._record("GET", "/v1/conversations", query=query)

    def conversation(self, workspace: str, key: str, *, limit: int) -> Record:
        """One conversation."""
        query = {"limit": limit, **_place(workspace)}
        return self._record("GET", f"/v1/conversations/{_part(key)}", query=query)

    def reset(self, workspace: str, key: str) -> Record:
        """Let the history begin anew."""
        return self._record("POST", f"/v1/conversations/{_part(key)}/reset", query=_place(workspace))

    def runners(self) -> Sequence[Record]:
        """Every runner."""
        return self._list("runners", "/v1/runners")

    def runner(self, name: str) -> Record:
        """One runner."""
        return self._record("GET", f"/v1/runners/{_part(name)}")

    def tokens(self) -> Sequence[Record]:
        """Every token."""
        return self._list("tokens", "/v1/tokens")

    def create_token(self, wanted: Record) -> Record:
        """Make a token."""
        return self._record("POST", "/v1/tokens", body=wanted)

    def revoke_token(self, workspace: str, name: str) -> None:
        """End a token."""
        self._host.ask("DELETE", f"/v1/tokens/{_part(name)}", query=_place(workspace))

    def _record(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Record | None = None
    ) -> Record:
        found: Record = self._host.ask(method, path, query=query, body=body)
        return found

    def _list(self, name: str, path: str, *, query: Mapping[str, Any] | None = None) -> Sequence[Record]:
        found: Sequence[Record] = self._host.ask("GET", path, query=query)[name]
        return found


def _part(text: str) -> str:
    return quote(text, safe="")


def _place(workspace: str) -> dict[str, str]:
    return {} if workspace == "default" else {"workspace": workspace}
