"""What was odd in the results of a run, as a terminal shows it."""

from collections.abc import Sequence

from langbot_agents.schemas.records import RunWarning

from ..texts import t
from .output import Output


def print_warnings(out: Output, binding_id: str, warnings: Sequence[RunWarning], *, indent: int = 0) -> None:
    """How many results were dropped or mended, then each cause once; nothing where all were well."""
    count = sum(item.count for item in warnings)
    if not count:
        return
    said = t(
        "{count} result of {binding} was dropped or mended:"
        if count == 1
        else "{count} results of {binding} were dropped or mended:",
        count=count,
        binding=binding_id,
    )
    out.line(("! ", "yellow"), said, indent=indent)
    for item in warnings:
        times = t(" ({count} times)", count=item.count) if item.count > 1 else ""
        out.line(f"{item.type or '-'}: {item.message}{times}  [{item.code}]", indent=indent + 4)
