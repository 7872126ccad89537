"""Errors over HTTP: RFC 9457 problem details with a stable `code`."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..access import ForbiddenError, TokenNameError
from ..errors import HostBusyError, InvalidEventError, LangbotAgentsError, NotFoundError, StoreError
from ..telemetry import get_logger
from ..texts import t

log = get_logger(__name__)


class ProblemError(Exception):
    """A request that is refused."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        remedy: str | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.remedy = remedy
        self.errors = errors
        self.headers = headers

    def response(self) -> Response:
        """The problem as a response."""
        body: dict[str, Any] = {
            "type": f"urn:langbot-agents:problem:{self.code}",
            "title": self.code.replace("_", " "),
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.remedy:
            body["remedy"] = self.remedy
        if self.errors:
            body["errors"] = list(self.errors)
        return JSONResponse(
            body,
            status_code=self.status,
            media_type="application/problem+json",
            headers=dict(self.headers or {}),
        )


def as_problem(error: LangbotAgentsError) -> ProblemError:
    """The problem that an error of the host is to a caller."""
    if isinstance(error, HostBusyError):
        headers = {"Retry-After": str(max(1, round(error.retry_after)))}
        return ProblemError(429, error.code, error.message, remedy=error.remedy, headers=headers)
    if isinstance(error, InvalidEventError):
        return ProblemError(400, error.code, error.message, remedy=error.remedy, errors=error.details)
    if isinstance(error, ForbiddenError):
        return ProblemError(403, error.code, error.message, remedy=error.remedy, errors=error.details)
    if isinstance(error, TokenNameError):
        return ProblemError(409, error.code, error.message, remedy=error.remedy)
    if isinstance(error, NotFoundError):
        return ProblemError(404, error.code, error.message, remedy=error.remedy)
    if isinstance(error, StoreError):
        # where the store lies is the admin's business; the log has it
        log.error("store_failed", error=error.message)
        detail = t("the store cannot write now; nothing was acknowledged")
        return ProblemError(503, error.code, detail, headers={"Retry-After": "5"})
    return ProblemError(500, error.code, error.message, remedy=error.remedy)


async def on_problem(_request: Request, error: Exception) -> Response:
    """Starlette's handler of `ProblemError`."""
    if not isinstance(error, ProblemError):
        raise error
    return error.response()


async def on_host_error(_request: Request, error: Exception) -> Response:
    """Starlette's handler of the host's own errors."""
    if not isinstance(error, LangbotAgentsError):
        raise error
    return as_problem(error).response()


async def on_http_error(_request: Request, error: Exception) -> Response:
    """Starlette's handler of its own 404 and 405."""
    status = getattr(error, "status_code", 500)
    code = {404: "not_found", 405: "method_not_allowed"}.get(status, "http_error")
    detail = t("there is nothing at this address, or not for this method")
    return ProblemError(status, code, detail, headers=getattr(error, "headers", None)).response()


async def on_fault(_request: Request, error: Exception) -> Response:
    """Starlette's handler of a fault of ours: the log has it, the caller gets no inside."""
    log.error("request_failed", exc_info=error)
    return ProblemError(500, "fault", t("a fault in the host; see its log")).response()
