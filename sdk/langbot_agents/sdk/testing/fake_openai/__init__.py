"""An OpenAI-compatible server that answers by script, over real HTTP."""

from .requests import Outcome, RecordedRequest
from .script import FAILURES, FakeFailure, FakeReply, FakeToolCall, Script, echo
from .server import FakeOpenAI

__all__ = [
    "FAILURES",
    "FakeFailure",
    "FakeOpenAI",
    "FakeReply",
    "FakeToolCall",
    "Outcome",
    "RecordedRequest",
    "Script",
    "echo",
]
