"""`/v1/conversations`: which there are, what was said in one, and beginning it anew."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from ..errors import NotFoundError
from ..store import Cursor, conversations, transcript
from ..store.conversations import Conversation
from ..store.transcript import Window
from ..texts import t
from .answers import answer
from .cursors import make_cursor, read_cursor
from .models import ConversationDetail, ConversationPage, ConversationReset, ConversationRow
from .reading import host_of, limit_of, workspace_of


async def list_conversations(request: Request) -> Response:
    """One page of conversations, the last that changed first."""
    workspace, limit = workspace_of(request), limit_of(request)
    question = ("conversations", workspace)
    given = request.query_params.get("cursor")
    before = None if given is None else read_cursor(question, given, (str, str))
    page = await host_of(request).db.read(conversations.page, workspace, before=before, limit=limit + 1)
    shown = page[:limit]
    more = make_cursor(question, conversations.place(shown[-1])) if len(page) > limit else None
    rows = tuple(ConversationRow(**asdict(item)) for item in shown)
    return answer(ConversationPage(conversations=rows, next_cursor=more))


async def get_conversation(request: Request) -> Response:
    """One conversation with the newest page of its transcript; with `cursor` an older one."""
    workspace, key, limit = workspace_of(request), request.path_params["key"], limit_of(request)
    question = ("transcript", workspace, key)
    given = request.query_params.get("cursor")
    (before,) = (None,) if given is None else read_cursor(question, given, (int,))

    def read(cursor: Cursor) -> tuple[Conversation | None, Window]:
        found = conversations.get(cursor, workspace, key)
        return found, transcript.page(cursor, workspace, key, before_seq=before, limit=limit)

    found, window = await host_of(request).db.read(read)
    if found is None:
        raise _unknown(key)
    more = make_cursor(question, (window.entries[0].sequence,)) if window.has_more else None
    detail = ConversationDetail(
        **asdict(found), history=window.entries, has_more=window.has_more, next_cursor=more
    )
    return answer(detail)


async def reset_conversation(request: Request) -> Response:
    """Clear the window of a conversation and its `external.` state keys, and nothing else."""
    workspace, key = workspace_of(request), request.path_params["key"]
    if not await host_of(request).db.writer.submit(conversations.reset, workspace, key):
        raise _unknown(key)
    return answer(ConversationReset(conversation_key=key))


def _unknown(key: str) -> NotFoundError:
    return NotFoundError(t("there is no conversation {key!r}", key=key))
