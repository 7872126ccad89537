"""Logs: structured, on stderr, readable on a terminal and JSON elsewhere, with secrets masked."""

import logging
import sys
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import structlog

Mask = Callable[[Any], Any]
_mask: list[Mask] = []


def get_logger(name: str) -> Any:
    """The logger of a module; silent below `warning` until `configure` is called."""
    return structlog.stdlib.get_logger(name)


def configure(*, level: str = "info", style: str = "auto") -> None:
    """Set up logging of this process; `style` is `auto`, `console` or `json`."""
    console = style == "console" or (style == "auto" and sys.stderr.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    # a traceback becomes text before it is masked; the one of `rich` would show local variables
    render: Any = (
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
        if console
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    final: list[Any] = [structlog.processors.format_exc_info, _mask_values, render]
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *final],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("uvicorn.access", "alembic", "sqlalchemy"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=False,
)


def set_mask(mask: Mask) -> None:
    """Give the function that masks secrets in every line from now on."""
    _mask[:] = [mask]


def _mask_values(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    plain = {key: _plain(value) for key, value in event.items()}
    if not _mask:
        return plain
    masked: Mapping[str, Any] = _mask[0](plain)
    return masked


def _plain(value: Any) -> Any:
    """JSON data as it is; anything else as text, so that it can be masked."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return str(value)
