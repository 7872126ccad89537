"""A host in a process of its own that is killed at a chosen moment, and its project for who comes after."""

import os
import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, NoReturn

import anyio
from tests.framework.conftest import House, Opened, runner_class

from langbot_agents.sdk import AgentRunContext, completed, delta

MOMENTS = ("appended", "queued", "running", "emitting", "streamed", "committed", "shown")


def kill() -> NoReturn:
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still here")


def make_house(root: Path, moment: str = "") -> House:
    """One binding whose runner notes each start in a file, and stops the process at its moment."""

    async def _note(ctx: AgentRunContext[Any]) -> AsyncGenerator[Any, None]:
        text = ctx.input.to_text()
        with (root / "starts.log").open("a") as log:
            log.write(
                f"{ctx.conversation.conversation_id if ctx.conversation else '-'} {text} {ctx.run_id}\n"
            )
        if moment == "running":
            kill()
        if moment == "queued":
            await anyio.sleep_forever()
        yield delta("you said ")
        if moment == "emitting":
            await anyio.sleep(0.3)  # the ledger has the delta, nobody has seen it
            kill()
        if moment in {"streamed", "random"} or moment.startswith("commit-"):
            await anyio.sleep(0.02 if moment != "random" else 0.002)
        yield delta(text)
        if moment == "streamed":
            await anyio.sleep(0.05)
            kill()
        yield completed()

    return House(
        root,
        [{"binding_id": "b0", "event_types": ["message.received"], "runner_id": "note"}],
        [runner_class("note", _note)],
    )


def arm(opened: Opened, moment: str) -> None:
    """Set the moments that lie in the host and not in the runner."""
    host = opened.host
    box = host.surfaces.mailboxes["terminal"]
    if moment == "appended":
        host.dispatcher.offer = lambda *_args, **_kwargs: kill()  # type: ignore[method-assign]
    elif moment == "committed":
        box.close = lambda *_args, **_kwargs: kill()  # type: ignore[method-assign]
    elif moment.startswith("commit-"):
        writer, last = host.db.writer, host.db.writer.commits + int(moment.removeprefix("commit-"))
        deliver = writer._deliver

        def deliver_or_die(tickets: Any) -> None:
            if writer.commits >= last:
                kill()
            deliver(tickets)

        writer._deliver = deliver_or_die  # type: ignore[method-assign]
    elif moment == "shown":
        close = box.close

        async def close_and_die(*args: Any, **kwargs: Any) -> Any:
            await close(*args, **kwargs)
            kill()

        box.close = close_and_die  # type: ignore[method-assign]


async def main(root: Path, moment: str) -> None:
    """Bring events until the end comes, and say which were acknowledged."""
    async with make_house(root, moment).open() as opened:
        arm(opened, moment)
        if moment == "streamed":
            await opened.listen("0")
        elif moment.startswith("commit-"):
            for number in range(10):
                await opened.listen(str(number))
        elif moment == "random":
            async with anyio.create_task_group() as tasks:
                for worker in range(8):
                    tasks.start_soon(_bring, opened, worker)
        else:
            for number in range(3):
                accepted = await opened.accept(str(number))
                print(accepted.event_uid, flush=True)
            await opened.host.db.writer.flush()
            if moment == "queued":
                kill()
            await opened.host.settled()


async def _bring(opened: Opened, worker: int) -> None:
    for number in range(1000):
        read = opened.listen if number % 3 == 0 else opened.accept
        accepted: Any = await read(str(number), conversation_id=f"person_{worker}")
        if number % 3:
            print(accepted.event_uid, flush=True)


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), sys.argv[2])
