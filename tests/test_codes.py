"""Every finding code stands in the one table."""

import re
from pathlib import Path

from langbot_agents.framework.documents import CODES

ROOT = Path(__file__).parents[1]


def test_every_code_has_its_meaning() -> None:
    """A code that the host gives is in the table, and the table names none that nobody gives."""
    used = set()
    for path in (ROOT / "framework").rglob("*.py"):
        if path.name != "findings.py":
            used |= set(re.findall(r'"(LBA\d{3})"', path.read_text()))

    assert used == set(CODES)
