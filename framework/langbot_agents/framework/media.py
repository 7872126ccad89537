"""Files that come inside of an event, as `data:` URLs: moved into the store, so that events stay small."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

from langbot_agents.schemas.content import (
    ArtifactRef,
    Attachment,
    AudioPart,
    ContentPart,
    FilePart,
    ImagePart,
    QuotePart,
    VideoPart,
)
from langbot_agents.schemas.events import AgentEventEnvelope

from .errors import InvalidEventError
from .identity import conversation_key
from .ids import new_id
from .store.artifacts import Artifacts
from .texts import t

MAX_FILE_BYTES = 20 * 1024**2
MAX_FILES = 32
_HEAD = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?P<rest>(?:;[^,;]*)*),", re.ASCII | re.IGNORECASE)
_MEDIA = (ImagePart, AudioPart, VideoPart, FilePart)

_SIGNATURES: Sequence[tuple[int, bytes, str]] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)
_CONTAINERS = frozenset({"application/zip", "audio/ogg", "video/mp4", "video/webm"})
"""What holds several kinds of file, so that a stated type may be the better one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _File:
    artifact: ArtifactRef
    data: bytes


@dataclass(kw_only=True)
class TakenFiles:
    """An event without files inside, and the files that it had."""

    envelope: AgentEventEnvelope
    _files: list[_File] = field(default_factory=list)

    async def store(self, artifacts: Artifacts) -> None:
        """Put the files into the store; they belong to the event's conversation, else to the event."""
        event = self.envelope
        for file in self._files:
            await artifacts.create(
                event.workspace_id,
                file.data,
                artifact_id=file.artifact.artifact_id,
                name=file.artifact.name,
                mime_type=file.artifact.mime_type,
                conversation_key=conversation_key(event) or event.event_uid,
                access="conversation",
            )

    async def forget(self, artifacts: Artifacts) -> None:
        """Remove them again: the event was not taken."""
        for file in self._files:
            await artifacts.delete(self.envelope.workspace_id, file.artifact.artifact_id)


def take_files(envelope: AgentEventEnvelope) -> TakenFiles:
    """Take the files out of `input`; each place gets a reference instead. Raises `InvalidEventError`."""
    taken = TakenFiles(envelope=envelope)
    given = envelope.input
    contents = _taken_parts(given.contents, taken._files, "input.contents")
    attachments = tuple(
        _taken_attachment(item, taken._files, f"input.attachments[{place}]")
        for place, item in enumerate(given.attachments)
    )
    if taken._files:
        update = {"contents": contents, "attachments": attachments}
        taken.envelope = envelope.model_copy(update={"input": given.model_copy(update=update)})
    return taken


def _taken_parts(parts: Sequence[ContentPart], files: list[_File], place: str) -> tuple[ContentPart, ...]:
    made: list[ContentPart] = []
    for index, part in enumerate(parts):
        here = f"{place}[{index}]"
        if isinstance(part, QuotePart):
            contents = _taken_parts(part.contents, files, f"{here}.contents")
            made.append(part.model_copy(update={"contents": contents}))
        elif isinstance(part, _MEDIA) and part.url is not None and part.url[:5].lower() == "data:":
            made.append(part.model_copy(update=_reference(part, part.url, files, here)))
        else:
            made.append(part)
    return tuple(made)


def _taken_attachment(item: Attachment, files: list[_File], place: str) -> Attachment:
    if item.url is None or item.url[:5].lower() != "data:":
        return item
    update = _reference(item, item.url, files, place)
    return item.model_copy(update={**update, "size": update["artifact"].size})


def _reference(part: Any, url: str, files: list[_File], place: str) -> dict[str, Any]:
    refuse = _refuser(f"{place}.url")
    if len(files) >= MAX_FILES:
        raise refuse(t("an event has at most {limit} files inside", limit=MAX_FILES))
    stated, data = _decoded(url, refuse)
    mime_type = sniffed(data, part.mime_type or stated)
    if part.type == "image" and not mime_type.startswith("image/"):
        raise refuse(t("this is no picture but {kind}", kind=mime_type))
    artifact = ArtifactRef(
        artifact_id=new_id("art"),
        name=part.name,
        mime_type=mime_type,
        size=len(data),
        digest="sha256:" + hashlib.sha256(data).hexdigest(),
        access="conversation",
    )
    files.append(_File(artifact=artifact, data=data))
    return {"artifact": artifact, "url": None, "mime_type": mime_type}


def _decoded(url: str, refuse: Callable[[str], InvalidEventError]) -> tuple[str, bytes]:
    """The stated type and the bytes of a `data:` URL."""
    head = _HEAD.match(url[:1024])
    if head is None:
        raise refuse(t("a data URL reads data:TYPE/SUBTYPE;base64,DATA"))
    body = url[head.end() :]
    if len(body) > MAX_FILE_BYTES * 4 // 3 + 4:
        raise refuse(t("the file is over {limit} bytes", limit=MAX_FILE_BYTES))
    if head["rest"].lower().endswith(";base64"):
        try:
            data = base64.b64decode(unquote_to_bytes(body) if "%" in body else body, validate=True)
        except (binascii.Error, ValueError):
            raise refuse(t("this is not base64")) from None
    else:
        data = unquote_to_bytes(body)
    if not data:
        raise refuse(t("the file is empty"))
    if len(data) > MAX_FILE_BYTES:
        raise refuse(t("the file is over {limit} bytes", limit=MAX_FILE_BYTES))
    return head["type"] or "application/octet-stream", data


def sniffed(data: bytes, stated: str) -> str:
    """The type that the bytes themselves have, where they say; else the stated one."""
    for offset, signature, mime_type in _SIGNATURES:
        if data.startswith(signature, offset):
            return stated if mime_type in _CONTAINERS and not stated.startswith("image/") else mime_type
    return stated


def _refuser(place: str) -> Callable[[str], InvalidEventError]:
    def refuse(cause: str) -> InvalidEventError:
        return InvalidEventError(
            t("{path}: {cause}", path=place, cause=cause), details=[{"path": place, "message": cause}]
        )

    return refuse
