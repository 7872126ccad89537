"""What an operating command can ask for, wherever the work is done."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from ..errors import NotFoundError
from ..texts import t
from .words import near

Record = Mapping[str, Any]
"""A record as JSON data."""

Via = Literal["host", "store"]


class Operator(Protocol):
    """What an operator can see and do; each id that is not there is a `NotFoundError`."""

    via: Via

    def runs(
        self, workspace: str, conditions: Mapping[str, Any], *, limit: int, cursor: str | None
    ) -> Record:
        """One page of runs, newest first, and `next_cursor`."""

    def run(self, workspace: str, run_id: str) -> Record:
        """One run."""

    def results(self, workspace: str, run_id: str) -> Sequence[Record]:
        """What a run said and did, in order."""

    def cancel(self, workspace: str, run_id: str) -> Record:
        """Ask a run to end; `cancelling` says whether it lives."""

    def bindings(self) -> Sequence[Record]:
        """Every binding with its state."""

    def binding_set(self) -> Record:
        """The `digest` of what is live, and `loading`: how far what is on disk is in use."""

    def binding(self, binding_id: str) -> Record:
        """One binding with its document."""

    def pause(self, binding_id: str, reason: str | None) -> Record:
        """Take a binding out until it is resumed; `changed` says whether it took part before."""

    def resume(self, binding_id: str) -> Record:
        """Let a binding take part again; `changed` says whether it was paused."""

    def conversations(self, workspace: str, *, limit: int, cursor: str | None) -> Record:
        """One page of conversations, the last that changed first, and `next_cursor`."""

    def conversation(self, workspace: str, key: str, *, limit: int) -> Record:
        """One conversation and the end of its history."""

    def reset(self, workspace: str, key: str) -> Record:
        """Let the history begin anew."""

    def runners(self) -> Sequence[Record]:
        """Every runner with its state."""

    def runner(self, name: str) -> Record:
        """The runner of that id or alias."""

    def tokens(self) -> Sequence[Record]:
        """Every token, without what is secret."""

    def create_token(self, wanted: Record) -> Record:
        """Make a token; `token` is shown once and never again."""

    def revoke_token(self, workspace: str, name: str) -> None:
        """End a token at once."""


def unknown(message: str, name: str, known: Sequence[str], *, listing: str) -> NotFoundError:
    """The error for an id that is not there: the nearest one, else where all are listed."""
    meant = near(name, known)
    if meant is not None:
        return NotFoundError(message, remedy=t("did you mean {near!r}?", near=meant))
    return NotFoundError(message, remedy=t("`{command}` shows what is there", command=listing))
