"""The event envelope: what happened, where, by whom, to what, and where an answer can go."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, StringConstraints, field_validator, model_validator

from .base import EventType, JsonData, JsonObject, Model, Name, PlatformId
from .content import ActorRef, Attachment, ContentPart, TextPart, same_file
from .interactions import InteractionSubmission
from .messages import Message

MAX_INLINE_TEXT = 64 * 1024
"""Bytes of text that an envelope holds itself; more is an artifact."""

SourceKind = Literal["platform_adapter", "webui", "http_api", "scheduler", "system"]
ConversationType = Literal["private", "group", "channel"]
SizeUnit = Literal["characters", "utf16", "bytes"]
TargetType = Literal["person", "group", "channel", "session", "url"]


class EventSource(Model):
    """Which configured source brought the event."""

    kind: SourceKind = Field(description="Kind of source.")
    name: Name = Field(
        description="Name of the configured source (platform, token, schedule), never the adapter's kind."
    )


class SubjectRef(Model):
    """What it happened to."""

    subject_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")] = Field(
        description="`message`, `group`, `membership`, `request`, `schedule`, `feedback`, `interaction`, "
        "`user`, `file`, `bot`, `event` or another."
    )
    subject_id: PlatformId | None = Field(default=None, description="Its id.")
    data: JsonObject = Field(default={}, validate_default=True, description="Small facts about it.")


class RawEventRef(Model):
    """The platform's own payload, stored beside the event."""

    ref_id: str = Field(description="Id of the payload.")
    storage_key: str = Field(description="Where it lies in the artifact store.")
    mime_type: str = Field(default="application/json", description="Media type.")
    size: int = Field(default=0, ge=0, description="Size in bytes.")
    digest: str = Field(default="", description="`sha256:` and the hex digest.")
    expires_at: AwareDatetime | None = Field(default=None, description="When it is deleted.")


class Cause(Model):
    """The run or event that led to this one."""

    run_id: str | None = Field(default=None, description="The run.")
    event_uid: str | None = Field(default=None, description="The event.")
    depth: int = Field(default=0, ge=0, description="Links in the chain; 0 for what comes from outside.")


class AgentInput(Model):
    """What the event says to a runner; a non-message event has no text."""

    text: str | None = Field(
        default=None, description="What a person wrote, at most 64 KiB; null where nobody wrote anything."
    )
    contents: tuple[ContentPart, ...] = Field(default=(), description="Structured parts in order.")
    attachments: tuple[Attachment, ...] = Field(default=(), description="Files that came along.")
    data: JsonData = Field(default=None, description="Payload of a timer or an API call.")
    interaction: InteractionSubmission | None = Field(default=None, description="A form that was sent back.")

    @field_validator("text")
    @classmethod
    def _bounded(cls, value: str | None) -> str | None:
        if value is not None and len(value) > MAX_INLINE_TEXT // 4 and len(value.encode()) > MAX_INLINE_TEXT:
            raise ValueError(
                f"text is {len(value.encode())} bytes, over {MAX_INLINE_TEXT}; send more as an attachment"
            )
        return value

    def to_text(self) -> str:
        """The text, else the text parts of `contents`, else empty."""
        if self.text is not None:
            return self.text
        return "".join(part.text for part in self.contents if isinstance(part, TextPart))

    def as_message(self) -> Message:
        """This input as a user message, with the files that came along and are not in `contents`."""
        if not self.attachments:
            return Message(role="user", content=self.contents or self.to_text())
        parts = list(self.contents)
        if not parts and self.text:
            parts.append(TextPart(text=self.text))
        for attachment in self.attachments:
            part = attachment.as_part()
            # what is known by its handle alone may be any of the parts
            there = isinstance(part, TextPart) and bool(self.contents)
            if not there and not any(same_file(part, known) for known in parts):
                parts.append(part)
        return Message(role="user", content=tuple(parts))


class ReplyTarget(Model):
    """Where an answer goes on its surface."""

    target_type: TargetType = Field(description="Kind of place.")
    target_id: PlatformId = Field(description="Id of the place.")
    thread_id: PlatformId | None = Field(default=None, description="Thread in the place.")
    message_id: PlatformId | None = Field(default=None, description="Message that is answered.")
    metadata: JsonObject = Field(
        default={}, validate_default=True, description="What the surface needs besides."
    )


class InteractionSupport(Model):
    """What forms a surface can show."""

    field_types: tuple[str, ...] = Field(default=(), description="Field types it can show.")
    styles: tuple[str, ...] = Field(default=(), description="Button styles it can show.")
    max_fields: int | None = Field(default=None, ge=0, description="Most fields in one form.")


class DeliveryContext(Model):
    """What the place of the event can show, and where a reply goes."""

    surface: Name = Field(description="Name of the surface.")
    reply_target: ReplyTarget | None = Field(
        default=None, description="Where a reply goes; null where there is none."
    )
    supports_streaming: bool = Field(
        default=False, description="Whether a message can grow while it is shown."
    )
    supports_edit: bool = Field(default=False, description="Whether a sent message can be changed.")
    supports_reaction: bool = Field(default=False, description="Whether a message can get a reaction.")
    max_message_size: int | None = Field(default=None, ge=64, description="Longest message, in `size_unit`.")
    size_unit: SizeUnit = Field(default="characters", description="Unit of `max_message_size`.")
    interactions: InteractionSupport | None = Field(default=None, description="Forms it can show.")
    platform_capabilities: JsonObject = Field(
        default={}, validate_default=True, description="What else the platform can do."
    )


class AgentEventEnvelope(Model):
    """One event, normalised; the same shape whatever the source is."""

    event_uid: str | None = Field(default=None, description="Id that the host gives, `evt_…`.")
    received_at: AwareDatetime | None = Field(
        default=None, description="When the host took it; set by the host."
    )
    event_id: Annotated[str, StringConstraints(min_length=1, max_length=1024)] | None = Field(
        default=None,
        description="The source's own id; a repeat is not run again. Without one nothing is deduplicated.",
    )
    event_type: EventType = Field(description="Stable name such as `message.received`.")
    event_time: float | None = Field(
        default=None, allow_inf_nan=False, description="When it happened, Unix seconds."
    )
    source: EventSource = Field(description="Where it came from.")
    workspace_id: Name = Field(default="default", description="Tenant; nothing reaches across.")
    bot_id: PlatformId | None = Field(default=None, description="The bot it concerns.")
    conversation_id: PlatformId | None = Field(default=None, description="`person_<peer>` or `group_<chat>`.")
    conversation_type: ConversationType | None = Field(
        default=None, description="Equals `metadata.chat_type`."
    )
    thread_id: PlatformId | None = Field(default=None, description="Real thread in the conversation.")
    actor: ActorRef | None = Field(default=None, description="Who did it.")
    subject: SubjectRef | None = Field(default=None, description="What it happened to.")
    input: AgentInput = Field(default=AgentInput(), description="What it says.")
    delivery: DeliveryContext = Field(description="Where an answer can go.")
    raw_ref: RawEventRef | None = Field(default=None, description="The platform's payload, by reference.")
    metadata: JsonObject = Field(
        default={}, validate_default=True, description="The platform's event name and small facts."
    )
    locale: str | None = Field(
        default=None, max_length=35, description="Language of the person, `zh_Hans` or `en_US`."
    )
    cause: Cause | None = Field(default=None, description="What led here.")
    traceparent: str | None = Field(default=None, max_length=128, description="W3C trace context.")
    expires_at: AwareDatetime | None = Field(default=None, description="After this it is not worth running.")

    @model_validator(mode="before")
    @classmethod
    def _conversation_type(cls, value: Any) -> Any:
        """Fill `conversation_type` from `metadata.chat_type`, and the other way round."""
        if not isinstance(value, dict):
            return value
        metadata = value.get("metadata")
        chat_type = metadata.get("chat_type") if isinstance(metadata, dict) else None
        stated = value.get("conversation_type")
        if chat_type in ("private", "group", "channel") and stated is None:
            return {**value, "conversation_type": chat_type}
        if isinstance(stated, str) and chat_type is None and isinstance(metadata, dict | None):
            return {**value, "metadata": {**(metadata or {}), "chat_type": stated}}
        if stated is not None and chat_type is not None and stated != chat_type:
            raise ValueError(
                f"conversation_type {stated!r} and metadata.chat_type {chat_type!r} differ; state one"
            )
        return value
