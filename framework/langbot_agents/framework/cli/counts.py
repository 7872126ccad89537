"""Numbers of things, in words."""

from ..texts import t


def documents(count: int) -> str:
    """`3 documents`."""
    return t("{count} document" if count == 1 else "{count} documents", count=count)


def files(count: int) -> str:
    """`3 files`."""
    return t("{count} file" if count == 1 else "{count} files", count=count)


def test_files(count: int) -> str:
    """`3 test files`."""
    return t("{count} test file" if count == 1 else "{count} test files", count=count)


def runners(count: int) -> str:
    """`3 runners`."""
    return t("{count} runner" if count == 1 else "{count} runners", count=count)


def bindings(count: int) -> str:
    """`3 bindings`."""
    return t("{count} binding" if count == 1 else "{count} bindings", count=count)


def errors(count: int) -> str:
    """`3 errors`."""
    return t("{count} error" if count == 1 else "{count} errors", count=count)


def warnings(count: int) -> str:
    """`3 warnings`."""
    return t("{count} warning" if count == 1 else "{count} warnings", count=count)


def cases(count: int) -> str:
    """`3 cases`."""
    return t("{count} case" if count == 1 else "{count} cases", count=count)


def filters(count: int) -> str:
    """`3 filters`."""
    return t("{count} filter" if count == 1 else "{count} filters", count=count)


def events(count: int) -> str:
    """`3 events`."""
    return t("{count} event" if count == 1 else "{count} events", count=count)
