"""Registers what ships, by the same hook as anybody's package."""

from langbot_agents.sdk import hookimpl
from langbot_agents.sdk.hooks import RegisterRunner

from .discard import Discard
from .echo import Echo
from .local_agent import LocalAgent

LANGBOT_IDS = {
    "local-agent": ("plugin:langbot/local-agent/default", "plugin:langbot-team/LocalAgent/default"),
}
"""The ids of both families that LangBot knows a runner by; they give way to an installed one."""


@hookimpl
def register_runners(register: RegisterRunner) -> None:
    """Offer every runner that ships, under its short names and LangBot's."""
    for runner in (Echo, Discard, LocalAgent):
        name = runner.manifest.id.split("/")[1]
        register(runner, aliases=(name, f"builtin:{name}", *LANGBOT_IDS.get(name, ())))
