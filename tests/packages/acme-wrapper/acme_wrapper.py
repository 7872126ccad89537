"""A package that would like to be around the others."""

from collections.abc import Generator
from typing import Any

from langbot_agents.sdk import hookimpl


@hookimpl(wrapper=True)
def run_started(run: Any) -> Generator[None, Any, Any]:
    """Wait for the others."""
    return (yield)
