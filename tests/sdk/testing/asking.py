"""Asking through the real `openai` client, and putting its chunks together as its documentation says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from openai import OpenAI

MODEL = "fake-model"


@dataclass(kw_only=True)
class Answer:
    """A stream, read to its end or to what broke it off."""

    chunks: list[Any] = field(default_factory=list)
    error: Exception | None = None

    @property
    def deltas(self) -> list[Any]:
        """The deltas of the first choice."""
        return [choice.delta for chunk in self.chunks for choice in chunk.choices if choice.index == 0]

    @property
    def texts(self) -> list[str]:
        """The pieces of text."""
        return [delta.content for delta in self.deltas if delta.content]

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self.texts)

    @property
    def finish_reason(self) -> str | None:
        """Why it ended; None for what has no end."""
        found = [choice.finish_reason for chunk in self.chunks for choice in chunk.choices]
        return next((reason for reason in found if reason), None)

    @property
    def usage(self) -> Any:
        """What it cost, where a chunk says so."""
        return next((chunk.usage for chunk in self.chunks if chunk.usage is not None), None)

    @property
    def fragments(self) -> list[Any]:
        """The fragments of tool calls."""
        return [fragment for delta in self.deltas for fragment in delta.tool_calls or ()]

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        """Id, name and arguments of each tool call, joined by index; id and name count once."""
        found: dict[int, tuple[str, str, str]] = {}
        for fragment in self.fragments:
            id, name, arguments = found.get(fragment.index, ("", "", ""))
            found[fragment.index] = (
                id or fragment.id or "",
                name or fragment.function.name or "",
                arguments + (fragment.function.arguments or ""),
            )
        return [found[index] for index in sorted(found)]


class Asker:
    """Asks one question at a time."""

    def __init__(self, client: OpenAI) -> None:
        self.client: Any = client

    def whole(self, text: str | Sequence[Any] = "hello", **options: Any) -> Any:
        """The answer in one piece."""
        return self.client.chat.completions.create(**_request(text, options))

    def stream(self, text: str | Sequence[Any] = "hello", **options: Any) -> Answer:
        """The answer in pieces; an error at its start goes through, a later one is kept."""
        answer = Answer()
        with self.client.chat.completions.create(**_request(text, options), stream=True) as chunks:
            try:
                for chunk in chunks:
                    answer.chunks.append(chunk)
            except Exception as error:  # what broke it off is the test's to judge
                answer.error = error
        return answer


def _request(text: str | Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}] if isinstance(text, str) else text
    return {"model": MODEL, "messages": messages, **options}
