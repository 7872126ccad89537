"""`ctx.api` in memory: state with versions, history by pages, models by script, every call noted."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, get_args

from pydantic_core import to_json

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import StateValue
from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode
from langbot_agents.schemas.messages import Message

from .calls import ApiCall, CallBook, refused
from .models import ScriptedModels

ALL_SCOPES: tuple[StateScope, ...] = get_args(StateScope)
"""Every scope of the state."""

MAX_STATE_VALUE = 256 * 1024
"""Bytes of JSON that a value of the state may have, as in the host."""

HistoryItem = Message | tuple[str, str] | Mapping[str, Any]
"""A message of a history: whole, as `(role, text)`, or as JSON."""


class InMemoryApi:
    """The run API of one run, with no host behind it; a drop-in for `ctx.api`."""

    def __init__(
        self,
        *,
        state: Mapping[StateScope, Mapping[str, Any]] | None = None,
        history: Iterable[HistoryItem] = (),
        scopes: Collection[StateScope] = ALL_SCOPES,
    ) -> None:
        self._book = CallBook()
        self.state = InMemoryState(self._book, scopes)
        self.history = InMemoryHistory(self._book)
        self.models = ScriptedModels(self._book)
        self.state.seed(state or {})
        self.history.seed(history)

    @property
    def calls(self) -> list[ApiCall]:
        """Every call so far, refused ones too."""
        return self._book.calls

    def refuse(
        self,
        resource: str,
        verb: str = "*",
        *,
        code: APIErrorCode = "unauthorized",
        message: str | None = None,
        retryable: bool = False,
        times: int | None = None,
    ) -> None:
        """Refuse a verb of a resource, such as `("state", "set")`; `*` is every verb, None every time."""
        text = message if message is not None else f"{resource}.{verb} is refused by the test"
        error = AgentAPIError(code=code, message=text, retryable=retryable)
        self._book.refuse(resource, verb, error, times=times)


class InMemoryState:
    """`ctx.api.state` in memory."""

    def __init__(self, book: CallBook, scopes: Collection[StateScope]) -> None:
        self._book = book
        self._values: dict[StateScope, dict[str, StateValue]] = {scope: {} for scope in scopes}

    def seed(self, values: Mapping[StateScope, Mapping[str, Any]]) -> None:
        """Put values there as if an earlier run had, without noting a call."""
        for scope, items in values.items():
            if scope not in self._values:
                raise ValueError(f"state scope {scope!r} is not open; open are {sorted(self._values)}")
            for key, value in items.items():
                self._store(scope, key, value)

    def snapshot(self) -> dict[StateScope, dict[str, StateValue]]:
        """All values by scope, without noting a call."""
        return {scope: dict(items) for scope, items in self._values.items()}

    async def get(self, scope: StateScope, key: str) -> StateValue | None:
        """The value with its version, or None."""
        self._book.enter("state", "get", scope=scope, key=key)
        return self._drawer(scope).get(key)

    async def set(self, scope: StateScope, key: str, value: Any, *, version: int | None = None) -> StateValue:
        """Write a value; with `version` only if it still is that one (0: there is none), else `conflict`."""
        self._book.enter("state", "set", scope=scope, key=key, value=value, version=version)
        drawer = self._drawer(scope)
        if not 0 < len(key) <= 255:
            raise refused("invalid_argument", "a state key has 1 to 255 characters")
        try:
            size = len(to_json(freeze(value)))
        except ValueError as error:
            raise refused("invalid_argument", str(error)) from None
        if size > MAX_STATE_VALUE:
            raise refused("payload_too_large", f"the value of {key!r} is over {MAX_STATE_VALUE} bytes")
        stored = drawer[key].version if key in drawer else 0
        if version not in (None, stored):
            raise refused("conflict", f"state key {key!r} is not at version {version}")
        return self._store(scope, key, value)

    async def list(self, scope: StateScope) -> dict[str, StateValue]:
        """All keys of a scope."""
        self._book.enter("state", "list", scope=scope)
        return dict(sorted(self._drawer(scope).items()))

    def _drawer(self, scope: StateScope) -> dict[str, StateValue]:
        if scope not in self._values:
            raise refused("unauthorized", f"state scope {scope!r} is not open to this run")
        return self._values[scope]

    def _store(self, scope: StateScope, key: str, value: Any) -> StateValue:
        drawer = self._values[scope]
        version = drawer[key].version + 1 if key in drawer else 1
        drawer[key] = StateValue(value=value, version=version)
        return drawer[key]


class InMemoryHistory:
    """`ctx.api.history` in memory."""

    def __init__(self, book: CallBook) -> None:
        self._book = book
        self.messages: list[Message] = []

    def seed(self, items: Iterable[HistoryItem]) -> None:
        """Add messages that were said before the run, oldest first."""
        self.messages.extend(as_message(item) for item in items)

    def window(self, rounds: int, *, end: int | None = None) -> tuple[list[Message], str | None]:
        """The last `rounds` turns before a place, and the cursor of what is older, without noting a call."""
        stop = len(self.messages) if end is None else end
        turns = [place for place in range(stop) if self.messages[place].role == "user"]
        if rounds <= 0 or not turns:
            return [], None
        start = turns[-rounds] if len(turns) > rounds else turns[0]
        return self.messages[start:stop], str(start) if start > 0 else None

    async def page(self, *, before: str | None = None, rounds: int = 10) -> tuple[list[Message], str | None]:
        """Older messages, whole turns, oldest first, and the cursor of the ones before them."""
        self._book.enter("history", "page", before=before, rounds=rounds)
        if not 1 <= rounds <= 100:
            raise refused("invalid_argument", f"rounds is 1 to 100, got {rounds}")
        if before is not None and not (before.isdecimal() and int(before) <= len(self.messages)):
            raise refused("invalid_argument", f"{before!r} is not a cursor of ours")
        return self.window(rounds, end=None if before is None else int(before))


def as_message(item: HistoryItem) -> Message:
    """A message from any of its short forms."""
    if isinstance(item, Message):
        return item
    if isinstance(item, tuple):
        role, text = item
        return Message.model_validate({"role": role, "content": text})
    return Message.model_validate(item)
