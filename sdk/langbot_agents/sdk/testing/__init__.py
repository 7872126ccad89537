"""What a runner author tests with: a context, an API in memory, gathered results, a scripted model server."""

from .api import ALL_SCOPES, HistoryItem, InMemoryApi, InMemoryHistory, InMemoryState
from .calls import ApiCall, CallBook
from .collect import Collected, collect
from .context import make_context
from .fake_openai import FakeFailure, FakeOpenAI, FakeReply, FakeToolCall, RecordedRequest
from .hands import FixedDeadline, LogLine, RecordedEmit, RecordedLog
from .models import ModelRequest, ScriptedModels

__all__ = [
    "ALL_SCOPES",
    "ApiCall",
    "CallBook",
    "Collected",
    "FakeFailure",
    "FakeOpenAI",
    "FakeReply",
    "FakeToolCall",
    "FixedDeadline",
    "HistoryItem",
    "InMemoryApi",
    "InMemoryHistory",
    "InMemoryState",
    "LogLine",
    "ModelRequest",
    "RecordedEmit",
    "RecordedLog",
    "RecordedRequest",
    "ScriptedModels",
    "collect",
    "make_context",
]
