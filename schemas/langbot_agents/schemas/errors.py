"""Errors as data, for the run API."""

from typing import Literal

from pydantic import Field

from .base import JsonObject, Model

APIErrorCode = Literal[
    "unauthorized",
    "not_found",
    "deadline_exceeded",
    "payload_too_large",
    "rate_limited",
    "invalid_argument",
    "conflict",
    "runtime_error",
]


class AgentAPIError(Model):
    """Why a call of the run API was refused."""

    code: APIErrorCode = Field(description="Stable code.")
    message: str = Field(description="Cause and remedy, for people.")
    retryable: bool = Field(default=False, description="Whether the same call may go through later.")
    details: JsonObject = Field(default={}, validate_default=True, description="More about it.")
