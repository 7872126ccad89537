"""A package with a hook that wants what nobody gives."""

from typing import Any

from langbot_agents.sdk import hookimpl


@hookimpl
def run_started(run: Any, host: Any) -> None:
    """Wants one argument too many."""
