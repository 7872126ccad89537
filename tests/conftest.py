"""What every test starts from: English messages, no settings of the machine, and time-outs with a reason."""

import os

import pytest

# before anything asks for the language of the process, which is remembered
for _name in [name for name in os.environ if name.startswith("LANGBOT_AGENTS")]:
    del os.environ[_name]
os.environ["LANGBOT_AGENTS_LANG"] = "en_US"


@pytest.fixture
def anyio_backend() -> str:
    """The one backend that the host runs on."""
    return "asyncio"
