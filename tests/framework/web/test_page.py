"""`docs/http.md`: every endpoint is there, and every example works as it stands."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from langbot_agents.framework.web.openapi import path_of
from langbot_agents.framework.web.table import ENDPOINTS

from .conftest import Served

PAGE = (Path(__file__).parents[3] / "docs/http.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_every_endpoint_has_an_example() -> None:
    """Each endpoint has a heading with an example below it, and each heading is an endpoint."""
    sections = PAGE.split("\n### ")[1:]
    shown = {section.partition("\n")[0].strip("`") for section in sections if "```sh" in section}

    assert len(shown) == len(sections)
    assert shown == {f"{item.method} {path_of(item)}" for item in ENDPOINTS}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_example_works(served: Served) -> None:
    """The examples, in the order of the page, are each answered as meant."""
    token = served.token("reader", "ingest", "read", "operate", may_state={"bots": ["shop-*"]})
    event: dict[str, Any] = {
        "event_type": "message.received",
        "conversation_id": "person_1",
        "input": {"text": "one two"},
    }
    with served.outsider(token) as client:
        done = client.post("/v1/events?wait=10", json=event).json()
        (conversation,) = client.get("/v1/conversations").json()["conversations"]
    environ = {
        **os.environ,
        "URL": served.file["url"],
        "TOKEN": token,
        "LOCAL_TOKEN": served.file["token"],
        "EVENT": done["event_uid"],
        "RUN": done["runs"][0]["run_id"],
        "KEY": quote(conversation["conversation_key"], safe=""),
    }
    for example in EXAMPLES:
        ran = subprocess.run(
            ["bash", "-euc", example],
            cwd=served.root,
            env=environ,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

        assert ran.returncode == 0, f"{example}\n{ran.stdout}{ran.stderr}"
        if "event-stream" in example:
            assert "event: done" in ran.stdout
        elif "DELETE" not in example:
            json.loads(ran.stdout)
