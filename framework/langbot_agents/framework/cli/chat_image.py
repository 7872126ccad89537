"""Pictures from files, as a message carries them."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import LangbotAgentsError
from ..texts import t

_KINDS: Mapping[bytes, str] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_REST_OF_BODY = 128 * 1024
"""What is left for the text and the rest of a request."""


class ImageError(LangbotAgentsError):
    """A file cannot be sent as a picture."""

    code = "image"


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """A picture that was read."""

    name: str
    mime_type: str
    content: bytes

    @property
    def encoded_size(self) -> int:
        """How much of a request it takes."""
        return (len(self.content) + 2) // 3 * 4

    def part(self) -> dict[str, Any]:
        """The picture as a part of a message."""
        url = f"data:{self.mime_type};base64,{base64.b64encode(self.content).decode()}"
        return {"type": "image", "url": url, "name": self.name, "mime_type": self.mime_type}


def read_image(path: str, *, body: int, taken: int = 0) -> Image:
    """The picture in a file, where it fits into a request of `body` bytes of which `taken` are used.

    Raises `ImageError` with the cause.
    """
    file = Path(path).expanduser()
    room = max(0, (body - _REST_OF_BODY - taken) // 4 * 3)
    try:
        size = file.stat().st_size
        if file.is_file() and size > room:
            raise ImageError(
                t(
                    "{path}: {size} is too large; there is room for {room}",
                    path=path,
                    size=_size(size),
                    room=_size(room),
                ),
                remedy=t("make it smaller, or raise server.max_body_bytes"),
            )
        content = file.read_bytes()
    except OSError as error:
        raise ImageError(t("{path}: {cause}", path=path, cause=error.strerror or error)) from None
    mime_type = _kind(content)
    if mime_type is None:
        raise ImageError(
            t("{path}: this is no picture", path=path), remedy=t("PNG, JPEG, GIF and WebP can be sent")
        )
    return Image(name=file.name, mime_type=mime_type, content=content)


def _kind(content: bytes) -> str | None:
    """By what the file holds, as names can be wrong."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _KINDS.items() if content.startswith(mark)), None)


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{max(1, count // 1024) if count else 0} KiB"
