"""A package that leaves a mark when it is imported."""

import os
from pathlib import Path
from typing import Any

from langbot_agents.sdk import hookimpl

Path(os.environ["ACME_MARKER"]).write_text("imported")


@hookimpl
def host_started(host: Any) -> str:
    """Say so."""
    return "marked"
