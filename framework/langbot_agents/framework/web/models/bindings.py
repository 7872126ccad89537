"""Bindings as HTTP shows them, and what is found in a document."""

from typing import Literal

from pydantic import AwareDatetime, Field

from langbot_agents.schemas.base import JsonData, JsonObject

from .base import AnswerModel, RequestModel

BindingState = Literal["live", "disabled", "paused", "quarantined"]


class BindingRow(AnswerModel):
    """One binding; of a quarantined one only what could be read."""

    binding_id: str | None = Field(description="Its id; null where the file cannot be read.")
    state: BindingState = Field(description="Whether it takes part.")
    reason: str | None = Field(description="Why it is paused, quarantined or stale.")
    stale: bool = Field(
        default=False,
        description="Whether its document has an error or clashes, so that the last good revision is live.",
    )
    paused_at: AwareDatetime | None = Field(default=None, description="Since when it is paused.")
    workspace_id: str | None = Field(description="The one workspace that it takes; `*` for several.")
    mode: Literal["respond", "observe"] | None = Field(default=None, description="Answers, or watches.")
    priority: int | None = Field(default=None, description="Higher answers first.")
    event_types: tuple[str, ...] | None = Field(default=None, description="Types that it takes.")
    runner_id: str | None = Field(default=None, description="The runner, by its full id.")
    revision: str | None = Field(description="Digest of the document.")
    origin: str = Field(description="`file:line`.")


class Loading(AnswerModel):
    """How far what is on disk is in use."""

    watching: bool = Field(description="Whether changes are loaded by themselves; else by SIGHUP.")
    loaded_at: AwareDatetime = Field(description="When the last load of what is on disk began.")
    root_document: Literal["live", "invalid", "restart"] = Field(
        description="Whether langbot-agents.yaml is in use as it is on disk; `restart` takes one."
    )
    reason: str | None = Field(default=None, description="Why it is not, for the host's own token.")


class BindingList(AnswerModel):
    """All bindings, by id."""

    bindings: tuple[BindingRow, ...] = Field(description="The bindings.")
    digest: str = Field(description="Names the set that is live; decisions hold it.")
    loading: Loading = Field(description="How far what is on disk is in use.")


class BindingDetail(BindingRow):
    """One binding with its document."""

    document: JsonObject | None = Field(
        default=None, description="The AgentBinding with all defaults, secrets masked; null if quarantined."
    )


class BindingPaused(BindingRow):
    """A binding after a pause was made or lifted."""

    changed: bool = Field(description="False where it was so already.")


class PauseRequest(RequestModel):
    """Why a binding is paused."""

    reason: str | None = Field(default=None, max_length=500, description="Why; shown wherever it is missed.")


class FindingRow(AnswerModel):
    """One cause at one place."""

    code: str = Field(description="Stable code.")
    severity: Literal["error", "warning"] = Field(description="An error keeps the document out.")
    file: str = Field(description="The name that was given.")
    line: int = Field(description="Line, from 1.")
    column: int = Field(description="Column, from 1.")
    path: str = Field(description="Place in the document.")
    message: str = Field(description="What is wrong, for people.")
    remedy: str | None = Field(description="What to do.")
    value: JsonData = Field(description="The offending value.")


class CheckedBinding(AnswerModel):
    """One binding of the text."""

    binding_id: str | None = Field(description="Its id, as far as it can be read.")
    state: BindingState = Field(description="What it would be.")
    line: int = Field(description="Line at which it begins.")


class Validation(AnswerModel):
    """What was found in binding documents."""

    ok: bool = Field(description="Whether there is no error.")
    documents: int = Field(description="Documents in the text.")
    bindings: tuple[CheckedBinding, ...] = Field(description="The bindings.")
    errors: int = Field(description="Findings that keep a document out.")
    warnings: int = Field(description="Findings that do not.")
    findings: tuple[FindingRow, ...] = Field(description="All findings, by place.")
