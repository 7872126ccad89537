"""Surfaces: the places where output is shown, and the mailbox that HTTP callers and terminals read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from langbot_agents.schemas.content import ContentPart
from langbot_agents.schemas.events import DeliveryContext, ReplyTarget
from langbot_agents.schemas.messages import text_of

from .streams import Subscription

HTTP_SURFACE = "http_api"
TERMINAL_SURFACE = "terminal"
LEGACY_SURFACE = "langbot"
"""Where the results of LangBot queries go: their caller reads them."""
HOST_SURFACE = "host"
"""What the host says of itself comes from here; nothing can be shown there."""

Content = str | tuple[ContentPart, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outgoing:
    """One message on its way to one place; `delivery_id` names it also when it is sent again."""

    delivery_id: str
    event_uid: str
    run_id: str
    message_id: str
    target: ReplyTarget


class Surface(Protocol):
    """A place where output is shown."""

    name: str
    idempotent_send: bool
    """Whether sending the same `delivery_id` again shows nothing twice."""

    def context(self, target: ReplyTarget | None) -> DeliveryContext:
        """What the surface can do."""

    def watched(self, outgoing: Outgoing) -> bool:
        """Whether somebody would see a message grow there now."""

    async def open(self, outgoing: Outgoing) -> str | None:
        """Begin a message that grows; gives the platform's id of it."""

    async def grow(self, outgoing: Outgoing, added: str, so_far: Callable[[], str]) -> None:
        """Show what is new; `so_far()` is the whole text up to here, for a surface that edits."""

    async def close(self, outgoing: Outgoing, content: Content, *, opened: bool) -> str | None:
        """Show the whole message, once; it replaces what grew. Gives the platform's id of it."""


FrameKind = Literal["open", "delta", "close"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """What a reader of a mailbox gets: a message begins, grows, and is closed once with its whole content."""

    kind: FrameKind
    message_id: str
    run_id: str
    text: str = ""
    content: Content = ""

    def as_dict(self) -> dict[str, Any]:
        """The frame as JSON data."""
        data: dict[str, Any] = {"run_id": self.run_id, "message_id": self.message_id}
        if self.kind == "delta":
            data["text"] = self.text
        elif self.kind == "close":
            data["text"] = text_of(self.content)
            if not isinstance(self.content, str):
                data["contents"] = [part.model_dump(mode="json", exclude_none=True) for part in self.content]
        return data


def _joins(last: Frame, new: Frame) -> bool:
    return (
        last.kind == new.kind == "delta" and last.message_id == new.message_id and last.run_id == new.run_id
    )


def _join(deltas: Sequence[Frame]) -> Frame:
    return replace(deltas[-1], text="".join(delta.text for delta in deltas))


class Mailbox:
    """A surface whose messages lie in the store until somebody asks, and are shown at once to who listens.

    It needs nothing outside the host, so a message that was closed twice is still one message.
    """

    idempotent_send = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._readers: dict[str, list[Subscription[Frame]]] = {}

    def context(self, target: ReplyTarget | None) -> DeliveryContext:
        """It streams, and a close replaces what was streamed."""
        return DeliveryContext(
            surface=self.name, reply_target=target, supports_streaming=True, supports_edit=True
        )

    @contextmanager
    def listen(self, event_uid: str) -> Iterator[Subscription[Frame]]:
        """Read what is delivered for an event from now on."""
        reader = Subscription(_joins, _join)
        self._readers.setdefault(event_uid, []).append(reader)
        try:
            yield reader
        finally:
            reader.discard()
            readers = self._readers[event_uid]
            readers.remove(reader)
            if not readers:
                del self._readers[event_uid]

    def end(self, event_uid: str) -> None:
        """Nothing more will be delivered for the event."""
        for reader in self._readers.get(event_uid, ()):
            reader.close()

    def watched(self, outgoing: Outgoing) -> bool:
        """Whether somebody listens."""
        return outgoing.event_uid in self._readers

    async def open(self, outgoing: Outgoing) -> str | None:
        """Tell the readers that a message begins."""
        self._tell(outgoing, Frame(kind="open", message_id=outgoing.message_id, run_id=outgoing.run_id))
        return outgoing.delivery_id

    async def grow(self, outgoing: Outgoing, added: str, so_far: Callable[[], str]) -> None:
        """Give the readers what is new."""
        self._tell(
            outgoing, Frame(kind="delta", message_id=outgoing.message_id, run_id=outgoing.run_id, text=added)
        )

    async def close(self, outgoing: Outgoing, content: Content, *, opened: bool) -> str | None:
        """Give the readers the whole message."""
        frame = Frame(kind="close", message_id=outgoing.message_id, run_id=outgoing.run_id, content=content)
        self._tell(outgoing, frame)
        return outgoing.delivery_id

    def _tell(self, outgoing: Outgoing, frame: Frame) -> None:
        for reader in self._readers.get(outgoing.event_uid, ()):
            reader.put(frame)


class Surfaces:
    """The surfaces of a host by name."""

    def __init__(self) -> None:
        self._surfaces: dict[str, Surface] = {}
        self.mailboxes: Mapping[str, Mailbox] = {
            name: Mailbox(name) for name in (HTTP_SURFACE, TERMINAL_SURFACE, LEGACY_SURFACE)
        }
        self._surfaces.update(self.mailboxes)

    def get(self, name: str) -> Surface | None:
        """The surface of that name."""
        return self._surfaces.get(name)

    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(sorted(self._surfaces))

    def end(self, event_uid: str) -> None:
        """Tell every mailbox that nothing more comes for an event."""
        for mailbox in self.mailboxes.values():
            mailbox.end(event_uid)
