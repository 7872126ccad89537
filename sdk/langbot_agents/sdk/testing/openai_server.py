"""An OpenAI-compatible server to try things with, and the command that runs it: no key, no model, no cost."""

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .fake_openai import (
    FAILURES,
    FakeFailure,
    FakeOpenAI,
    FakeReply,
    FakeToolCall,
    Outcome,
    RecordedRequest,
    echo,
)
from .fake_openai.server import ECHO

__all__ = [
    "FAILURES",
    "FakeFailure",
    "FakeOpenAI",
    "FakeReply",
    "FakeToolCall",
    "Outcome",
    "RecordedRequest",
    "echo",
    "main",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer on a port until Ctrl-C; the address goes to stdout."""
    options = _parser().parse_args(arguments)
    server = FakeOpenAI(
        models=options.model,
        api_key=options.api_key,
        host=options.host,
        port=options.port,
        otherwise=replace(ECHO, chunk_delay=options.delay),
        replay=options.replay,
        replay_speed=1.0,
    )
    try:
        server.start()
    except (ImportError, OSError) as error:
        sys.stderr.write(f"cannot answer on {options.host}:{options.port}: {error}\n")
        return 1
    try:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        server.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m langbot_agents.sdk.testing.openai_server",
        description="An OpenAI-compatible server that says back what it is told, with what came before.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: loopback)")
    parser.add_argument("--port", type=int, default=8621, help="port; 0 is a free one (default: 8621)")
    parser.add_argument("--model", action="append", help="name that is served, may repeat (default: any)")
    parser.add_argument("--api-key", help="the only key that is taken (default: any)")
    parser.add_argument("--delay", type=float, default=0.03, help="seconds between pieces (default: 0.03)")
    parser.add_argument("--replay", type=Path, help="captured exchanges to answer with, a file or a folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
