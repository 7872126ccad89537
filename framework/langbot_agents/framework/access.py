"""Who may do what over a surface: callers, their tokens, and what each may state of an event."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any

from langbot_agents.schemas.events import SourceKind
from langbot_agents.schemas.records import TokenNames, TokenRecord, TokenScope

from .clock import utc_now
from .errors import LangbotAgentsError, NotFoundError
from .store import Database, tokens
from .texts import t

PREFIX = "lba_"
ALL_SCOPES: frozenset[TokenScope] = frozenset({"ingest", "read", "operate", "approve", "impersonate"})


class ForbiddenError(LangbotAgentsError):
    """The caller's token does not allow it."""

    code = "forbidden"


class TokenNameError(LangbotAgentsError):
    """A token of that name is there already."""

    code = "conflict"


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who asks: the name of its token or source, its workspace, and what it may do and state."""

    name: str
    kind: SourceKind = "http_api"
    workspace_id: str = "default"
    surface: str
    impersonate: bool = False
    """Whether it may state another source, workspace, actor or reply target."""
    scopes: frozenset[TokenScope] = ALL_SCOPES
    names: TokenNames | None = None
    """What it may state of an event; None is anything."""
    local: bool = False
    """Whether it is the operator's own command on this machine."""

    def require(self, scope: TokenScope) -> None:
        """Raises `ForbiddenError` unless the caller has the scope."""
        if scope not in self.scopes:
            raise ForbiddenError(
                t("token {name!r} has no scope {scope!r}", name=self.name, scope=scope),
                remedy=t("make one that has it: `lba tokens create NAME --scope {scope}`", scope=scope),
            )

    def check_claims(self, event: Mapping[str, Any]) -> None:
        """Refuse what an event states beyond this caller's rights. Raises `ForbiddenError` with the field."""
        if self.impersonate:
            return
        own = {"kind": self.kind, "name": self.name}
        if event.get("source") not in (None, own):
            raise self._claim("source", event["source"])
        if event.get("workspace_id") not in (None, self.workspace_id):
            raise self._claim("workspace_id", event["workspace_id"])
        for name in ("delivery", "raw_ref", "cause"):
            if event.get(name) is not None:
                raise self._claim(name, None)
        if self.names is not None:
            self._check_names(event, self.names)

    def _check_names(self, event: Mapping[str, Any], names: TokenNames) -> None:
        actor = event.get("actor")
        actor_id = actor.get("actor_id") if isinstance(actor, Mapping) else None
        own_actor = (
            isinstance(actor, Mapping) and actor_id == self.name and actor.get("actor_type") == "service"
        )
        if actor is not None and not own_actor and not _named(actor_id, names.actors):
            raise self._claim("actor.actor_id", actor_id)
        if event.get("bot_id") is not None and not _named(event["bot_id"], names.bots):
            raise self._claim("bot_id", event["bot_id"])
        event_type = event.get("event_type")
        if isinstance(event_type, str) and not any(
            _takes(pattern, event_type) for pattern in names.event_types
        ):
            raise self._claim("event_type", event_type)

    def _claim(self, path: str, value: Any) -> ForbiddenError:
        if value is None:
            message = t("{path}: token {name!r} may not state this", path=path, name=self.name)
        else:
            message = t(
                "{path}: token {name!r} may not name {value!r}", path=path, name=self.name, value=value
            )
        return ForbiddenError(message, remedy=t("`lba tokens list` shows what each token may name"))


def _named(value: Any, patterns: Iterable[str]) -> bool:
    return isinstance(value, str) and any(fnmatchcase(value, pattern) for pattern in patterns)


def _takes(pattern: str, event_type: str) -> bool:
    return pattern in ("*", event_type) or (pattern.endswith(".*") and event_type.startswith(pattern[:-1]))


def _hash(token: str) -> str:
    # a token has 256 random bits, so one round of SHA-256 is as good as many
    return "sha256:" + hashlib.sha256(token.encode()).hexdigest()


@dataclass(kw_only=True)
class TokenBook:
    """The tokens of a host: on disk as hashes, in memory for every request."""

    db: Database
    surface: str
    _by_hash: dict[str, TokenRecord] = field(default_factory=dict)

    async def load(self) -> None:
        """Read all tokens."""
        self._by_hash = {record.hash: record for record in await self.db.read(tokens.every)}

    def caller(self, token: str) -> Caller | None:
        """Who has this token, or None if nobody has or it has ended."""
        record = self._by_hash.get(_hash(token))
        if record is None or not hmac.compare_digest(record.hash, _hash(token)):
            return None
        if record.expires_at is not None and record.expires_at <= utc_now():
            return None
        return Caller(
            name=record.name,
            workspace_id=record.workspace_id,
            surface=self.surface,
            impersonate="impersonate" in record.scopes,
            scopes=frozenset(record.scopes),
            names=record.may_state,
        )

    def listed(self, workspace_id: str | None = None) -> list[TokenRecord]:
        """The tokens of a workspace, or all, by name."""
        found = [item for item in self._by_hash.values() if workspace_id in (None, item.workspace_id)]
        return sorted(found, key=lambda item: (item.workspace_id, item.name))

    async def create(
        self,
        name: str,
        *,
        workspace_id: str = "default",
        scopes: Iterable[TokenScope],
        may_state: TokenNames | None = None,
        expires_after: float | None = None,
    ) -> tuple[TokenRecord, str]:
        """Make a token; the text it gives beside the record is shown once and never again."""
        secret = PREFIX + secrets.token_urlsafe(32)
        now = utc_now()
        record = TokenRecord(
            workspace_id=workspace_id,
            name=name,
            hash=_hash(secret),
            scopes=tuple(sorted(set(scopes))),
            may_state=may_state or TokenNames(),
            created_at=now,
            expires_at=_end(now, expires_after),
        )
        if not await self.db.writer.submit(tokens.insert, record):
            raise TokenNameError(
                t("there is a token {name!r} already", name=name),
                remedy=t("`lba tokens revoke {name}` ends it, or choose another name", name=name),
            )
        self._by_hash[record.hash] = record
        return record, secret

    async def revoke(self, workspace_id: str, name: str) -> None:
        """End a token at once. Raises `NotFoundError`."""
        if not await self.db.writer.submit(tokens.delete, workspace_id, name):
            raise NotFoundError(t("there is no token {name!r}", name=name))
        self._by_hash = {
            key: item
            for key, item in self._by_hash.items()
            if (item.workspace_id, item.name) != (workspace_id, name)
        }


def _end(now: datetime, after: float | None) -> datetime | None:
    return None if after is None else now + timedelta(seconds=after)
