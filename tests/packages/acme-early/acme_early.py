"""A package for a later version of the host."""

from typing import Any

from langbot_agents.sdk import hookimpl


@hookimpl
def register_tools(register: Any) -> None:
    """Offer tools, when somebody asks."""


@hookimpl(optionalhook=True)
def register_wonders(register: Any) -> None:
    """Offer what no host of today knows."""
