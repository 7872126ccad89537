"""Help pages: in the reader's language, wrapped by columns, of which a Chinese character takes two."""

import re
from collections.abc import Iterable, Iterator, Sequence

import click
from rich.cells import cell_len

from ..texts import t

_PIECES = re.compile(
    r"\s+|[\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]|[^\s\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]+"
)
_CLOSING = "，。；：、！？）》”’」"
_MAX_WIDTH = 100
_FIRST_COLUMN = 28


class HelpPage(click.HelpFormatter):
    """Click's formatter with our own wrapping."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        super().__init__(indent_increment, width, max_width or _MAX_WIDTH)

    def write_text(self, text: str) -> None:
        """One paragraph."""
        indent = " " * self.current_indent
        for line in wrapped(text, max(self.width - self.current_indent, 20)):
            self.write(f"{indent}{line}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Names and what they mean, in two columns."""
        rows = list(rows)
        first = min(max((cell_len(name) for name, _ in rows), default=0), _FIRST_COLUMN) + col_spacing
        indent = " " * self.current_indent
        width = max(self.width - self.current_indent - first, 20)
        for name, meaning in rows:
            lines = list(wrapped(meaning, width)) or [""]
            gap = first - cell_len(name)
            if gap < col_spacing:
                self.write(f"{indent}{name}\n")
            else:
                self.write(f"{indent}{name}{' ' * gap}{lines.pop(0)}".rstrip() + "\n")
            for line in lines:
                self.write(f"{indent}{' ' * first}{line}\n")


def wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text; it may break at a space and between Chinese characters."""
    line = ""
    for piece in _PIECES.findall(" ".join(text.split())):
        if line and cell_len(line) + cell_len(piece.rstrip()) > width and piece not in _CLOSING:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    if line.strip():
        yield line.rstrip()


class Argument(click.Argument):
    """A positional argument that says what it is."""

    def __init__(self, *args: object, meaning: str, **attrs: object) -> None:
        super().__init__(*args, **attrs)  # type: ignore[arg-type]
        self.meaning = meaning


class Command(click.Command):
    """A command whose help is ours: its text, arguments, options, then examples."""

    def __init__(
        self, *args: object, examples: Sequence[tuple[str, str]] = (), detail: str = "", **attrs: object
    ) -> None:
        attrs.setdefault("context_settings", {"help_option_names": ["-h", "--help"]})
        attrs.setdefault("options_metavar", t("[OPTIONS]"))
        super().__init__(*args, **attrs)  # type: ignore[arg-type]
        self.examples = examples
        self.detail = detail

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and refuse words that are too many in the reader's language."""
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            ctx.fail(t("there is no place for {words!r}", words=" ".join(map(str, left))))
        return left

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option `--help`, in the reader's language."""
        return translated_help(super().get_help_option(ctx))

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The whole page."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), t("Usage: "))
        formatter.write_paragraph()
        formatter.write_text(self.help or "")
        for paragraph in filter(None, self.detail.split("\n\n")):
            formatter.write_paragraph()
            formatter.write_text(paragraph)
        rows = [
            (param.make_metavar(ctx), param.meaning)
            for param in self.get_params(ctx)
            if isinstance(param, Argument)
        ]
        write_rows(formatter, t("Arguments"), rows)
        write_options(self, ctx, formatter)
        write_examples(formatter, self.examples)


def translated_help(option: click.Option | None) -> click.Option | None:
    """Click's option `--help` with our text."""
    if option is not None:
        option.help = t("Show this help.")
    return option


def write_rows(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    """A titled list of two columns, if it has any rows."""
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The options of a command."""
    rows = [
        record
        for param in command.get_params(ctx)
        if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None
    ]
    write_rows(formatter, t("Options"), rows)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """What to type, and what it does."""
    if not examples:
        return
    with formatter.section(t("Examples")):
        for line, meaning in examples:
            formatter.write(f"{' ' * formatter.current_indent}{line}\n")
            formatter.indent()
            formatter.write_text(meaning)
            formatter.dedent()


class Context(click.Context):
    """Click's context with our help page."""

    formatter_class = HelpPage


Command.context_class = Context
