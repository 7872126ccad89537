"""A package whose hooks hang."""

import time
from typing import Any

from langbot_agents.sdk import hookimpl


@hookimpl
def host_started(host: Any) -> None:
    """Never come back."""
    while True:
        time.sleep(0.05)
