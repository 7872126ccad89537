"""Ids and times."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.clock import from_rfc3339, rfc3339, utc_now
from langbot_agents.framework.ids import new_id

AWARE = st.datetimes(
    min_value=datetime(1, 1, 3),
    max_value=datetime(9999, 12, 29),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(-timedelta(hours=3.5))]),
)


def test_ids_rise_and_are_told_apart_by_their_prefix() -> None:
    """Ids made by the host are prefixed UUIDv7: later ones sort after earlier ones."""
    made = [new_id("evt") for _ in range(10_000)]

    assert sorted(set(made)) == made
    assert {identifier[:4] for identifier in made} == {"evt_"}


@given(AWARE)
def test_text_of_a_moment_gives_the_moment_back(moment: datetime) -> None:
    """`*_at` is RFC 3339 with microseconds and `Z`, whatever the zone and the fraction."""
    text = rfc3339(moment)

    assert (len(text), text[-1], from_rfc3339(text)) == (27, "Z", moment)


@given(AWARE, AWARE)
def test_texts_sort_as_the_moments_do(one: datetime, other: datetime) -> None:
    """The text of a moment sorts."""
    assert (rfc3339(one) < rfc3339(other)) == (one < other)


def test_unix_seconds_are_a_moment() -> None:
    """Unix seconds may be given instead."""
    assert rfc3339(0.25) == "1970-01-01T00:00:00.250000Z"


def test_a_moment_without_a_zone_is_refused() -> None:
    """A time without a zone names no moment."""
    with pytest.raises(ValueError, match="no time zone"):
        rfc3339(utc_now().replace(tzinfo=None))
    with pytest.raises(ValueError, match="no time zone"):
        from_rfc3339("2026-01-01T00:00:00")
