"""The table of commands; a command's module is imported when it is called, not for `--help`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

import click

from ..texts import t
from .help_page import Context, translated_help, write_examples, write_options, write_rows
from .options import config_option, debug_option
from .words import near


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A command as the table lists it: `command` of its module, or a group of further ones."""

    summary_text: str
    module: str = ""
    children: Mapping[str, "Entry"] = field(default_factory=dict)


class ReaderGoneError(Exception):
    """Whoever read the output has stopped; click would make exit code 1 of it."""


class LazyGroup(click.Group):
    """A group that knows its commands from a table."""

    context_class = Context

    def __init__(self, name: str, entries: Mapping[str, Entry], help: str) -> None:
        super().__init__(
            name, help=help, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
        )
        self.entries = entries
        self.examples: tuple[tuple[str, str], ...] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        if entry.children:
            return LazyGroup(cmd_name, entry.children, t(entry.summary_text))
        found: click.Command = import_module(f"{__package__}.{entry.module}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; an unknown one is answered with the nearest."""
        name = args[0]
        if name not in self.entries and not ctx.resilient_parsing:
            meant = near(name, list(self.entries))
            if name.startswith("-"):
                raise click.NoSuchOption(name, ctx=ctx)
            hint = t(" (did you mean {name!r}?)", name=meant) if meant else ""
            ctx.fail(t("there is no command {name!r}{hint}", name=name, hint=hint))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; without any word the help is what was asked for."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGoneError from None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option `--help`, in the reader's language."""
        return translated_help(super().get_help_option(ctx))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The whole page."""
        formatter.write_usage(ctx.command_path, t("[OPTIONS] COMMAND …"), t("Usage: "))
        formatter.write_paragraph()
        formatter.write_text(self.help or "")
        write_rows(formatter, t("Commands"), [(n, t(e.summary_text)) for n, e in self.entries.items()])
        write_options(self, ctx, formatter)
        write_examples(formatter, self.examples)


COMMANDS: Mapping[str, Entry] = {
    "init": Entry(module="init", summary_text="Make a project that runs."),
    "serve": Entry(module="serve", summary_text="Run the host."),
    "validate": Entry(module="validate", summary_text="Check the root document and the bindings."),
    "apply": Entry(module="apply", summary_text="Tell whether what is on disk is live, or wait until it is."),
    "route": Entry(
        module="route", summary_text="Explain which binding answers an event, and why the others do not."
    ),
    "test": Entry(module="test", summary_text="Run the tests beside the bindings."),
    "diff": Entry(
        module="diff", summary_text="Run logged events through two sets of bindings, and show what moves."
    ),
    "why": Entry(
        module="why", summary_text="Tell why an event was answered, or was not, and what would be now."
    ),
    "filter": Entry(
        summary_text="Filters, apart from any binding.",
        children={
            "eval": Entry(
                module="filter_eval", summary_text="Try a filter on an event: each leg and what it looked at."
            )
        },
    ),
    "send": Entry(module="send", summary_text="Send one event and show the reply as it comes."),
    "chat": Entry(module="chat", summary_text="Hold a conversation with the bot."),
    "events": Entry(
        summary_text="The event log, and the catalogue of event types.",
        children={
            "list": Entry(module="events_list", summary_text="List the events of the log, newest first."),
            "show": Entry(module="events_show", summary_text="Show an event and all that became of it."),
            "tail": Entry(
                module="events_tail", summary_text="Follow the log, each event with who answers it."
            ),
            "replay": Entry(
                module="events_replay", summary_text="Decide logged events again, or send them anew."
            ),
            "sample": Entry(
                module="events_sample", summary_text="Print a sample event, or list the event types."
            ),
        },
    ),
    "runs": Entry(
        summary_text="What runs, and how it ended.",
        children={
            "list": Entry(module="runs_list", summary_text="List the runs, newest first."),
            "show": Entry(module="runs_show", summary_text="Show a run and every result that it gave."),
            "cancel": Entry(module="runs_cancel", summary_text="End a run that is under way."),
        },
    ),
    "bindings": Entry(
        summary_text="The bindings, and whether each takes part.",
        children={
            "list": Entry(module="bindings_list", summary_text="List the bindings and their state."),
            "show": Entry(module="bindings_show", summary_text="Show a binding and its document."),
            "graph": Entry(
                module="bindings_graph", summary_text="Show where events go, and which binding comes first."
            ),
            "pause": Entry(module="bindings_pause", summary_text="Take a binding out until it is resumed."),
            "resume": Entry(module="bindings_resume", summary_text="Let a paused binding take part again."),
        },
    ),
    "conversations": Entry(
        summary_text="The conversations and their history.",
        children={
            "list": Entry(
                module="conversations_list",
                summary_text="List the conversations, the last that changed first.",
            ),
            "show": Entry(
                module="conversations_show", summary_text="Show a conversation and the end of its history."
            ),
            "reset": Entry(module="conversations_reset", summary_text="Let a conversation begin anew."),
        },
    ),
    "runners": Entry(
        summary_text="The runners that are installed.",
        children={
            "list": Entry(
                module="runners_list", summary_text="List the runners, and why one cannot be used."
            ),
            "show": Entry(module="runners_show", summary_text="Show a runner and the settings it takes."),
        },
    ),
    "tokens": Entry(
        summary_text="The bearer tokens of the HTTP surface.",
        children={
            "create": Entry(module="tokens_create", summary_text="Make a token, and print it once."),
            "list": Entry(module="tokens_list", summary_text="List the tokens and what each may do."),
            "revoke": Entry(module="tokens_revoke", summary_text="End a token at once."),
        },
    ),
    "schema": Entry(module="schema", summary_text="Print JSON Schemas, for editors."),
    "doctor": Entry(
        module="doctor", summary_text="Look over what is installed, reachable and set up, with remedies."
    ),
}


def root_group() -> LazyGroup:
    """The whole program."""
    group = LazyGroup(
        "lba", COMMANDS, t("Events in, bindings decide, runners answer: agents by configuration.")
    )
    group.examples = (
        ("lba init my-bot && cd my-bot", t("Make a project, then look around in it.")),
        ("lba serve --once", t("See two events answered, then stop.")),
        ('lba send --text "hello"', t("Say something to the bot, and watch its answer come.")),
    )
    version = click.option(
        "-V",
        "--version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        help=t("Show the version."),
    )
    decorated: LazyGroup = debug_option(version(config_option(group)))
    return decorated


def _show_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from langbot_agents.schemas import __version__

        click.echo(f"langbot-agents {__version__}")
        ctx.exit()
