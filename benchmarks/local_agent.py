"""What `local-agent` adds to a model's answer, beside a bare streaming loop of the `openai` SDK.

Both ask the same server, which answers at once and stands in a process of its own. By turns, in one run:
the time to the first piece of text, and the processor's time for each piece.
"""

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import anyio

from langbot_agents.framework.access import Caller
from langbot_agents.framework.app import Host, open_host
from langbot_agents.framework.platforms import TERMINAL_SURFACE
from langbot_agents.framework.project import load_project
from langbot_agents.schemas.messages import text_of

DEADLINE = 300.0
"""Seconds after which the benchmark gives up, whatever it waits for."""

SERVER = """
import sys
from langbot_agents.sdk.testing import FakeOpenAI, FakeReply
with FakeOpenAI(otherwise=FakeReply(text="word " * int(sys.argv[1]), text_split=5)) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
"""

ROOT = """
apiVersion: langbot-agents/v1
kind: Host
models:
  - {{name: main, model: fake-model, base_url: "{url}", api_key: "no-secret"}}
"""

BINDING = """
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: agent
event_types: [message.received]
runner_id: local-agent
runner_config:
  model: main
"""

CALLER = Caller(name="bench", surface=TERMINAL_SURFACE, impersonate=True)


class Measured:
    """One answer: seconds to its first piece, pieces, and the processor's seconds for all of them."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.cpu = time.process_time()
        self.first: float | None = None
        self.characters = 0

    def piece(self, text: str) -> None:
        """One more piece of text."""
        if text:
            self.first = self.first or time.perf_counter() - self.started
            self.characters += len(text)

    def end(self) -> "Measured":
        """The answer is whole."""
        self.cpu = time.process_time() - self.cpu
        assert self.first is not None, "no text came"
        return self


@contextmanager
def model_server(pieces: int) -> Iterator[str]:
    """A server whose answers have so many pieces; gives its address."""
    command = [sys.executable, "-c", SERVER, str(pieces)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def bare(client: Any) -> Measured:
    """The loop that everybody writes first, with a client that is there already, as the host's is."""
    measured = Measured()
    stream = await client.chat.completions.create(
        model="fake-model",
        messages=[{"role": "user", "content": "go"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    async for chunk in stream:
        if chunk.choices:
            measured.piece(chunk.choices[0].delta.content or "")
    return measured.end()


async def through_the_host(host: Host, number: int) -> Measured:
    """The same question as an event: on disk, decided, run, stored and delivered."""
    mailbox = host.surfaces.mailboxes[TERMINAL_SURFACE]
    listening: list[Any] = []

    def listen(event_uid: str) -> None:
        context = mailbox.listen(event_uid)
        listening.append((context, context.__enter__()))

    measured = Measured()
    await host.run_from_event(
        {
            "event_type": "message.received",
            "source": {"kind": "webui", "name": "bench"},
            "conversation_id": f"person_{number}",
            "actor": {"actor_id": str(number)},
            "input": {"text": "go"},
        },
        CALLER,
        before_append=listen,
    )
    context, frames = listening[0]
    try:
        async for frame in frames:
            if frame.kind == "delta":
                measured.piece(frame.text)
            elif frame.kind == "close":  # the whole: what came last need not have been shown as a piece
                measured.characters = len(text_of(frame.content))
    finally:
        context.__exit__(None, None, None)
    return measured.end()


async def rounds(
    count: int, ask: Callable[[int], Awaitable[Measured]], beside: Callable[[], Awaitable[Measured]]
) -> AsyncIterator[tuple[Measured, Measured]]:
    """Both by turns, so that what else the machine does falls on both."""
    for number in range(count):
        yield await beside(), await ask(number)


async def bench_local_agent(root: Path, quick: bool) -> dict[str, Any]:
    """Added time to the first piece, and what a piece costs, beside the bare loop."""
    from openai import AsyncOpenAI

    pieces = 500 if quick else 2_000
    count = 5 if quick else 15
    (root / "bindings").mkdir(parents=True)
    (root / "bindings/agent.yaml").write_text(BINDING)
    firsts, costs = [], []
    with model_server(pieces) as url, anyio.fail_after(DEADLINE):
        (root / "langbot-agents.yaml").write_text(ROOT.format(url=url))
        async with open_host(load_project(root)) as host, AsyncOpenAI(base_url=url, api_key="x") as client:
            await bare(client)  # the first of each loads what all others use
            await through_the_host(host, 0)
            turns = rounds(count, lambda number: through_the_host(host, number + 1), lambda: bare(client))
            async for alone, ours in turns:
                assert alone.characters == ours.characters == 5 * pieces
                assert alone.first is not None
                assert ours.first is not None
                firsts.append((alone.first, ours.first))
                costs.append((alone.cpu / pieces, ours.cpu / pieces))
    return {
        "rounds": count,
        "pieces_an_answer": pieces,
        "first_piece_ms": {"bare": _ms(f[0] for f in firsts), "local-agent": _ms(f[1] for f in firsts)},
        "added_to_first_piece_ms": _ms(ours - alone for alone, ours in firsts),
        "first_piece_to_bare_median": round(median(ours / alone for alone, ours in firsts), 2),
        "piece_us": {"bare": _us(c[0] for c in costs), "local-agent": _us(c[1] for c in costs)},
        "piece_to_bare_median": round(median(ours / alone for alone, ours in costs), 2),
        "wanted": "reported",
    }


def _ms(values: Iterable[float]) -> float:
    return round(median(values) * 1e3, 2)


def _us(values: Iterable[float]) -> float:
    return round(median(values) * 1e6, 1)
