"""`ctx.api.history`: what was said in the run's conversation."""

from langbot_agents.schemas.messages import Message

from ..context import read_history
from ..store import Database
from ..texts import t
from .session import AgentRunSession, check, refused


class HistoryCalls:
    """`ctx.api.history`."""

    def __init__(self, session: AgentRunSession, db: Database) -> None:
        self._session = session
        self._db = db

    async def page(self, *, before: str | None = None, rounds: int = 10) -> tuple[list[Message], str | None]:
        """Older messages of the run's conversation in whole turns, and the cursor of the ones before."""
        check(self._session, "history", "page")
        if self._session.conversation_key is None:
            return [], None
        if not 1 <= rounds <= 100:
            raise refused("invalid_argument", t("rounds is 1 to 100, got {rounds}", rounds=rounds))
        if before is not None and not (before.isdecimal() and len(before) < 19):
            raise refused("invalid_argument", t("{cursor!r} is not a cursor of ours", cursor=before))
        entries, has_more = await self._db.read(
            read_history,
            self._session.workspace_id,
            self._session.conversation_key,
            rounds=rounds,
            before_seq=int(before) if before else None,
            without=self._session.event_uid,
        )
        messages = [Message(role=entry.role, content=entry.content) for entry in entries]
        return messages, str(entries[0].sequence) if has_more and entries else None
