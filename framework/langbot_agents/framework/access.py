"""Who may do what over a surface: callers, their tokens, and what each may state of an event."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import anyio

from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.events import SourceKind
from langbot_agents.schemas.records import TokenNames, TokenRecord, TokenScope

from .bindings import Wildcard
from .clock import utc_now
from .errors import LangbotAgentsError, NotFoundError
from .store import Database, tokens
from .texts import t

PREFIX = "lba_"
ALL_SCOPES: frozenset[TokenScope] = frozenset({"ingest", "read", "operate", "approve", "impersonate"})
LOCAL_NAME = "local"
"""The source of what the operator's own commands send; no token may pass for it."""
HOST_ACTORS = frozenset({"system", "plugin"})
"""Kinds of actors that only the host itself speaks for."""
MAX_SHOWN = 200


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
    """Whether it may state another source, actor or reply target."""
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

    @property
    def actor(self) -> dict[str, str]:
        """Who acts where an event of this caller names nobody: the caller itself."""
        return {"actor_type": "service", "actor_id": self.name}

    def check_claims(self, event: Mapping[str, Any]) -> None:
        """Refuse what an event states beyond this caller's rights. Raises `ForbiddenError` with the field."""
        # a token never leaves its workspace; what may state anything is an adapter, or the operator
        anywhere = self.impersonate and self.names is None
        if not anywhere and event.get("workspace_id") not in (None, self.workspace_id):
            raise self._claim("workspace_id", event["workspace_id"])
        if self.names is not None:
            self._check_names(event, self.names)
        if self.impersonate:
            return
        if event.get("source") not in (None, {"kind": self.kind, "name": self.name}):
            raise self._claim("source", event["source"])
        for name in ("delivery", "raw_ref", "cause"):
            if event.get(name) is not None:
                raise self._claim(name, None)
        if event.get("actor") is not None:
            self._check_actor(event["actor"])
        for path in _artifacts(event.get("input"), "input"):
            raise self._claim(path, None)

    def _check_names(self, event: Mapping[str, Any], names: TokenNames) -> None:
        if event.get("bot_id") is not None and not _named(event["bot_id"], names.bots):
            raise self._claim("bot_id", event["bot_id"])
        event_type = event.get("event_type")
        if isinstance(event_type, str):
            own_name = canonical_type(event_type)
            if not any(_takes(canonical_type(pattern), own_name) for pattern in names.event_types):
                raise self._claim("event_type", event_type)

    def _check_actor(self, actor: Any) -> None:
        """Who acts: the caller itself, or one that it may name; what an actor may do is not its to say."""
        if not isinstance(actor, Mapping):
            return  # the envelope refuses it, with its place
        kind, actor_id = actor.get("actor_type"), actor.get("actor_id")
        if actor.get("roles"):
            raise self._claim("actor.roles", actor["roles"])
        if {"actor_type": kind, "actor_id": actor_id} == self.actor:
            return
        if isinstance(kind, str) and kind in HOST_ACTORS:
            raise self._claim("actor.actor_type", kind)
        if self.names is not None and not _named(actor_id, self.names.actors):
            raise self._claim("actor.actor_id", actor_id)

    def _claim(self, path: str, value: Any) -> ForbiddenError:
        if value is None:
            message = t("{path}: token {name!r} may not state this", path=path, name=self.name)
        else:
            shown = value if isinstance(value, str) else repr(value)
            shown = shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"
            message = t(
                "{path}: token {name!r} may not name {value!r}", path=path, name=self.name, value=shown
            )
        return ForbiddenError(
            message,
            remedy=t("`lba tokens list` shows what each token may name"),
            details=[{"path": path, "message": message}],
        )


def _named(value: Any, patterns: Iterable[str]) -> bool:
    return isinstance(value, str) and any(Wildcard(pattern).matches(value) for pattern in patterns)


def _takes(pattern: str, event_type: str) -> bool:
    return pattern in ("*", event_type) or (pattern.endswith(".*") and event_type.startswith(pattern[:-1]))


def _artifacts(value: Any, path: str, depth: int = 8) -> Iterator[str]:
    """Where an input names a file of the host by its id, which only the host may do."""
    if not isinstance(value, Mapping) or depth == 0:
        return
    if value.get("artifact") is not None:
        yield f"{path}.artifact"
    for name in ("contents", "attachments"):
        items = value.get(name)
        for number, item in enumerate(items if isinstance(items, list | tuple) else ()):
            yield from _artifacts(item, f"{path}.{name}[{number}]", depth - 1)


def _hash(token: str) -> str:
    # a token has 256 random bits, so one round of SHA-256 is as good as many
    return "sha256:" + hashlib.sha256(token.encode()).hexdigest()


@dataclass(kw_only=True)
class TokenBook:
    """The tokens of a host: on disk as hashes, in memory for every request."""

    db: Database
    surface: str
    reserved: frozenset[str] = frozenset({LOCAL_NAME})
    """Names that no token may have, since events of another source bear them."""
    _by_hash: dict[str, TokenRecord] = field(default_factory=dict, repr=False)
    _in_use: dict[tuple[str, str], set[anyio.CancelScope]] = field(default_factory=dict, repr=False)

    async def load(self) -> None:
        """Read all tokens."""
        self._by_hash = {record.hash: record for record in await self.db.read(tokens.every)}

    def caller(self, token: str) -> Caller | None:
        """Who has this token, or None if nobody has or it has ended."""
        given = _hash(token)
        record = self._by_hash.get(given)
        if record is None or not hmac.compare_digest(record.hash, given) or not is_valid(record):
            return None
        return Caller(
            name=record.name,
            workspace_id=record.workspace_id,
            surface=self.surface,
            impersonate="impersonate" in record.scopes,
            scopes=frozenset(record.scopes),
            names=record.may_state,
        )

    @contextmanager
    def while_valid(self, caller: Caller) -> Iterator[anyio.CancelScope]:
        """Work that lasts; it is cancelled in the moment in which the caller's token ends."""
        with anyio.CancelScope() as scope:
            if caller.names is None:  # no token's caller
                yield scope
                return
            key = (caller.workspace_id, caller.name)
            record = next((item for item in self._by_hash.values() if _key(item) == key), None)
            if record is None:
                scope.cancel()
            elif record.expires_at is not None:
                left = (record.expires_at - utc_now()).total_seconds()
                scope.deadline = anyio.current_time() + left
            scopes = self._in_use.setdefault(key, set())
            scopes.add(scope)
            try:
                yield scope
            finally:
                scopes.discard(scope)
                if not scopes and self._in_use.get(key) is scopes:
                    del self._in_use[key]

    def listed(self, workspace_id: str | None = None) -> list[TokenRecord]:
        """The tokens of a workspace, or all, by name."""
        found = [item for item in self._by_hash.values() if workspace_id in (None, item.workspace_id)]
        return sorted(found, key=_key)

    async def create(
        self,
        name: str,
        *,
        workspace_id: str = "default",
        scopes: Iterable[TokenScope],
        may_state: TokenNames | None = None,
        expires_after: float | None = None,
    ) -> tuple[TokenRecord, str]:
        """Make a token; the text it gives beside the record is shown once and never again.

        Raises `TokenNameError` for a name that is taken.
        """
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
        if name in self.reserved:
            raise TokenNameError(
                t("a token cannot be called {name!r}: another source has that name", name=name),
                remedy=t("choose another name"),
            )
        with anyio.CancelScope(shield=True):  # disk and memory do not differ, also when the caller goes away
            if not await self.db.writer.submit(tokens.insert, record):
                raise TokenNameError(
                    t("there is a token {name!r} already", name=name),
                    remedy=t("`lba tokens revoke {name}` ends it, or choose another name", name=name),
                )
            self._by_hash[record.hash] = record
        return record, secret

    async def revoke(self, workspace_id: str, name: str) -> None:
        """End a token at once, with what it has under way. Raises `NotFoundError`."""
        key = (workspace_id, name)
        with anyio.CancelScope(shield=True):
            if not await self.db.writer.submit(tokens.delete, workspace_id, name):
                raise NotFoundError(t("there is no token {name!r}", name=name))
            self._by_hash = {item.hash: item for item in self._by_hash.values() if _key(item) != key}
            for scope in self._in_use.pop(key, ()):
                scope.cancel()


def is_valid(record: TokenRecord) -> bool:
    """Whether a token has not ended."""
    return record.expires_at is None or record.expires_at > utc_now()


def _key(record: TokenRecord) -> tuple[str, str]:
    return record.workspace_id, record.name


def _end(now: datetime, after: float | None) -> datetime | None:
    return None if after is None else now + timedelta(seconds=after)
