"""`lba validate --sarif FILE`: findings where code hosts and editors look for them."""

import json
from pathlib import Path

from .conftest import Run

BAD = (
    "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: bad\nrunner_id: echo\n"
    "event_types: [message.received]\nfilters:\n  - actr.id != '退款'\n"
)


def test_findings_at_their_places(lba: Run, project: Path) -> None:
    """Each finding is a result with its rule, its level, its place in characters and what to do."""
    (project / "bindings" / "all.yaml").write_text(BAD)
    done = lba("validate", "--sarif", "out.sarif", "-o", "json")
    log = json.loads((project / "out.sarif").read_text("utf-8"))
    (run,) = log["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]

    assert done.code == 1
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert (result["ruleId"], result["level"]) == ("LBA201", "error")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "LBA201"
    assert "did you mean 'actor.actor_id'?" in result["message"]["text"]
    assert place["artifactLocation"] == {"uri": "bindings/all.yaml", "uriBaseId": "ROOT"}
    assert place["region"] == {"startLine": 7, "startColumn": 5, "endColumn": 12}
    assert (project / place["artifactLocation"]["uri"]).is_file()


def test_nothing_found(lba: Run, project: Path) -> None:
    """Without findings there is an empty run, so that old ones go away; a bad path is told."""
    (project / "bindings" / "all.yaml").write_text(BAD.replace("actr.id", "actor.actor_id"))
    done = lba("validate", "--sarif", "out.sarif")

    assert done.code == 0
    assert json.loads((project / "out.sarif").read_text("utf-8"))["runs"][0]["results"] == []
    assert lba("validate", "--sarif", "no/such/folder.sarif").code == 2
