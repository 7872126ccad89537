"""Times as people type them."""

import math
import time

from ..clock import from_rfc3339
from ..errors import UsageError
from ..texts import t


def parse_moment(text: str | None) -> float:
    """Unix seconds of `--at`: RFC 3339 with a zone, or Unix seconds; now where nothing is given."""
    if text is None:
        return time.time()
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        if math.isfinite(seconds) and 0 <= seconds < 253_402_300_800:
            return seconds
    try:
        return from_rfc3339(text).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            t("--at {text!r} is not a time with a zone", text=text),
            remedy=t("write for example 2026-03-02T09:00:00+08:00, 2026-03-02T01:00:00Z or 1772413200"),
        ) from None
