"""Where events went, counted in the database; through a host in `tests/framework/cli/test_graph.py`."""

import pytest

from langbot_agents.framework.store import traffic


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sqlite", "json_extract(decision.decision, '$.winner')"),
        ("postgresql", "(decision.decision::json ->> 'winner')"),
    ],
)
def test_winners(name: str, expected: str) -> None:
    """The winner is read out of the stored decision in the words of each database, once for each group."""
    text, _order = traffic._WINNERS.compile(name)  # type: ignore[arg-type]

    assert text.count(expected) == 2
    assert text.rstrip().endswith("decision.outcome")
