"""Laws: no input raises, reading is a function of the text, and a caret points into its line."""

import json
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from langbot_agents.framework.documents import LoadedFile, load_text, parse, read_source
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.host import Host

YAML_BITS = st.lists(
    st.sampled_from(
        [
            "a",
            "1",
            ".inf",
            "null",
            "on",
            ": ",
            ":\n",
            "- ",
            "\n",
            "\n  ",
            "\n    ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "? ",
            "|",
            ">",
            "'",
            '"',
            "\\",
            "&a ",
            "*a",
            "!t ",
            "!!str ",
            "<<",
            "#",
            " ",
            "\t",
            "---\n",
            "\n---\n",
            "...\n",
            "%YAML 1.2\n",
            "kind: AgentBinding\n",
            "apiVersion: langbot-agents/v1\n",
            "binding_id: x\n",
            "${env:",
            "退",
            "\x85",
            "\u2028",
            "@",
        ]
    ),
    max_size=40,
).map("".join)
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\u2028\u2029\ufeff"), max_size=20
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
KEYS = sorted(
    {
        *AgentBinding.model_fields,
        *Host.model_fields,
        "expr",
        "name",
        "targets",
        "bot_id",
        "surface",
        "from",
        "hours",
    }
)
SHAPED = st.recursive(
    st.sampled_from([None, True, 5, 1.5, "x", "", "reply", "22:00-07:00", "${env:A}", "*", "2m"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


def check(loaded: LoadedFile) -> None:
    """What holds for whatever was loaded."""
    for finding in loaded.findings:
        assert finding.line >= 1
        assert finding.column >= 1
        assert finding.message
        assert finding.render().endswith(f"[{finding.code}]")
        finding.as_dict()
    for document in loaded.documents:
        assert (document.model is None) == bool(document.findings)


@given(st.binary(max_size=200))
def test_bytes_never_raise(data: bytes) -> None:
    """No bytes make the loader raise."""
    check(load_text(data, "a.yaml"))


@given(st.text(max_size=200))
def test_text_never_raises(text: str) -> None:
    """No text makes the loader raise."""
    check(load_text(text, "a.yaml"))


@settings(max_examples=500)
@given(YAML_BITS)
@example("a: &a\n  *a")
@example("\n---\n]")
@example("\n  &a ")
@example("? a\x85\n")
@example(">-\n\n---\n\\")
@example("%YAML 1.2\n%YAML 1.2\n---\n")
def test_near_yaml_never_raises(text: str) -> None:
    """Nothing that is nearly YAML makes the loader raise, and the places are found again."""
    loaded = load_text(text, "a.yaml")
    check(loaded)
    for document in loaded.documents:
        before = [document.source.mark(path) for path in (("a", 0, "a"), ("a",), ())]
        document.source.forget_places()
        assert before == [document.source.mark(path) for path in (("a", 0, "a"), ("a",), ())]


@settings(max_examples=300)
@given(st.sampled_from((AgentBinding, Host)), st.dictionaries(st.sampled_from(KEYS), SHAPED, max_size=8))
def test_any_shape_is_parsed_or_explained(
    model: type[AgentBinding] | type[Host], data: dict[str, Any]
) -> None:
    """Whatever stands under the known keys gives a model or findings, never both and never neither."""
    data = {**data, "apiVersion": "langbot-agents/v1", "kind": model.__name__}
    text = json.dumps(data)
    (document,) = read_source(text, "a.yaml").documents
    found, findings = parse(document, model)

    assert (found is None) == bool(findings)
    assert len({(finding.path, finding.message) for finding in findings}) == len(findings)
    check(load_text(text, "a.yaml"))


@settings(max_examples=300)
@given(st.dictionaries(TEXT, JSON, min_size=1, max_size=5))
def test_what_is_dumped_is_read(data: dict[str, Any]) -> None:
    """JSON is YAML: it is read as it is."""
    (document,) = read_source(json.dumps(data, ensure_ascii=False), "a.yaml").documents

    assert document.findings == ()
    assert data == document.data


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.text("abcdefgh", min_size=1), st.text("abc: #-'\"\n[]{}退", max_size=30), min_size=1, max_size=4
    )
)
def test_what_yaml_writes_is_read(data: dict[str, str]) -> None:
    """Text that PyYAML writes is read as the same text, in each of its styles."""
    for style in (None, "'", '"', "|", ">"):
        text = yaml.safe_dump(data, default_style=style, allow_unicode=True)
        (document,) = read_source(text, "a.yaml").documents

        assert document.findings == ()
        assert data == document.data
