"""The commands `langbot-agents` and `lba`."""

from .entry import main

__all__ = ["main"]
