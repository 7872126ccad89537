"""Reasoning that a model writes into its answer between think tags, taken out of a stream."""

_OPEN = "<think>"
_CLOSE = "</think>"


class ThinkFilter:
    """Splits text that comes in pieces into what is shown and what was thought; a tag may be cut anywhere."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, text: str) -> tuple[str, str]:
        """The next piece; gives (shown, thought)."""
        self._held += text
        shown: list[str] = []
        thought: list[str] = []
        while True:
            tag = _CLOSE if self._thinking else _OPEN
            place = self._held.find(tag)
            if place < 0:
                break
            (thought if self._thinking else shown).append(self._held[:place])
            self._held = self._held[place + len(tag) :]
            self._thinking = not self._thinking
        keep = _tail(self._held, tag)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        (thought if self._thinking else shown).append(ready)
        return self._trimmed("".join(shown)), "".join(thought)

    def flush(self) -> tuple[str, str]:
        """What is held back at the end; an unclosed thought stays a thought."""
        held, self._held = self._held, ""
        return ("", held) if self._thinking else (self._trimmed(held), "")

    def _trimmed(self, text: str) -> str:
        """Blank lines before the answer belonged to the thought."""
        if not self._begun:
            text = text.lstrip("\n")
            self._begun = bool(text)
        return text


def _tail(text: str, tag: str) -> int:
    """How many characters at the end may be the beginning of the tag."""
    for length in range(min(len(tag) - 1, len(text)), 0, -1):
        if text.endswith(tag[:length]):
            return length
    return 0
