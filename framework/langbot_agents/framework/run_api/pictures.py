"""Pictures of a conversation on their way to a model: read from the store, and given as data."""

import base64
from collections.abc import Sequence

from langbot_agents.schemas.content import ArtifactRef, ContentPart, ImagePart, TextPart
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.records import ArtifactRecord

from ..clock import utc_now
from ..errors import StoreError
from ..store import Database
from ..store.artifacts import Artifacts, get
from ..texts import t
from .session import AgentRunSession, refused

MAX_PICTURE_BYTES = 20 * 1024**2
"""Bytes of pictures that one call of a model may carry; of history the newest stay."""


class Pictures:
    """Fills in the pictures that a run may see."""

    def __init__(self, session: AgentRunSession, db: Database, artifacts: Artifacts) -> None:
        self._session = session
        self._db = db
        self._artifacts = artifacts

    async def filled(self, messages: Sequence[Message]) -> list[Message]:
        """The messages with stored pictures as `data:` URLs.

        What history has no room for, or has lost, is named in words. In the last message it is an error.
        """
        left = MAX_PICTURE_BYTES
        filled: list[Message] = []
        for message in reversed(messages):
            if isinstance(message.content, str) or not any(_is_stored(part) for part in message.content):
                filled.append(message)
                continue
            parts: list[ContentPart] = []
            for part in reversed(message.content):
                found, size = await self._filled(part, left, last=not filled)
                parts.append(found)
                left -= size
            filled.append(message.model_copy(update={"content": tuple(reversed(parts))}))
        return filled[::-1]

    async def _filled(self, part: ContentPart, room: int, *, last: bool) -> tuple[ContentPart, int]:
        """A part as it is sent, and the bytes that it takes of the room."""
        if not isinstance(part, ImagePart) or part.artifact is None:
            return part, 0
        record = await self._record(part.artifact)
        if record is not None and record.size <= room:
            return await self._shown(part, record), record.size
        if not last:
            return TextPart(text=f"[image: {part.name or part.artifact.artifact_id}]"), 0
        if record is None:
            raise refused("not_found", t("there is no picture {id}", id=part.artifact.artifact_id))
        message = t("the pictures are over {limit} bytes", limit=MAX_PICTURE_BYTES)
        raise refused("payload_too_large", message)

    async def _record(self, reference: ArtifactRef) -> ArtifactRecord | None:
        record = await self._db.read(get, self._session.workspace_id, reference.artifact_id)
        if record is None or (record.expires_at is not None and record.expires_at <= utc_now()):
            return None
        return record if self._may_read(record) else None

    def _may_read(self, record: ArtifactRecord) -> bool:
        """A run's own, those of its conversation (or its event, where there is none), the workspace's."""
        if record.access == "workspace" or record.run_id == self._session.run_id:
            return True
        place = self._session.conversation_key or self._session.event_uid
        return record.access == "conversation" and record.conversation_key == place

    async def _shown(self, part: ImagePart, record: ArtifactRecord) -> ImagePart:
        try:
            data = await self._artifacts.read(record)
        except StoreError as error:
            raise refused("runtime_error", error.message) from error
        text = base64.b64encode(data).decode()
        return ImagePart(
            url=f"data:{record.mime_type};base64,{text}", name=part.name, mime_type=record.mime_type
        )


def _is_stored(part: ContentPart) -> bool:
    return isinstance(part, ImagePart) and part.artifact is not None
