"""What all models of HTTP are made from, and the problem that any request can get."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AnswerModel(BaseModel):
    """What is answered."""

    model_config = ConfigDict(frozen=True)


class RequestModel(BaseModel):
    """What is sent; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ProblemEntry(AnswerModel):
    """One field that is wrong."""

    path: str = Field(description="The field.")
    message: str = Field(description="What is wrong with it.")
    value: str | None = Field(default=None, description="What was sent.")
    remedy: str | None = Field(default=None, description="What to do.")


class Problem(AnswerModel):
    """Why a request was refused (RFC 9457)."""

    type: str = Field(description="URN of the kind of problem.")
    title: str = Field(description="The code in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong, for people.")
    code: str = Field(description="Stable code, for programs.")
    remedy: str | None = Field(default=None, description="What to do.")
    errors: tuple[ProblemEntry, ...] | None = Field(default=None, description="Each field that is wrong.")


class Health(AnswerModel):
    """That the process answers."""

    status: Literal["ok"] = Field(description="Always `ok`.")


class Readiness(AnswerModel):
    """Whether the host can do its work."""

    status: Literal["ready", "degraded", "failing"] = Field(description="`degraded` is with a part out.")
    bindings: int = Field(description="Bindings that are live.")
    problems: int = Field(description="Parts that are out.")
    reasons: tuple[str, ...] | None = Field(default=None, description="Why, for the host's own token.")
