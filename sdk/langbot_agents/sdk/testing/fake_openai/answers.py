"""An answer as it goes out: a head, and steps of bytes, pauses and broken connections."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .script import FakeFailure


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection here and now."""


Step = bytes | Pause | Drop


@dataclass(kw_only=True, slots=True)
class Outgoing:
    """A whole answer; with a `content-length` in the headers it is not sent in HTTP chunks."""

    status: int
    headers: Mapping[str, str] | list[tuple[str, str]] = field(default_factory=dict)
    steps: Iterable[Step] = ()

    def header_pairs(self) -> list[tuple[bytes, bytes]]:
        """The headers as ASGI wants them."""
        pairs = self.headers.items() if isinstance(self.headers, Mapping) else self.headers
        return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]


def json_answer(data: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Outgoing:
    """An answer of JSON in one piece."""
    return whole_answer(
        json.dumps(data, ensure_ascii=False).encode(), "application/json", status=status, headers=headers
    )


def whole_answer(
    body: bytes, media_type: str, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Outgoing:
    """An answer of known length."""
    head = {"content-type": media_type, "content-length": str(len(body)), **(headers or {})}
    return Outgoing(status=status, headers=head, steps=(body,))


def failure_answer(failure: FakeFailure) -> Outgoing:
    """A failure as it goes out."""
    if failure.status == 0:
        return Outgoing(status=0, steps=(Pause(failure.delay), Drop()))
    if failure.html:
        title = f"{failure.status} {failure.message}"
        page = (
            f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
            "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
        )
        answer = whole_answer(page.encode(), "text/html", status=failure.status, headers=failure.headers)
    else:
        answer = json_answer(failure.body(), status=failure.status, headers=failure.headers)
    answer.steps = (Pause(failure.delay), *answer.steps)
    return answer


def cut_into(steps: Iterable[Step], size: int) -> Iterator[Step]:
    """The same bytes in pieces of `size`, whatever they cut; 0 leaves them as they are."""
    held = b""
    for step in steps:
        if not size or not isinstance(step, bytes):
            if held and isinstance(step, Drop):
                yield held
                held = b""
            yield step
            continue
        held += step
        while len(held) >= size:
            yield held[:size]
            held = held[size:]
    if held:
        yield held
