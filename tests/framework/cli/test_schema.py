"""`lba schema`."""

import json
from pathlib import Path

from .conftest import Run

SCHEMAS = Path(__file__).parents[3] / "schemas" / "json"


def test_names(lba: Run) -> None:
    """Without a name it lists what there is, with no need of a project."""
    done = lba("schema")

    assert done.code == 0
    assert {"AgentBinding", "AgentEventEnvelope", "Host"} <= set(done.out.split())
    assert lba("schema", "-o", "json").json["names"] == done.out.split()


def test_schema(lba: Run) -> None:
    """With one it prints the schema as it is, the one that is checked in."""
    done = lba("schema", "AgentBinding")

    assert json.loads(done.out) == json.loads((SCHEMAS / "AgentBinding.json").read_text())
    assert done.out == lba("schema", "AgentBinding", "-o", "json").out


def test_unknown(lba: Run) -> None:
    """An unknown name is wrong usage, with the nearest one."""
    done = lba("schema", "agentbindng")

    assert (done.code, done.out) == (2, "")
    assert "did you mean 'AgentBinding'?" in done.err
