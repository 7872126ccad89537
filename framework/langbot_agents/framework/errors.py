"""Every error that the host raises on purpose.

    LangbotAgentsError
    ├── UsageError              wrong words in a command: exit 2
    ├── SettingsError           the root document cannot be used: exit 78
    ├── SecretError             a reference that cannot be resolved
    ├── StoreError              the database refused or is gone
    │   └── StoreLockedError    another host holds it: exit 78
    ├── InvalidEventError       an event that is refused before the log
    ├── HostBusyError           too much waits; try again later
    ├── NotFoundError           no record of that id
    └── RunnerError             a runner that cannot be started
        ├── RunnerNotFoundError
        └── RunnerUnavailableError

A message says the place first, then the cause with the offending value; `remedy` says what to do.
"""

from collections.abc import Sequence
from typing import Any


class LangbotAgentsError(Exception):
    """Something is wrong, and the message says what."""

    code = "error"

    def __init__(self, message: str, *, remedy: str | None = None, details: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = tuple(details)

    def __str__(self) -> str:
        return f"{self.message}\n    {self.remedy}" if self.remedy else self.message


class UsageError(LangbotAgentsError):
    """A command was called with words that make no sense."""

    code = "usage"


class SettingsError(LangbotAgentsError):
    """The root document cannot be used; `details` holds its findings."""

    code = "settings"


class SecretError(LangbotAgentsError):
    """A secret reference cannot be resolved."""

    code = "secret"


class StoreError(LangbotAgentsError):
    """The store cannot do its work."""

    code = "store"


class StoreLockedError(StoreError):
    """Another host holds the store."""

    code = "store_locked"


class InvalidEventError(LangbotAgentsError):
    """An event is malformed; `details` holds one entry per field."""

    code = "invalid_event"


class HostBusyError(LangbotAgentsError):
    """More waits than the host may hold."""

    code = "busy"

    def __init__(self, message: str, *, retry_after: float, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class NotFoundError(LangbotAgentsError):
    """There is no record of that id."""

    code = "not_found"


class RunnerError(LangbotAgentsError):
    """A runner cannot be started."""

    code = "runner.error"


class RunnerNotFoundError(RunnerError):
    """No installed runner has that id or alias."""

    code = "runner.not_found"


class RunnerUnavailableError(RunnerError):
    """The runner is installed but quarantined."""

    code = "runner.quarantined"
