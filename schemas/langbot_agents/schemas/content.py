"""Parts of a message: text, media by reference, quotes, mentions, and files that lie in the store."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from .base import JsonData, JsonObject, Model, PlatformId

ActorType = Literal["user", "bot", "system", "plugin", "service", "chat", "anonymous"]
ArtifactAccess = Literal["run", "conversation", "workspace"]


class ActorRef(Model):
    """Who did it."""

    actor_type: ActorType = Field(default="user", description="What kind of actor it is.")
    actor_id: PlatformId | None = Field(
        default=None, description="The platform's id of the actor; null for the system."
    )
    actor_name: str | None = Field(default=None, description="Display name.")
    roles: tuple[str, ...] = Field(
        default=(), description="Roles in the place where it happened, such as `admin`."
    )
    metadata: JsonObject = Field(default={}, validate_default=True, description="What the platform adds.")


class ArtifactRef(Model):
    """A file in the artifact store, by reference: never its bytes."""

    artifact_id: str = Field(description="Host id of the artifact, `art_…`.")
    name: str | None = Field(default=None, description="File name to show.")
    mime_type: str = Field(default="application/octet-stream", description="Media type.")
    size: int = Field(default=0, ge=0, description="Size in bytes.")
    digest: str = Field(default="", description="`sha256:` and the hex digest of the bytes.")
    summary: str | None = Field(default=None, description="Short text that stands for the content.")
    expires_at: AwareDatetime | None = Field(default=None, description="When the bytes may be deleted.")
    access: ArtifactAccess = Field(default="run", description="Who may read it.")


class TextPart(Model):
    """Text."""

    type: Literal["text"] = Field(default="text", description="Kind of part.")
    text: str = Field(description="The text.")


class _MediaPart(Model):
    artifact: ArtifactRef | None = Field(default=None, description="The stored file.")
    url: str | None = Field(default=None, description="Where the file lies, when it is not stored.")
    name: str | None = Field(default=None, description="File name.")
    mime_type: str | None = Field(default=None, description="Media type.")

    @model_validator(mode="after")
    def _one_place(self) -> "_MediaPart":
        if (self.artifact is None) == (self.url is None):
            raise ValueError("give exactly one of artifact and url")
        return self


class ImagePart(_MediaPart):
    """A picture."""

    type: Literal["image"] = Field(default="image", description="Kind of part.")


class AudioPart(_MediaPart):
    """Sound; an attachment calls it `voice`."""

    type: Literal["audio"] = Field(default="audio", description="Kind of part.")


class VideoPart(_MediaPart):
    """A video."""

    type: Literal["video"] = Field(default="video", description="Kind of part.")


class FilePart(_MediaPart):
    """Any other file."""

    type: Literal["file"] = Field(default="file", description="Kind of part.")


class QuotePart(Model):
    """A message that is quoted."""

    type: Literal["quote"] = Field(default="quote", description="Kind of part.")
    message_id: PlatformId | None = Field(default=None, description="The quoted message.")
    contents: tuple["ContentPart", ...] = Field(default=(), description="What it said, where it is known.")


class MentionPart(Model):
    """Somebody is mentioned."""

    type: Literal["mention"] = Field(default="mention", description="Kind of part.")
    actor: ActorRef = Field(description="Who is mentioned.")


class JsonPart(Model):
    """Structured data, such as a card."""

    type: Literal["json"] = Field(default="json", description="Kind of part.")
    value: JsonData = Field(description="The data.")


ContentPart = Annotated[
    TextPart | ImagePart | AudioPart | VideoPart | FilePart | QuotePart | MentionPart | JsonPart,
    Field(discriminator="type"),
]
QuotePart.model_rebuild()


class Attachment(Model):
    """A file that came with a message, under the platform's own handle."""

    type: Literal["image", "voice", "video", "file", "sticker"] = Field(description="Kind of file.")
    id: PlatformId | None = Field(default=None, description="The platform's handle.")
    url: str | None = Field(default=None, description="Where the platform serves it.")
    name: str | None = Field(default=None, description="File name.")
    mime_type: str | None = Field(default=None, description="Media type.")
    size: int | None = Field(default=None, ge=0, description="Size in bytes.")
    artifact: ArtifactRef | None = Field(default=None, description="The stored file, once it is stored.")

    def as_part(self) -> "ContentPart":
        """This file as a part of a message; words where nothing but the platform's handle is known."""
        if self.artifact is None and self.url is None:
            return TextPart(text=f"[{self.type}: {self.name or self.mime_type or self.id or self.type}]")
        mime_type = self.mime_type or (self.artifact.mime_type if self.artifact is not None else None)
        model = _PART_OF[self.type]
        if self.type == "sticker" and not (mime_type or "").startswith("image/"):
            model = FilePart  # such as an animation, which is no picture
        url = None if self.artifact is not None else self.url
        return model(artifact=self.artifact, url=url, name=self.name, mime_type=mime_type)


_MediaModel = type[ImagePart] | type[AudioPart] | type[VideoPart] | type[FilePart]
_PART_OF: Mapping[str, _MediaModel] = {
    "image": ImagePart,
    "sticker": ImagePart,
    "voice": AudioPart,
    "video": VideoPart,
    "file": FilePart,
}


def same_file(one: ContentPart, other: ContentPart) -> bool:
    """Whether two parts are of the same file: by its id, its bytes or its address."""
    if not isinstance(one, _MediaPart) or not isinstance(other, _MediaPart):
        return False
    if one.artifact is None or other.artifact is None:
        return one.url is not None and one.url == other.url
    if one.artifact.artifact_id == other.artifact.artifact_id:
        return True
    return bool(one.artifact.digest) and one.artifact.digest == other.artifact.digest
