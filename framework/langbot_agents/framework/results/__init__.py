"""What a runner gives, made into results the host can trust, and what they say together."""

from .normalizer import MAX_STATE_VALUE, AgentResultNormalizer, SpilledMessage
from .output import DEFAULT_MESSAGE_ID, OutputMessage, RunOutput, delta_text, sum_usage

__all__ = [
    "DEFAULT_MESSAGE_ID",
    "MAX_STATE_VALUE",
    "AgentResultNormalizer",
    "OutputMessage",
    "RunOutput",
    "SpilledMessage",
    "delta_text",
    "sum_usage",
]
