"""What of a Pipeline is not taken over, said key by key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class LegacyNote:
    """One legacy key that has no effect here: why, and what to do."""

    key: str
    reason: str
    remedy: str

    def as_dict(self) -> dict[str, str]:
        """The note as JSON data."""
        return {"key": self.key, "reason": self.reason, "remedy": self.remedy}


def hyphened(key: str) -> str:
    """A key as LangBot spells it; rows of some versions have underscores."""
    return key.replace("_", "-")


def spelled(data: Any) -> dict[str, Any]:
    """A mapping by its hyphened keys; where both spellings are there, the hyphened one counts."""
    if not isinstance(data, Mapping):
        return {}
    found = {hyphened(key): value for key, value in data.items() if isinstance(key, str) and "_" in key}
    return found | {key: value for key, value in data.items() if isinstance(key, str) and "_" not in key}


def leaves(data: Any, place: str) -> Iterator[str]:
    """The path of every value below a key."""
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from leaves(value, f"{place}.{key}")
    else:
        yield place
