"""Time as the host tells and writes it: UTC, and RFC 3339 with microseconds and `Z`, which sorts as text."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def rfc3339(moment: datetime | float) -> str:
    """The text of a moment (aware, or Unix seconds), always 27 characters long."""
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    elif moment.tzinfo is not UTC:
        if moment.utcoffset() is None:
            raise ValueError(f"{moment!r} has no time zone")
        moment = moment.astimezone(UTC)
    return f"{moment.isoformat(timespec='microseconds')[:26]}Z"


def from_rfc3339(text: str) -> datetime:
    """The moment that RFC 3339 text names, in UTC."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return moment.astimezone(UTC)
