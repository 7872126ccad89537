"""Cursors: where a page ends, for who asks the same question again. Nobody but us reads what is in one."""

import base64
import binascii
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from pydantic_core import from_json, to_json

from ..texts import t
from .problems import ProblemError

MAX_LENGTH = 4096
_TAG = 9

Place = Sequence[str | int]


def make_cursor(question: Sequence[Any], place: Place) -> str:
    """The cursor of a place among the answers to a question: what is listed, of which workspace, how."""
    return _encode(question, list(place))


def read_cursor(question: Sequence[Any], text: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """The place in a cursor. Raises `ProblemError` for one that was altered, or is of another question."""
    try:
        if len(text) > MAX_LENGTH or not text.isascii():
            raise ValueError(text)
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        place = from_json(raw[_TAG:])
        whole = isinstance(place, list) and tuple(type(item) for item in place) == kinds
        # compared as text, since several texts decode to the same bytes
        if not whole or _encode(question, place) != text:
            raise ValueError(text)
    except (ValueError, binascii.Error):
        raise ProblemError(
            400,
            "invalid_cursor",
            t("cursor: it is not one that this question was answered with"),
            remedy=t("begin anew without `cursor`, and pass on `next_cursor` as it is"),
            errors=[{"path": "cursor", "message": t("not a cursor of ours")}],
        ) from None
    return tuple(place)


def _encode(question: Sequence[Any], place: list[Any]) -> str:
    # the tag finds mistakes; it keeps no secret, for the workspace never comes from a cursor
    tag = blake2b(to_json([list(question), place]), digest_size=_TAG, person=b"lba-cursor").digest()
    return base64.urlsafe_b64encode(tag + to_json(place)).decode().rstrip("=")
