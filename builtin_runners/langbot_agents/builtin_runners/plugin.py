"""Registers what ships, by the same hook as anybody's package."""

from langbot_agents.sdk import hookimpl
from langbot_agents.sdk.hooks import RegisterRunner

from .discard import Discard
from .echo import Echo


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer every runner that ships, under its short names too."""
    for runner in (Echo, Discard):
        name = runner.manifest.id.split("/")[1]
        register(runner, aliases=(name, f"builtin:{name}"))
