"""A package with a hook that nobody calls."""

from typing import Any

from langbot_agents.sdk import hookimpl


@hookimpl
def register_runner(register: Any) -> None:
    """Has a slip in its name."""
