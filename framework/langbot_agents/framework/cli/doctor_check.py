"""One thing that was looked at, and how it is."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """How one thing is; `area` groups what belongs together."""

    area: str
    status: Status
    message: str
    remedy: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON data."""
        return asdict(self)


Checks = Iterator[Check]
