"""Runs, conversations, runners and tokens as HTTP shows them."""

from typing import Literal

from pydantic import AwareDatetime, Field

from langbot_agents.schemas.base import Name
from langbot_agents.schemas.records import (
    RunRecord,
    RunResultRecord,
    RunStatus,
    TokenNames,
    TokenScope,
    TranscriptEntry,
)
from langbot_agents.schemas.runners import AgentRunnerDescriptor
from langbot_agents.schemas.units import Duration

from .base import AnswerModel, RequestModel


class RunPage(AnswerModel):
    """One page of runs, newest first."""

    runs: tuple[RunRecord, ...] = Field(description="The runs.")
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")


class RunResults(AnswerModel):
    """Results of a run, in order."""

    run_id: str = Field(description="The run.")
    status: RunStatus = Field(description="State of the run.")
    results: tuple[RunResultRecord, ...] = Field(description="The results; deltas are joined to ranges.")
    next_after: int | None = Field(description="What to give as `after` for more; null where there is none.")


class RunCancelled(AnswerModel):
    """What became of the wish to cancel a run."""

    run_id: str = Field(description="The run.")
    status: RunStatus = Field(description="Its state before.")
    cancelling: bool = Field(description="Whether it lives, and is ending.")


class ConversationRow(AnswerModel):
    """One conversation."""

    conversation_key: str = Field(description="Its identity: bot or source, conversation, thread.")
    workspace_id: str = Field(description="Workspace.")
    bot_id: str | None = Field(description="The bot.")
    source_name: str = Field(description="The source of its first event.")
    conversation_id: str = Field(description="The platform's id.")
    conversation_type: str | None = Field(description="`private`, `group` or `channel`.")
    thread_id: str | None = Field(description="The thread.")
    title: str | None = Field(description="Title.")
    turn_count: int = Field(description="What users said since the last reset.")
    reset_at: AwareDatetime | None = Field(description="When it was reset.")
    reset_seq: int = Field(description="Place in the transcript behind which the history counts.")
    created_at: AwareDatetime = Field(description="When it began.")
    updated_at: AwareDatetime = Field(description="When something last happened in it.")
    expires_at: AwareDatetime | None = Field(description="When its window ends.")


class ConversationPage(AnswerModel):
    """One page of conversations, the last that changed first."""

    conversations: tuple[ConversationRow, ...] = Field(description="The conversations.")
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")


class ConversationDetail(ConversationRow):
    """One conversation with a page of its transcript."""

    history: tuple[TranscriptEntry, ...] = Field(
        description="What was said, oldest first; also before a reset."
    )
    has_more: bool = Field(description="Whether there is an older part.")
    next_cursor: str | None = Field(description="Where the older part ends; null at the beginning.")


class ConversationReset(AnswerModel):
    """A conversation whose window was cleared."""

    conversation_key: str = Field(description="The conversation.")
    reset: Literal[True] = Field(default=True, description="Always true.")


class RunnerList(AnswerModel):
    """All runners, the usable ones first."""

    runners: tuple[AgentRunnerDescriptor, ...] = Field(description="The runners.")


class TokenRow(AnswerModel):
    """One token, without what is secret."""

    workspace_id: str = Field(description="Workspace that it opens.")
    name: str = Field(description="Its name; the `source.name` of its events.")
    scopes: tuple[TokenScope, ...] = Field(description="What it may do.")
    may_state: TokenNames = Field(description="What it may state of an event.")
    created_at: AwareDatetime = Field(description="When it was made.")
    expires_at: AwareDatetime | None = Field(description="When it ends; null is never.")


class TokenList(AnswerModel):
    """Tokens, by workspace and name."""

    tokens: tuple[TokenRow, ...] = Field(description="The tokens.")


class NewToken(RequestModel):
    """A token that is wanted."""

    name: Name = Field(description="Its name; the `source.name` of its events.")
    workspace_id: Name = Field(default="default", description="Workspace that it opens.")
    scopes: tuple[TokenScope, ...] = Field(min_length=1, description="What it may do.")
    may_state: TokenNames = Field(default=TokenNames(), description="What it may state of an event.")
    expires_after: Duration | None = Field(
        default=None, gt=0, description="Seconds, or `90d`, after which it ends; null is never."
    )


class CreatedToken(TokenRow):
    """A token that was made."""

    token: str = Field(description="The token itself; shown once, and never again.")
