"""What the run API raises in a runner."""

from langbot_agents.schemas.errors import AgentAPIError


class AgentAPIException(Exception):
    """A call of the run API was refused; `error` says why, as data."""

    def __init__(self, error: AgentAPIError) -> None:
        super().__init__(f"{error.code}: {error.message}")
        self.error = error

    @property
    def code(self) -> str:
        """The stable code, such as `unauthorized`."""
        return self.error.code

    @property
    def retryable(self) -> bool:
        """Whether the same call may go through later."""
        return self.error.retryable
