"""Durations, sizes and hours as people write them."""

import re
from collections.abc import Mapping
from datetime import time
from decimal import Decimal
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator

from .base import Document, or_text

_SECONDS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
_BYTES = {
    "B": 1,
    "KB": 10**3, "MB": 10**6, "GB": 10**9,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
}  # fmt: skip
_QUANTITY = re.compile(r"^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)$")


def _quantity(value: Any, units: Mapping[str, Decimal | int], what: str, example: str) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a {what}; write a number or for example {example}")
    if not isinstance(value, str):
        return value
    match = _QUANTITY.match(value.strip())
    if match is None or match[2] not in units:
        raise ValueError(f"{value!r} is not a {what}; write a number or for example {example}")
    return float(Decimal(match[1]) * units[match[2]])


def parse_duration(value: Any) -> Any:
    """Read `90s`, `10m`, `24h`, `7d` or a number of seconds; gives seconds."""
    return _quantity(value, _SECONDS, "duration", "90s, 10m, 24h or 7d")


def parse_size(value: Any) -> Any:
    """Read `64KiB`, `1MiB` or a number of bytes; gives bytes."""
    size = _quantity(value, _BYTES, "size", "64KiB or 1MiB")
    return int(size) if isinstance(size, float) and size.is_integer() else size


Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    Field(ge=0, allow_inf_nan=False),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": r"^[0-9.]+ ?(ms|s|m|h|d)$"},
            ],
            "description": "Seconds, or a duration such as 90s, 10m, 24h, 7d.",
        }
    ),
]
"""Seconds; a document may say `90s`, `10m`, `24h`, `7d`."""

Size = Annotated[
    int,
    BeforeValidator(parse_size),
    Field(ge=0),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"type": "string", "pattern": r"^[0-9.]+ ?([KMG]i?)?B$"},
            ],
            "description": "Bytes, or a size such as 64KiB, 1MiB.",
        }
    ),
]
"""Bytes; a document may say `64KiB`, `1MiB`."""

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_HOURS = re.compile(r"^([01][0-9]|2[0-3]):([0-5][0-9])-(([01][0-9]|2[0-3]):([0-5][0-9])|24:00)$")


def check_zone(zone: str) -> str:
    """Give back an IANA time zone name, or raise `ValueError` for an unknown one."""
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{zone!r} is not a time zone; write an IANA name such as Asia/Shanghai") from None
    return zone


class TimeWindow(Document):
    """Hours of the day, such as `22:00-07:00`, on some days, in a zone; it may cross midnight."""

    model_config = ConfigDict(json_schema_extra=or_text)

    hours: str = Field(description="From-to in 24-hour time, `22:00-07:00`; the end is not included.")
    days: tuple[Weekday, ...] = Field(
        default=(), description="Days on which the window begins; empty is every day."
    )
    zone: str | None = Field(
        default=None, description="IANA time zone; default the root document's timezone."
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return {"hours": value} if isinstance(value, str) else value

    @field_validator("hours")
    @classmethod
    def _check_hours(cls, value: str) -> str:
        if not _HOURS.fullmatch(value):
            raise ValueError(f"{value!r} is not a span of hours; write for example 22:00-07:00")
        return value

    @field_validator("zone")
    @classmethod
    def _check_zone(cls, value: str | None) -> str | None:
        return value if value is None else check_zone(value)

    def bounds(self) -> tuple[time, time]:
        """The first minute inside and the first minute outside; `24:00` is midnight."""
        start, end = self.hours.split("-")
        return time.fromisoformat(start), time.fromisoformat("00:00" if end == "24:00" else end)
