"""`lba chat` with a language model behind it: it remembers, fails in sentences, and sees pictures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from langbot_agents.sdk.testing import FakeOpenAI, FakeReply

from .conftest import Run
from .terminal import CTRL_C, CTRL_D, Terminal
from .test_chat import PNG, turns

pytestmark = pytest.mark.slow

ASSISTANT = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: assistant
event_types: [message.received]
runner_id: local-agent
runner_config: {model: main}
delivery_policy: {hint_text: Sorry.}
"""
KEY = "sk-of-the-test"


@pytest.fixture
def model() -> Iterator[FakeOpenAI]:
    """A model server that wants a key."""
    with FakeOpenAI(api_key=KEY) as server:
        yield server


@pytest.fixture
def assistant(project: Path, model: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that answers with that model."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    (project / "bindings" / "all.yaml").write_text(ASSISTANT)
    with (project / "langbot-agents.yaml").open("a") as file:
        file.write(
            f"models:\n  - name: main\n    model: fake-model\n    base_url: {model.base_url}\n"
            "    api_key: ${env:MODEL_KEY}\n"
        )
    return project


def test_model_remembers(process: Run, assistant: Path, via: str, model: FakeOpenAI) -> None:
    """What was said before in the conversation goes to the model; another conversation begins anew."""
    first = process("chat", stdin="my name is Mia\nwhat is my name\n")
    other = process("chat", "--in", "person_other", stdin="what is my name\n")

    assert first.out.splitlines() == [
        "You said: my name is Mia",
        "You said: what is my name",
        "Before that you said: my name is Mia",
    ]
    assert other.out == "You said: what is my name\n"


@pytest.mark.parametrize(
    ("kind", "code", "words", "said"),
    [
        ("invalid_api_key", "auth", "refused the key", "refused the key (401); check its api_key"),
        ("rate_limit", "rate_limited", "takes no more requests", "takes no more requests just now"),
        ("insufficient_quota", "quota", "has no quota left", "the account has no quota left"),
        ("no_answer", "unreachable", "cannot be reached", "cannot be reached at"),
        ("server_error", "server", "a fault of its own", "has a fault of its own (500)"),
    ],
)
def test_model_fails(
    process: Run, assistant: Path, model: FakeOpenAI, kind: str, code: str, words: str, said: str
) -> None:
    """A model that refuses is told in a sentence, beside the user's hint, and the chat goes on."""
    model.fail(kind, when="fail", times=1)  # type: ignore[arg-type]
    done = process("chat", stdin="please fail\nand now\n")

    assert done.code == 1
    assert done.out == "Sorry.\nYou said: and now\nBefore that you said: please fail\n"
    (sentence,) = [line for line in done.err.splitlines() if line.startswith("x no answer from assistant: ")]
    assert words in sentence
    assert said in done.err
    assert f"model.{code}: lba runs show run_" in done.err
    assert "Traceback" not in done.err


def test_model_breaks_off(process: Run, assistant: Path, via: str, model: FakeOpenAI) -> None:
    """A stream that is dropped shows what came of it, the hint, and why; the chat goes on."""
    model.reply(FakeReply(text="one two three four five", drop_after=2), when="drop", times=1)
    done = process("chat", stdin="drop\nand now\n")

    assert done.code == 1
    assert done.out.splitlines()[1:] == ["Sorry.", "You said: and now", "Before that you said: drop"]
    assert "one two three four five".startswith(done.out.splitlines()[0])
    assert "model 'main' broke off before the end of its answer" in done.err


def test_failure_in_chinese(process: Run, assistant: Path, model: FakeOpenAI) -> None:
    """The same in Chinese."""
    model.fail("invalid_api_key", when="fail", times=1)
    done = process("chat", stdin="fail\n", lang="zh_Hans")

    assert "x assistant 没有回答：模型服务拒绝了密钥" in done.err
    assert "拒绝了密钥（401）" in done.err


def test_models_of_a_run(process: Run, assistant: Path, model: FakeOpenAI) -> None:
    """`send -o json` says which models a run called."""
    (run,) = process("send", "--text", "hello", "-o", "json").json["runs"]

    assert run["models"] == ["main"]


def test_failure_as_json(process: Run, assistant: Path, model: FakeOpenAI) -> None:
    """A program gets status, code and reason."""
    model.fail("invalid_api_key", when="fail", times=1)
    (turn,) = turns(process("chat", "-o", "json", stdin="fail\n"))

    assert (turn["status"], turn["code"]) == ("failed", "model.auth")
    assert turn["reason"] == "model 'main' refused the key (401); check its api_key"


def test_cancel_model(assistant: Path, model: FakeOpenAI, via: str) -> None:
    """Ctrl-C ends an answer of a model, and the next one comes."""
    model.reply(FakeReply(text="word " * 200, text_split=5, chunk_delay=0.1), when="long", times=1)
    with Terminal("chat") as terminal:
        terminal.prompt()
        terminal.type("a long one\r")
        terminal.until("word word ")
        terminal.type(CTRL_C)
        terminal.until("~ cancelled")
        terminal.prompt()
        terminal.type("hi\r")
        terminal.until("You said: hi")
        terminal.prompt()
        terminal.type(CTRL_D)

        assert terminal.end() == 0


def test_images(process: Run, assistant: Path, via: str, model: FakeOpenAI) -> None:
    """`--image` goes with the first message, /image with the next; the model gets the picture itself."""
    (assistant / "cat.png").write_bytes(PNG)
    done = process(
        "chat", "--image", "cat.png", stdin="look\n/image cat.png\n/image cat.png\nand these\nno\n"
    )

    assert done.code == 0
    assert [line for line in done.out.splitlines() if line.startswith("You said")] == [
        "You said: look (images: 1)",
        "You said: and these (images: 2)",
        "You said: no",
    ]
    content = model.requests[0].messages[-1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBORw0KGgo")


def test_image_alone(process: Run, assistant: Path, model: FakeOpenAI) -> None:
    """A picture can be sent without a word."""
    (assistant / "cat.png").write_bytes(PNG)
    done = process("chat", "--image", "cat.png", stdin="\n")

    assert (done.code, done.out) == (0, "You said:  (images: 1)\n")
