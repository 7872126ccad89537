"""What a person is told when a command cannot do its work: the place, the cause, the remedy."""

import difflib
import os
import tempfile
import traceback

import click

from ..errors import LangbotAgentsError, StoreLockedError, UsageError
from ..texts import t
from .options import Session

FAILED = 1
WRONG_USAGE = 2
CANNOT_START = 78


def report(session: Session, error: LangbotAgentsError) -> int:
    """Tell an error that the host raised on purpose; gives the exit code."""
    for detail in error.details:
        render = getattr(detail, "render", None)
        if render is not None:
            session.output.note(render())
    session.output.note((t("error: "), "bold red"), error.message)
    if error.remedy:
        session.output.note(error.remedy, indent=4)
    _trace(session, error)
    if isinstance(error, UsageError):
        return WRONG_USAGE
    return CANNOT_START if isinstance(error, StoreLockedError) else FAILED


def report_usage(session: Session, error: click.ClickException) -> int:
    """Tell what was wrong with the words of a command."""
    session.output.note((t("error: "), "bold red"), usage_message(error))
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        session.output.note(t("`{command} --help` shows how it is used", command=ctx.command_path), indent=4)
    return WRONG_USAGE


def usage_message(error: click.ClickException) -> str:
    """Click's error in the reader's language."""
    ctx: click.Context | None = getattr(error, "ctx", None)
    match error:
        case click.NoSuchOption(option_name=name):
            known = [word for param in ctx.command.get_params(ctx) for word in param.opts] if ctx else []
            meant = difflib.get_close_matches(name, [word for word in known if word.startswith("-")], n=1)
            hint = t(" (did you mean {name!r}?)", name=meant[0]) if meant else ""
            return t("there is no option {name!r}{hint}", name=name, hint=hint)
        case click.MissingParameter(param=click.Parameter() as param):
            return t("{name} is missing", name=_shown(param, ctx))
        case click.BadParameter(param=click.Parameter() as param, message=message):
            return t("{place}: {cause}", place=_shown(param, ctx), cause=message)
        case click.BadOptionUsage(option_name=name):
            option = _option(ctx, name)
            if option is not None and option.is_flag:
                return t("option {name!r} takes no value", name=name)
            return t("option {name!r} needs a value", name=name)
    return error.format_message()


def _shown(param: click.Parameter, ctx: click.Context | None) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.make_metavar(ctx) if ctx else param.human_readable_name


def _option(ctx: click.Context | None, name: str) -> click.Option | None:
    params = ctx.command.get_params(ctx) if ctx else []
    return next((p for p in params if isinstance(p, click.Option) and name in p.opts), None)


def report_fault(session: Session, error: BaseException) -> int:
    """Tell a fault of ours in one line, and keep its details for who reports it."""
    if session.debug:
        session.output.note("".join(traceback.format_exception(error)).rstrip())
    summary = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    session.output.note(
        (t("error: "), "bold red"), t("a fault of langbot-agents: {summary}", summary=summary)
    )
    if not session.debug:
        session.output.note(
            t("its details are in {path}; `--debug` shows them here", path=_keep(error)), indent=4
        )
    return FAILED


def _keep(error: BaseException) -> str:
    try:
        handle, path = tempfile.mkstemp(prefix="lba-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write("".join(traceback.format_exception(error)))
    except OSError:
        return "-"
    return path


def _trace(session: Session, error: BaseException) -> None:
    if session.debug:
        session.output.note("".join(traceback.format_exception(error)).rstrip())
