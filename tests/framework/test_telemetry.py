"""Logs: on stderr, as JSON or for people, and never with a secret."""

import json
import subprocess
import sys

import pytest

CANARY = "sk-canary-0815-4711"

SCRIPT = """
import logging, sys
from langbot_agents.framework import telemetry
from langbot_agents.framework.documents import Masker

style = sys.argv[1]
masker = Masker(["sk-canary-0815-4711"])
telemetry.set_mask(masker.data)
telemetry.configure(level="debug", style=style)
log = telemetry.get_logger("test")

class Odd:
    def __repr__(self):
        return "Odd(sk-canary-0815-4711)"

def fail():
    local = "sk-canary-0815-4711"
    raise ValueError("refused: " + local)

log.info("said sk-canary-0815-4711")
log.info("by value", text="a sk-canary-0815-4711 b", nested={"list": ["sk-canary-0815-4711"], "n": 1})
log.info("by name", api_key="other-canary", headers={"authorization": "other-canary"})
log.info("odd", item=Odd(), error=ValueError("sk-canary-0815-4711"), several={Odd()})
try:
    fail()
except ValueError:
    log.exception("raised")
    logging.getLogger("foreign").exception("foreign %s", "sk-canary-0815-4711")
logging.getLogger("foreign").warning("foreign %s", "sk-canary-0815-4711", stack_info=True)
log.debug("deep", stack_info=True)
"""


def lines(style: str) -> list[str]:
    """What a process writes to stderr."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, style], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.parametrize("style", ["json", "console"])
def test_no_secret_in_logs(style: str) -> None:
    """A secret is masked by value and by field name, in text, data, objects, tracebacks and others' lines."""
    text = "\n".join(lines(style))

    assert CANARY not in text
    assert "other-canary" not in text
    assert text.count("***") >= 10


def test_json_lines() -> None:
    """Off a terminal each line is one JSON object with its event, level and time, also those of libraries."""
    found = [json.loads(line) for line in lines("json")]

    assert [item["event"] for item in found] == [
        "said ***",
        "by value",
        "by name",
        "odd",
        "raised",
        "foreign ***",
        "foreign ***",
        "deep",
    ]
    assert all({"level", "timestamp"} <= item.keys() for item in found)
    assert found[1]["nested"] == {"list": ["***"], "n": 1}
    assert "ValueError: refused: ***" in found[4]["exception"]


def test_auto_is_json_off_a_terminal() -> None:
    """`auto` gives JSON where nobody watches."""
    assert json.loads(lines("auto")[0])["event"] == "said ***"
