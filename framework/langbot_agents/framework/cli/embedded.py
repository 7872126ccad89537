"""One event through a host in this process, which ends with the command."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import ExitStack
from typing import Any

from ..app import EventStory, Host, read_story
from ..gateway import Caller
from ..platforms import TERMINAL_SURFACE, Frame
from ..store import Cursor, decisions, events
from ..streams import Subscription
from .reply import Step

CALLER = Caller(name="local", surface=TERMINAL_SURFACE, impersonate=True)
"""A person at the terminal of this machine: the same rights as the host's own token."""


class EmbeddedHost:
    """Sends events into an open host."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def send(self, data: Mapping[str, Any]) -> AsyncGenerator[Step, None]:
        """The steps of one event, until nothing more of it comes."""
        host = self._host
        frames: list[Subscription[Frame]] = []
        with ExitStack() as stack:

            def listen(event_uid: str) -> None:
                mailbox = host.surfaces.mailboxes[TERMINAL_SURFACE]
                frames.append(stack.enter_context(mailbox.listen(event_uid)))

            accepted = await host.run_from_event(data, CALLER, before_append=listen)
            yield Step(name="accepted", data=accepted.as_dict())
            if not accepted.duplicate:
                async for frame in frames[0]:
                    yield Step(name=f"message.{frame.kind}", data=frame.as_dict())
        story = await self._story(accepted.event_uid, str(data.get("workspace_id") or "default"))
        if accepted.duplicate:
            for step in _replayed(story):
                yield step
        yield Step(name="done", data=story.summary())

    async def decision(self, event_uid: str, workspace: str) -> Mapping[str, Any]:
        """The stored decision of an event."""
        found = await self._host.db.read(decisions.get, workspace, event_uid)
        return {} if found is None else found.model_dump(mode="json")

    async def _story(self, event_uid: str, workspace: str) -> EventStory:
        await self._host.db.writer.flush()  # the mark of the last delivery is written behind its send

        def read(cursor: Cursor) -> EventStory:
            stored = events.get(cursor, workspace, event_uid)
            assert stored is not None
            return read_story(cursor, stored)

        return await self._host.db.read(read)


def _replayed(story: EventStory) -> list[Step]:
    """The reply of an event that has ended, for who sends it again."""
    steps = []
    for item in story.summary()["deliveries"]:
        if item["status"] != "sent":
            continue
        content = item["content"]
        data = {"run_id": item["run_id"], "message_id": item["message_id"]}
        data |= {"text": content} if isinstance(content, str) else {"text": "", "contents": content}
        steps.append(Step(name="message.close", data=data))
    return steps
