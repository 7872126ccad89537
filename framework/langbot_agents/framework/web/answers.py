"""How a model becomes a response."""

from collections.abc import Mapping

from pydantic import BaseModel
from starlette.responses import Response


def answer(model: BaseModel, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The model as JSON."""
    return Response(
        model.model_dump_json(by_alias=True),
        status_code=status,
        media_type="application/json",
        headers=dict(headers or {}),
    )
