"""The way into every command, and the only place where a fault becomes an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from ..errors import LangbotAgentsError
from ..texts import t
from .commands import ReaderGoneError, root_group
from .failures import report, report_fault, report_usage
from .options import Session

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell says of a program that Ctrl-C, or a reader that went away, has ended."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the program and end the process."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:] if args is None else args)
    try:
        if sys.stdout is not None:  # a shell may have closed it: `lba … >&-`
            sys.stdout.flush()
    except BrokenPipeError:
        code = BROKEN_PIPE
    except OSError as error:
        print(t("the output cannot be written: {cause}", cause=error.strerror), file=sys.stderr)  # noqa: T201
        code = 1
    if code == BROKEN_PIPE:
        # what is still buffered has no reader, and Python would complain at its exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(args: Sequence[str]) -> int:
    """Run a command and give its exit code; every fault is told on stderr."""
    session = Session()
    try:
        result = root_group().main(list(args), prog_name="lba", standalone_mode=False, obj=session)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        return report_usage(session, error)
    except LangbotAgentsError as error:
        return report(session, error)
    except (BrokenPipeError, ReaderGoneError):
        return BROKEN_PIPE
    except SystemExit as ended:  # shell completion
        return ended.code if isinstance(ended.code, int) else 0
    except Exception as error:  # isolation boundary: no traceback reaches a person
        return report_fault(session, error)
    return result if isinstance(result, int) else 0
