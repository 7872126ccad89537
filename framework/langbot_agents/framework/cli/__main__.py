"""`python -m langbot_agents.framework.cli`."""

from . import main

main()
