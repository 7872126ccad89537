"""docs/testing.md is a test file that passes."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs/testing.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def page() -> dict[str, Any]:
    """Everything that the examples define, read from top to bottom."""
    text = PAGE.read_text("utf-8")
    namespace: dict[str, Any] = {"__name__": "page"}
    for match in _BLOCK.finditer(text):
        line = text[: match.start(1)].count("\n")
        exec(compile("\n" * line + match[1], str(PAGE), "exec"), namespace)
    return namespace


EXAMPLES = page()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.startswith("test_")])
async def test_example(name: str) -> None:
    """Each test that the page shows passes as it stands."""
    outcome = EXAMPLES[name]()
    if inspect.isawaitable(outcome):
        await outcome


def test_page_shows_every_knob() -> None:
    """Each field of a scripted reply is named on the page."""
    from dataclasses import fields

    from langbot_agents.sdk.testing import FakeReply

    text = PAGE.read_text("utf-8")
    left_out = {"text", "finish_reason", "usage_numbers"}

    assert {
        field.name for field in fields(FakeReply) if not re.search(rf"\b{field.name}\b", text)
    } <= left_out
