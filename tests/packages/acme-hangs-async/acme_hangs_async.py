"""A package whose hook waits for ever on the loop."""

from typing import Any

import anyio

from langbot_agents.sdk import hookimpl


@hookimpl
async def host_started(host: Any) -> None:
    """Never come back."""
    await anyio.sleep_forever()
