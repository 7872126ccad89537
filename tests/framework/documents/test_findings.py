"""How a finding reads."""

import json

import pytest

from langbot_agents.framework.documents import Finding, format_path


def test_render() -> None:
    """A finding shows the place, the cause, a caret and the remedy."""
    finding = Finding(
        code="LBA201",
        file="bindings/refund.yaml",
        line=9,
        column=7,
        path="filters[0]",
        message="unknown field 'actr.id'",
        remedy="message.received has: actor.actor_id, actor.actor_type  (did you mean 'actor.actor_id'?)",
        excerpt="    - actr.id != 'bot-7'",
        width=7,
    )

    expected = """\
bindings/refund.yaml:9:7: filters[0]: unknown field 'actr.id'
      - actr.id != 'bot-7'
        ^^^^^^^
    message.received has: actor.actor_id, actor.actor_type  (did you mean 'actor.actor_id'?)  [LBA201]"""
    assert expected == finding.render()


def test_render_without_line_and_remedy() -> None:
    """What has no line and no remedy still shows its code."""
    assert Finding(code="LBA102", file="a.yaml", message="gone").render() == "a.yaml:1:1: gone\n    [LBA102]"


def test_caret_under_wide_characters() -> None:
    """The caret stands under what it points at, also behind Chinese text and tabs."""
    line = "\t退款: x"
    finding = Finding(code="LBA142", file="a", message="m", excerpt=line, column=6, width=1)

    assert finding.render().splitlines()[2] == "  \t      ^"


def test_caret_far_to_the_right() -> None:
    """A long line is cut around the caret."""
    line = "x" * 500 + "HERE" + "y" * 500
    _, shown, caret, _ = (
        Finding(code="LBA142", file="a", message="m", excerpt=line, column=501, width=4).render().splitlines()
    )

    assert len(shown) < 170
    assert shown[caret.index("^") : caret.index("^") + 4] == "HERE"


def test_as_dict_is_json() -> None:
    """A finding is JSON with the same words."""
    finding = Finding(code="LBA142", file="a", message="m", path="limits", value=5)

    assert {
        key: value
        for key, value in json.loads(json.dumps(finding.as_dict())).items()
        if key in ("code", "path", "value", "line")
    } == {"code": "LBA142", "path": "limits", "value": 5, "line": 1}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("filters", 0, "expr"), "filters[0].expr"),
        (("runner_config", "knowledge-bases", 1), "runner_config.knowledge-bases[1]"),
        (("labels", "a.b"), "labels['a.b']"),
    ],
)
def test_format_path(path: tuple[str | int, ...], expected: str) -> None:
    """A path reads as people write it."""
    assert expected == format_path(path)
