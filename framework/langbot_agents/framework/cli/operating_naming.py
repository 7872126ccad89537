"""What an operator named: records by their ids, and what was meant where there is none."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from langbot_agents.schemas.records import TokenRecord

from ..clock import utc_now
from ..errors import NotFoundError, UsageError
from ..texts import t
from .operating import Operator, Record, unknown

MOST = 500
"""Conversations that are looked through for a conversation_id."""


def run_named(desk: Operator, workspace: str, name: str) -> Record:
    """The run of that id. Raises `NotFoundError` with what may have been meant."""
    try:
        return desk.run(workspace, name)
    except NotFoundError as error:
        remedy = t("`{command}` shows what is there", command="lba runs list")
        if name.startswith("evt_"):
            remedy = t("this is the uid of an event: `{command}`", command=f"lba events show {name}")
        raise NotFoundError(error.message, remedy=remedy) from None


@contextmanager
def nearest_binding(desk: Operator, name: str) -> Iterator[None]:
    """Where there is no such binding, say which one was probably meant."""
    try:
        yield
    except NotFoundError as error:
        found = {str(item["binding_id"]): item for item in desk.bindings()}
        if name in found:
            raise
        raise unknown(error.message, name, list(found), listing="lba bindings list") from None


def conversation_key(desk: Operator, workspace: str, name: str) -> str:
    """The key of the conversation with that key or conversation_id. Raises `NotFoundError`, `UsageError`."""
    page = desk.conversations(workspace, limit=MOST, cursor=None)["conversations"]
    keys = [str(item["conversation_key"]) for item in page]
    if name in keys or name.startswith("["):
        return name
    named = [str(item["conversation_key"]) for item in page if item["conversation_id"] == name]
    if len(named) == 1:
        return named[0]
    if named:
        raise UsageError(
            t("{name!r} is the conversation_id of {count} conversations", name=name, count=len(named)),
            remedy=t("give the key of one: {names}", names=", ".join(named)),
        )
    ids = [str(item["conversation_id"]) for item in page]
    raise unknown(
        t("there is no conversation {key!r}", key=name), name, ids, listing="lba conversations list"
    )


def checked_token(wanted: Record) -> Record:
    """A token that is wanted, if its names can be names. Raises `UsageError` that says which cannot."""
    try:
        TokenRecord.model_validate({**wanted, "hash": "", "created_at": utc_now()})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            t("{place}: {cause}, got {value!r}", place=place, cause=first["msg"], value=first["input"])
        ) from None
    return wanted
