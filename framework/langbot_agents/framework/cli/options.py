"""What every command takes, and what it is handed of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from ..texts import t
from .output import Output
from .words import OneOf

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Session:
    """One call of the program: which project, how to print, and whether to show faults whole."""

    config: Path | None = None
    debug: bool = False
    output: Output = field(default_factory=Output)


def _set_config(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Session).config = Path(value)


def _set_debug(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Session).debug = True


def _set_output(ctx: click.Context, _param: click.Parameter, value: str) -> None:
    ctx.ensure_object(Session).output.as_json = value == "json"


def config_option(function: F) -> F:
    """`-c`: which project."""
    return click.option(
        "-c",
        "--config",
        metavar="PATH",
        callback=_set_config,
        expose_value=False,
        help=t("The root document or its folder. [default: $LANGBOT_AGENTS_CONFIG, else this folder]"),
    )(function)


def debug_option(function: F) -> F:
    """`--debug`: the whole of a fault."""
    return click.option(
        "--debug",
        is_flag=True,
        callback=_set_debug,
        expose_value=False,
        help=t("Show logs, and the whole of an unexpected fault."),
    )(function)


def common(function: F) -> F:
    """The options of every command; the command gets the `Session` first."""
    decorated: Any = click.pass_obj(function)
    decorated = debug_option(decorated)
    decorated = config_option(decorated)
    return click.option(  # type: ignore[no-any-return]
        "-o",
        "--output",
        type=OneOf("text", "json"),
        default="text",
        callback=_set_output,
        expose_value=False,
        help=t("How the result is printed: text for people, json for programs. [default: text]"),
    )(decorated)


def speaker_options(function: F) -> F:
    """`--as` and `--in`: who writes, and where; null where they are not given."""
    placed = click.option(
        "--in",
        "conversation",
        metavar="CONVERSATION",
        help=t("Where it is written, such as group_1. [default: person_ACTOR]"),
    )(function)
    return click.option("--as", "actor", metavar="ACTOR", help=t("Who writes. [default: me]"))(placed)


def embedded_option(function: F) -> F:
    """`--embedded`: a host of its own."""
    return click.option("--embedded", is_flag=True, help=t("Use a host in this process, even if one runs."))(
        function
    )


def sets_option(function: F) -> F:
    """`--set`: fields of the event that are other than in what was named."""
    return click.option(
        "--set",
        "sets",
        metavar="PATH=VALUE",
        multiple=True,
        help=t("Change a field of the event; may be given again. VALUE is JSON, else text."),
    )(function)
