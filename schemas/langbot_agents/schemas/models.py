"""What a language model answers, whole and in pieces."""

from pydantic import Field

from .base import Model
from .messages import Message, MessageChunk
from .results import Usage


class ModelChunk(MessageChunk):
    """A piece of a model's answer; reasoning is kept apart from what is shown."""

    reasoning: str | None = Field(default=None, description="New text of the model's reasoning.")
    finish_reason: str | None = Field(default=None, description="Why the model ended; on the last piece.")
    usage: Usage | None = Field(
        default=None, description="What it cost; on the last piece, if the provider says."
    )


class ModelReply(Model):
    """A model's whole answer."""

    message: Message = Field(description="The answer.")
    reasoning: str | None = Field(default=None, description="The model's reasoning, kept apart.")
    finish_reason: str | None = Field(default=None, description="Why the model ended.")
    usage: Usage | None = Field(default=None, description="What it cost; null if the provider does not say.")
    model: str = Field(default="", description="Name of the model that answered.")
