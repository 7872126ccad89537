"""`lba tokens`: made once, shown once, ended at once."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from .conftest import Run, Server

pytestmark = pytest.mark.slow


def test_create(lba: Run, project: Path, via: str) -> None:
    """The token alone is on stdout, for `$(…)`; what it may do is on stderr; the list never shows it."""
    done = lba("tokens", "create", "shop", "--scope", "ingest", "--scope", "read", "--expires", "30d")
    listed = lba("tokens", "list")

    assert done.code == 0
    assert done.out.startswith("lba_")
    assert len(done.out.split()) == 1
    assert "token 'shop' may ingest, read" in done.err
    assert "it is not shown again" in done.err
    assert done.out.strip() not in listed.out
    assert "shop   default    ingest, read" in listed.out


def test_json(lba: Run, project: Path, via: str) -> None:
    """As JSON it comes with what it may do and name."""
    words = ["--bot", "main", "--actor", "*", "--event-type", "message.*", "--workspace", "other"]
    made = lba("tokens", "create", "gate", *words, "-o", "json").json
    (row,) = lba("tokens", "list", "-o", "json").json["tokens"]

    assert made["via"] == via
    assert made["token"].startswith("lba_")
    assert made["scopes"] == ["ingest"]
    assert made["may_state"] == {"bots": ["main"], "actors": ["*"], "event_types": ["message.*"]}
    assert (row["workspace_id"], row["expires_at"]) == ("other", None)
    assert "token" not in row


def test_names(lba: Run, project: Path, via: str) -> None:
    """A name is there once; that of the host's own commands is nobody's; what is no name is refused."""
    lba("tokens", "create", "shop")
    twice = lba("tokens", "create", "shop")
    ours = lba("tokens", "create", "local")
    wrong = lba("tokens", "create", "no spaces please")

    assert (twice.code, twice.out) == (1, "")
    assert "there is a token 'shop' already" in twice.err
    assert (ours.code, wrong.code) == (1, 2)
    assert "name: " in wrong.err
    assert "Traceback" not in wrong.err


def test_revoke(lba: Run, project: Path, via: str) -> None:
    """A token that was ended is gone; its name is free again."""
    lba("tokens", "create", "shop")
    done = lba("tokens", "revoke", "shop")

    assert (done.code, done.out) == (0, "√ token 'shop' has ended\n")
    assert lba("tokens", "list", "-o", "json").json["tokens"] == []
    assert lba("tokens", "create", "shop").code == 0


@pytest.mark.parametrize("span", ["soon", "0s", "-1d", "1e9", "nan"])
def test_wrong_span(lba: Run, project: Path, span: str) -> None:
    """What is no span of time is wrong usage."""
    done = lba("tokens", "create", "shop", "--expires", span)

    assert (done.code, done.out) == (2, "")
    assert f"--expires: '{span}' is no span of time" in done.err


def test_it_opens_the_host(lba: Run, project: Path) -> None:
    """One made before the host starts, and one made through it, both open it; an ended one does not."""
    before = lba("tokens", "create", "before", "--scope", "ingest").out.strip()
    running = Server("-o", "json")
    try:
        running.until("}\n")
        through = lba("tokens", "create", "through", "--scope", "ingest").out.strip()
        url = _url(project)
        answers = [_post(url, token) for token in (before, through)]
        lba("tokens", "revoke", "through")
        ended = _post(url, through)
    finally:
        running.stop()

    assert answers == [202, 202]
    assert ended == 401


def _url(project: Path) -> str:
    import json

    found: dict[str, Any] = json.loads((project / "data" / "host.json").read_text())
    return str(found["url"])


def _post(url: str, token: str) -> int:
    event = {"event_type": "api.invoked", "input": {"data": {}}}
    answer = httpx2.post(f"{url}/v1/events", json=event, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code
