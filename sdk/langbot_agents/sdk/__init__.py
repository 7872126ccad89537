"""All that a runner or adapter author imports."""

from langbot_agents.schemas.content import ActorRef, ArtifactRef, Attachment
from langbot_agents.schemas.errors import AgentAPIError
from langbot_agents.schemas.events import AgentEventEnvelope, AgentInput
from langbot_agents.schemas.messages import Message, MessageChunk
from langbot_agents.schemas.results import AgentRunResult, Usage
from langbot_agents.schemas.runners import (
    AgentContextRequest,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
)

from .api import AgentRunAPI, Deadline, Emit, HistoryAPI, RunLog, StateAPI
from .context import AgentRunContext
from .errors import AgentAPIException
from .forms import schema_from_form
from .hooks import hookimpl
from .results import (
    action,
    artifact_created,
    completed,
    delivery,
    delta,
    failed,
    message,
    no_reply,
    state_updated,
    tool_completed,
    tool_started,
)
from .runner import AgentRunner, AnyConfig
from .selectors import FileSelector, KnowledgeBaseSelector, ModelSelector, Secret, ToolSelector

__all__ = [
    "ActorRef",
    "AgentAPIError",
    "AgentAPIException",
    "AgentContextRequest",
    "AgentEventEnvelope",
    "AgentInput",
    "AgentRunAPI",
    "AgentRunContext",
    "AgentRunResult",
    "AgentRunner",
    "AgentRunnerCapabilities",
    "AgentRunnerManifest",
    "AgentRunnerPermissions",
    "AnyConfig",
    "ArtifactRef",
    "Attachment",
    "Deadline",
    "Emit",
    "FileSelector",
    "HistoryAPI",
    "KnowledgeBaseSelector",
    "Message",
    "MessageChunk",
    "ModelSelector",
    "RunLog",
    "Secret",
    "StateAPI",
    "ToolSelector",
    "Usage",
    "action",
    "artifact_created",
    "completed",
    "delivery",
    "delta",
    "failed",
    "hookimpl",
    "message",
    "no_reply",
    "schema_from_form",
    "state_updated",
    "tool_completed",
    "tool_started",
]
