"""Callers and tokens: what each may do and state, and that a token's end is an end."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from langbot_agents.framework.access import (
    ALL_SCOPES,
    Caller,
    ForbiddenError,
    TokenBook,
    TokenNameError,
)
from langbot_agents.framework.errors import NotFoundError
from langbot_agents.framework.store import Database
from langbot_agents.schemas.records import TokenNames, TokenScope

pytestmark = pytest.mark.anyio

NAMES = TokenNames(
    bots=("shop-*", "help[1]"), actors=("u*",), event_types=("message.*", "api.invoked", "message.recalled")
)
SHOP = Caller(name="shop", workspace_id="w", surface="http_api", scopes=frozenset({"ingest"}), names=NAMES)
BRIDGE = Caller(
    name="bridge",
    workspace_id="w",
    surface="http_api",
    impersonate=True,
    scopes=frozenset({"ingest", "impersonate"}),
    names=NAMES,
)
LOCAL = Caller(name="local", surface="http_api", impersonate=True, local=True)
USER = {"actor_type": "user", "actor_id": "u1"}
MESSAGE = {"event_type": "message.received", "input": {"text": "hi"}}

CLAIMS: list[tuple[dict[str, Any], str]] = [
    ({"workspace_id": "default"}, "workspace_id"),
    ({"workspace_id": ""}, "workspace_id"),
    ({"workspace_id": ["w"]}, "workspace_id"),
    ({"bot_id": "other"}, "bot_id"),
    ({"bot_id": "help1"}, "bot_id"),
    ({"bot_id": 7}, "bot_id"),
    ({"event_type": "group.member_joined"}, "event_type"),
    ({"event_type": "messages.received"}, "event_type"),
    ({"source": {"kind": "platform_adapter", "name": "shop"}}, "source"),
    ({"source": {"kind": "http_api", "name": "other"}}, "source"),
    ({"source": {"kind": "http_api", "name": "shop", "more": 1}}, "source"),
    ({"delivery": {"surface": "http_api"}}, "delivery"),
    ({"delivery": {}}, "delivery"),
    ({"raw_ref": {"ref_id": "r"}}, "raw_ref"),
    ({"cause": {"depth": 0}}, "cause"),
    ({"actor": {"actor_type": "user", "actor_id": "admin"}}, "actor.actor_id"),
    ({"actor": {"actor_type": "user"}}, "actor.actor_id"),
    ({"actor": {"actor_type": "user", "actor_id": "shop"}}, "actor.actor_id"),
    ({"actor": {"actor_type": "system", "actor_id": "u1"}}, "actor.actor_type"),
    ({"actor": {"actor_type": "plugin", "actor_id": "u1"}}, "actor.actor_type"),
    ({"actor": {**USER, "roles": ["admin"]}}, "actor.roles"),
    ({"actor": {"actor_type": "service", "actor_id": "shop", "roles": ["admin"]}}, "actor.roles"),
    ({"input": {"contents": [{"type": "image", "artifact": {}}]}}, "input.contents[0].artifact"),
    (
        {"input": {"contents": [{"type": "quote", "contents": [{"artifact": {"artifact_id": "a"}}]}]}},
        "input.contents[0].contents[0].artifact",
    ),
    ({"input": {"attachments": [{}, {"artifact": {"artifact_id": "a"}}]}}, "input.attachments[1].artifact"),
]


@pytest.mark.parametrize(("claim", "path"), CLAIMS)
def test_token_cannot_state_more_than_it_may(claim: Mapping[str, Any], path: str) -> None:
    """What a token may not state is refused with the field, in message and details alike."""
    with pytest.raises(ForbiddenError) as caught:
        SHOP.check_claims({**MESSAGE, **claim})

    assert caught.value.message.startswith(f"{path}: ")
    assert caught.value.details[0]["path"] == path


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"workspace_id": "w", "source": {"kind": "http_api", "name": "shop"}},
        {"bot_id": "shop-1", "actor": USER},
        {"bot_id": "help[1]"},
        {"actor": {"actor_type": "service", "actor_id": "shop"}},
        {"actor": {**USER, "roles": []}},
        {"event_type": "message.deleted"},
        {"event_type": "api.invoked", "input": {"data": {"artifact": "no reference"}}},
        {"actor": "no object, which the envelope refuses"},
    ],
)
def test_token_states_what_it_may(event: Mapping[str, Any]) -> None:
    """What a token may name passes; an alias of an event type counts as the type."""
    SHOP.check_claims({**MESSAGE, **event})


def test_an_alias_is_no_way_around() -> None:
    """A token that may name a type may name it by its alias, and no other by one."""
    names = TokenNames(event_types=("message.deleted",))
    caller = Caller(name="x", surface="http_api", names=names)
    caller.check_claims({"event_type": "message.recalled"})
    with pytest.raises(ForbiddenError):
        caller.check_claims({"event_type": "message.edited"})


def test_who_impersonates_states_source_actor_and_target_in_its_workspace() -> None:
    """`impersonate` opens source, actor and reply target, but neither workspace nor the lists of names."""
    BRIDGE.check_claims(
        {
            **MESSAGE,
            "source": {"kind": "platform_adapter", "name": "telegram"},
            "actor": {"actor_type": "user", "actor_id": "anybody", "roles": ["admin"]},
            "delivery": {"surface": "telegram"},
            "bot_id": "shop-2",
        }
    )
    for claim in ({"workspace_id": "default"}, {"bot_id": "other"}, {"event_type": "group.member_left"}):
        with pytest.raises(ForbiddenError):
            BRIDGE.check_claims({**MESSAGE, **claim})


def test_the_operator_may_state_anything() -> None:
    """The operator's own commands name any workspace, bot and source."""
    LOCAL.check_claims({**MESSAGE, "workspace_id": "w", "bot_id": "b", "source": {"kind": "system"}})


def test_a_long_claim_is_not_echoed_whole() -> None:
    """What is refused is shown in part."""
    with pytest.raises(ForbiddenError) as caught:
        SHOP.check_claims({**MESSAGE, "bot_id": "x" * 100_000})

    assert len(caught.value.message) < 400


@pytest.mark.parametrize("scope", sorted(ALL_SCOPES))
def test_each_scope_is_needed_by_itself(scope: TokenScope) -> None:
    """No scope stands for another."""
    Caller(name="x", surface="http_api", scopes=frozenset({scope})).require(scope)
    with pytest.raises(ForbiddenError, match=scope):
        Caller(name="x", surface="http_api", scopes=ALL_SCOPES - {scope}).require(scope)


async def test_a_token_is_never_stored_or_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The token is on no disk, in no record, no repr and no log; a new start knows it by its hash."""
    caplog.set_level(logging.DEBUG)
    async with Database.open("sqlite:///s.db", root=tmp_path) as db:
        book = TokenBook(db=db, surface="http_api")
        record, token = await book.create("shop", workspace_id="w", scopes=["ingest"], may_state=NAMES)
        again = TokenBook(db=db, surface="http_api")
        await again.load()
        caller = again.caller(token)
        shown = f"{book!r}{record!r}{record.model_dump_json()}{caller!r}{caplog.text}"
    stored = _bytes_of(tmp_path)

    assert caller == SHOP
    assert token not in shown
    assert record.hash not in shown
    assert token.encode() not in stored


def _bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


async def test_what_is_no_token_is_nobody(tmp_path: Path) -> None:
    """Text that is near a token, its hash or its name is no token."""
    async with Database.open("sqlite:///s.db", root=tmp_path) as db:
        book = TokenBook(db=db, surface="http_api")
        record, token = await book.create("shop", scopes=["ingest"])
        near = ["", "shop", record.hash, token[:-1], token + "x", token.upper(), f" {token}", "\u00e9"]

        assert [book.caller(text) for text in near] == [None] * len(near)


async def test_a_token_ends_at_its_end_date_and_when_it_is_revoked(tmp_path: Path) -> None:
    """From that moment it is nobody's, here and after a new start; what lasts is cut off."""
    async with Database.open("sqlite:///s.db", root=tmp_path) as db:
        book = TokenBook(db=db, surface="http_api")
        _, short = await book.create("short", scopes=["read"], expires_after=0.3)
        _, long = await book.create("long", scopes=["read"])
        short_caller, long_caller = book.caller(short), book.caller(long)
        assert short_caller is not None
        assert long_caller is not None
        with anyio.fail_after(5), book.while_valid(short_caller) as short_life:
            await anyio.sleep_forever()
        async with anyio.create_task_group() as tasks:
            with anyio.fail_after(5), book.while_valid(long_caller) as long_life:
                tasks.start_soon(book.revoke, "default", "long")
                await anyio.sleep_forever()
        with anyio.fail_after(5), book.while_valid(long_caller) as late_life:
            await anyio.sleep_forever()
        again = TokenBook(db=db, surface="http_api")
        await again.load()

        assert [life.cancelled_caught for life in (short_life, long_life, late_life)] == [True] * 3
        assert [each.caller(text) for each in (book, again) for text in (short, long)] == [None] * 4
        with pytest.raises(NotFoundError):
            await book.revoke("default", "long")


async def test_names_are_taken_once_and_never_those_of_another_source(tmp_path: Path) -> None:
    """A name is one token's in its workspace, and no token passes for another source."""
    async with Database.open("sqlite:///s.db", root=tmp_path) as db:
        book = TokenBook(db=db, surface="http_api", reserved=frozenset({"local", "telegram"}))
        await book.create("shop", scopes=["read"])
        await book.create("shop", workspace_id="w", scopes=["read"])
        for name in ("shop", "local", "telegram"):
            with pytest.raises(TokenNameError):
                await book.create(name, scopes=["read"])

        assert [(item.workspace_id, item.name) for item in book.listed()] == [
            ("default", "shop"),
            ("w", "shop"),
        ]
        assert [item.workspace_id for item in book.listed("w")] == ["w"]
