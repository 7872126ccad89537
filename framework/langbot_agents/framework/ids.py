"""Ids that the host makes: a prefix and a UUIDv7, so that later ones sort after earlier ones."""

import uuid_utils


def new_id(prefix: str) -> str:
    """A new id such as `evt_019…`, rising within this process."""
    return f"{prefix}_{uuid_utils.uuid7().hex}"
