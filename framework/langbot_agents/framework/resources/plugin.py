"""Registers the providers that ship, by the same hook as anybody's package."""

from collections.abc import Callable
from typing import Any

from langbot_agents.sdk import hookimpl
from langbot_agents.sdk.models import ModelEndpoint, ModelProvider


@hookimpl
def register_model_providers(register: Callable[..., None]) -> None:
    """Offer the `openai` provider; its module is imported at the first use."""
    register("openai", _openai)


def _openai(endpoint: ModelEndpoint) -> ModelProvider:
    from .openai_provider import OpenAIProvider

    provider: Any = OpenAIProvider(endpoint)
    made: ModelProvider = provider
    return made
