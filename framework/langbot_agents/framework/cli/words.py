"""Values of options that click would only explain in English."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from ..texts import t

if TYPE_CHECKING:
    _Words = click.ParamType[str]
    _Numbers = click.ParamType[int]
    _Seconds = click.ParamType[float]
else:
    _Words = _Numbers = _Seconds = click.ParamType


def near(word: str, known: Sequence[str]) -> str | None:
    """The known word that was probably meant."""
    found = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return found[0] if found else None


class OneOf(_Words):
    """One of a few words."""

    name = "word"

    def __init__(self, *words: str) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """How help shows it."""
        return "|".join(self.words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself."""
        word = str(value)
        if word in self.words:
            return word
        meant = near(word, self.words)
        if meant is not None:
            message = t("{value!r} is unknown; did you mean {near!r}?", value=word, near=meant)
        else:
            message = t("{value!r} is unknown; allowed: {names}", value=word, names=", ".join(self.words))
        raise click.BadParameter(message, ctx, param)


class Whole(_Numbers):
    """A whole number in bounds."""

    name = "number"

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """How help shows it."""
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value)
        if (
            not (text.isascii() and text.isdecimal())
            or len(text) > 18
            or not self.low <= int(text) <= self.high
        ):
            self.fail(
                t(
                    "{value!r} is not a whole number from {low} to {high}",
                    value=text,
                    low=self.low,
                    high=self.high,
                ),
                param,
                ctx,
            )
        return int(text)


class Span(_Seconds):
    """A span of time, as documents write it."""

    name = "duration"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str | None:
        """How help shows it."""
        return "DURATION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Its seconds."""
        from langbot_agents.schemas.units import parse_duration

        try:
            seconds = float(parse_duration(value))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= 3_153_600_000:
            self.fail(
                t("{value!r} is no span of time; write for example 12h or 30d", value=value), param, ctx
            )
        return seconds


class Seconds(Span):
    """A span of time of which a plain number is seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Its seconds."""
        text = str(value)
        return super().convert(f"{text}s" if text.isascii() and text.isdecimal() else value, param, ctx)
