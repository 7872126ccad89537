"""Hours of the day, in a zone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from langbot_agents.schemas.units import TimeWindow

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def in_hours(window: TimeWindow, now: datetime, timezone: str) -> bool:
    """Whether a moment lies in hours of the day; `days` are those on which the hours begin."""
    local = now.astimezone(ZoneInfo(window.zone or timezone))
    start, end = window.bounds()
    clock = local.time()
    if start < end:
        return start <= clock < end and _on_day(window, local)
    if clock >= start:
        return _on_day(window, local)
    return clock < end and _on_day(window, local - timedelta(days=1))


def _on_day(window: TimeWindow, day: datetime) -> bool:
    return not window.days or _WEEKDAYS[day.weekday()] in window.days
