"""The page of complaints names each number once, and tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| (\d+) \| .* \| `([\w/.]+)::(\w+)` \|$", (ROOT / "docs" / "complaints.md").read_text(), re.MULTILINE
)


def test_every_number_is_answered() -> None:
    """Complaints 1 to 29 are those about configuration and routing."""
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 30))


@pytest.mark.parametrize(("number", "path", "name"), ROWS)
def test_the_test_is_there(number: str, path: str, name: str) -> None:
    """A test that answers a complaint exists under the name that the page gives."""
    assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE), number
