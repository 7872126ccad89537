"""How a contract is written down: both languages side by side, metadata by name, the sample from its file."""

import json
from importlib import resources
from typing import Any

from langbot_agents.schemas.base import JsonObject

from .fields import FIELDS
from .model import EventTypeContract, TextRule

CHAT = ("platform_event", "chat_type", "chat_id", "channel", "guild_id", "business_connection_id")
"""Metadata of whatever happens in a conversation."""


def _both(pair: tuple[str, str]) -> dict[str, str]:
    return {"en_US": pair[0], "zh_Hans": pair[1]}


def read_sample(name: str) -> JsonObject:
    """The sample file of an event type."""
    file = resources.files("langbot_agents.schemas") / "samples" / f"{name}.json"
    value: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return value


def define(
    name: str,
    *,
    title: tuple[str, str],
    description: tuple[str, str],
    actor: tuple[str, str],
    subject: tuple[str, str],
    subject_types: tuple[str, ...],
    metadata: tuple[str, ...],
    text: TextRule = "never",
    aliases: tuple[str, ...] = (),
    pattern: str | None = None,
    sample: str | None = None,
    data: bool = False,
    interaction: bool = False,
    reply: bool = False,
) -> EventTypeContract:
    """Make a contract; texts are pairs of English and Chinese, `sample` is a file name if not the type's."""
    return EventTypeContract(
        name=name,
        aliases=aliases,
        pattern=pattern,
        title=_both(title),
        description=_both(description),
        actor=_both(actor),
        subject=_both(subject),
        subject_types=subject_types,
        text=text,
        data=data,
        interaction=interaction,
        reply=reply,
        metadata={key: FIELDS[key] for key in metadata},
        sample=read_sample(sample or name),
    )
