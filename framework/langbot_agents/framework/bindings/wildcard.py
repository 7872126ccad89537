"""Names with `*`: whether a text matches one, and a text that two of them share."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Wildcard:
    """A text in which each `*` stands for any characters, also none; nothing else is special."""

    text: str
    _pieces: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pieces", tuple(self.text.split("*")))

    def matches(self, actual: str) -> bool:
        """Whether the text is one that it stands for; no text makes it try twice."""
        first, *middle = self._pieces
        if not middle:
            return actual == first
        last = middle.pop()
        end = len(actual) - len(last)
        if not actual.startswith(first) or not actual.endswith(last) or end < len(first):
            return False
        at = len(first)
        for piece in middle:
            found = actual.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True


def shared_texts(one: str, other: str) -> Iterator[str]:
    """Texts that both stand for, the shortest first, and the same with a letter where both have a `*`."""
    shortest = _shared(one, other)
    if shortest is None:
        return
    yield shortest
    for filled in ("x" + shortest, shortest + "x", "x"):
        if Wildcard(one).matches(filled) and Wildcard(other).matches(filled):
            yield filled


def _shared(one: str, other: str) -> str | None:
    """Walk both at once, breadth first: a `*` may end, or take a character of the other."""
    came: dict[tuple[int, int], tuple[tuple[int, int], str]] = {}
    end = (len(one), len(other))
    waiting = deque([(0, 0)])
    while waiting:
        state = waiting.popleft()
        if state == end:
            return _walked(came, state)
        i, j = state
        mine, theirs = one[i : i + 1], other[j : j + 1]
        following: list[tuple[tuple[int, int], str]] = []
        if mine == "*":
            following.append(((i + 1, j), ""))
            if theirs and theirs != "*":
                following.append(((i, j + 1), theirs))
        if theirs == "*":
            following.append(((i, j + 1), ""))
            if mine and mine != "*":
                following.append(((i + 1, j), mine))
        if mine and mine == theirs and mine != "*":
            following.append(((i + 1, j + 1), mine))
        for found, char in following:
            if found not in came and found != (0, 0):
                came[found] = (state, char)
                waiting.append(found)
    return None


def _walked(came: dict[tuple[int, int], tuple[tuple[int, int], str]], state: tuple[int, int]) -> str:
    chars: list[str] = []
    while state != (0, 0):
        state, char = came[state]
        chars.append(char)
    return "".join(reversed(chars))
