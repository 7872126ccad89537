"""`/v1/tokens`: making and ending tokens, which only the host's own token may do."""

from starlette.requests import Request
from starlette.responses import Response

from langbot_agents.schemas.records import TokenRecord

from .answers import answer
from .models import CreatedToken, NewToken, TokenList, TokenRow
from .reading import host_of, read_model, whole_house, workspace_of


async def list_tokens(request: Request) -> Response:
    """Every token, without what is secret."""
    workspace = None if whole_house(request) else workspace_of(request)
    listed = host_of(request).tokens.listed(workspace)
    return answer(TokenList(tokens=tuple(TokenRow(**_fields(item)) for item in listed)))


async def create_token(request: Request) -> Response:
    """Make a token; the answer is the only place where it ever stands."""
    wanted = await read_model(request, NewToken)
    record, secret = await host_of(request).tokens.create(
        wanted.name,
        workspace_id=wanted.workspace_id,
        scopes=wanted.scopes,
        may_state=wanted.may_state,
        expires_after=wanted.expires_after,
    )
    created = CreatedToken(**_fields(record), token=secret)
    return answer(created, status=201, headers={"Cache-Control": "no-store"})


async def revoke_token(request: Request) -> Response:
    """End a token at once, with what it has under way."""
    await host_of(request).tokens.revoke(workspace_of(request), request.path_params["name"])
    return Response(status_code=204)


def _fields(record: TokenRecord) -> dict[str, object]:
    return {name: getattr(record, name) for name in TokenRow.model_fields}
