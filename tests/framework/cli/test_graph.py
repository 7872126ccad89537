"""`lba bindings graph`: a tree, Graphviz, and JSON; weighed by the log."""

import re
from pathlib import Path

from .conftest import Run


def test_tree(lba: Run, project: Path) -> None:
    """Under each event type the bindings that take it, best first, with what the one above has better."""
    done = lba("bindings", "graph")
    lanes = {block.split("\n")[0]: block for block in re.split(r"\n(?=\S)", done.out)}

    assert done.code == 0
    assert "no such store" in done.err
    assert [
        line.split()[1] for line in lanes["message.received"].split("\n")[1:] if "broken" not in line
    ] == [
        "at-night",
        "refunds",
        "other-bot",
        "everybody",
        "notes",
    ]
    assert "below: priority 10 over 0" in lanes["message.received"]
    assert "  +   notes " in lanes["message.received"]
    assert "its scope.bot_id names one value, the other's anything" in lanes["message.received"]
    assert "1.  everybody  → echo → reply" in lanes["message.*"]
    assert "1.  nothing    → discard" in lanes["message.recalled"]
    assert "disabled  switched-off  bindings/all.yaml:" in lanes["Take no part"]


def test_weights(lba: Run, project: Path) -> None:
    """With a log each binding shows how many events it won in the span, and what nobody took is counted."""
    for words in (["--text", "hi"], ["--text", "退款"], ["group.member_joined"], ["friend.removed"]):
        assert lba("send", *words).code == 0
    data = lba("bindings", "graph", "-o", "json").json
    won = {item["binding_id"]: item["won"] for item in data["bindings"]}
    received = next(item for item in data["event_types"] if item["event_type"] == "message.received")

    assert (data["schema"], data["events"], data["unmatched"]) == ("langbot-agents/bindings-graph/v1", 4, 1)
    assert (won["joined"], won["notes"], won["nothing"], won["switched-off"]) == (1, 2, 0, 0)
    assert won["everybody"] + won["refunds"] + won["at-night"] == 2
    assert sum(item["won"] or 0 for item in received["bindings"]) == 2
    assert "4 events since " in lba("bindings", "graph").out
    assert lba("bindings", "graph", "--since", "1ms", "-o", "json").json["events"] == 0


def test_dot(lba: Run, project: Path) -> None:
    """Graphviz' language: every edge joins nodes that are declared, and texts are quoted."""
    (project / "bindings" / "odd.yaml").write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: odd\nevent_types: [a.b]\n"
        "scope: {conversation_id: 'a\"b\\c'}\nrunner_id: echo\n"
        "delivery_policy:\n  targets: [reply, {surface: ops, target: {target_type: group, target_id: '5'}}]\n"
    )
    done = lba("bindings", "graph", "-o", "dot")
    quoted = r'"(?:[^"\\]|\\.)*"'
    nodes = set(re.findall(rf"^  ({quoted}) \[", done.out, re.MULTILINE))
    edges = re.findall(rf"^  ({quoted}) -> ({quoted})", done.out, re.MULTILINE)

    assert done.code == 0
    assert done.out.startswith("digraph bindings {\n")
    assert done.out.endswith("}\n")
    assert {'"type:message.*"', '"binding:odd"', '"target:ops:5"', '"target:reply"'} <= nodes
    assert edges
    assert {end for edge in edges for end in edge} <= nodes
    assert r'label="odd\nconversation_id=a\"b\\c"' in done.out
    assert done.out.count("{") == done.out.count("}") == 1
