"""Files and folders of documents."""

from pathlib import Path

import pytest

from langbot_agents.framework.documents import load_bindings, load_file, load_text
from langbot_agents.schemas.bindings import AgentBinding

HEAD = "apiVersion: langbot-agents/v1\nkind: AgentBinding\n"
HOST = "apiVersion: langbot-agents/v1\nkind: Host\n"


def binding(name: str, more: str = "") -> str:
    """A binding's text."""
    return f"{HEAD}binding_id: {name}\nevent_types: [message.received]\nrunner_id: echo\n{more}"


def test_a_document_knows_its_origin() -> None:
    """A document has its file, line, kind, id and digest."""
    (first, second) = load_text(binding("a") + "---\n" + binding("b"), "bindings/x.yaml").documents

    assert (first.kind, first.binding_id, first.file, first.line) == (
        "AgentBinding",
        "a",
        "bindings/x.yaml",
        1,
    )
    assert (second.binding_id, second.line) == ("b", 7)
    assert isinstance(second.binding, AgentBinding)
    assert str(first.digest).startswith("sha256:")


def test_the_digest_is_of_the_meaning() -> None:
    """Comments, order, quotes and spellings of a duration do not change a digest; a value does."""
    (one,) = load_text(binding("a", "limits: {timeout: 2m}\nlabels: {x: '1', y: b}\n"), "a").documents
    (same,) = load_text(
        '# c\nlabels: {y: b, x: "1"}\n' + binding("a", "limits: {timeout: 120}\n"), "b"
    ).documents
    (other,) = load_text(binding("a", "limits: {timeout: 121}\nlabels: {x: '1', y: b}\n"), "c").documents

    assert one.digest == same.digest
    assert one.digest != other.digest


def test_the_digest_of_the_root_document_sees_secrets() -> None:
    """A changed reference is a changed document, though the model hides it."""
    host = HOST + "models: [{{name: a, model: m, api_key: '${{env:{}}}'}}]\n"
    (one,) = load_text(host.format("A"), "h").documents
    (other,) = load_text(host.format("B"), "h").documents

    assert one.findings == other.findings == ()
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (binding("refund", "priority: x\n"), "refund"),
        (binding("0123"), "0123"),
        (binding("refund", "scope: [\n"), "refund"),
        (binding("refund", 'description: "open\n'), "refund"),
        (binding("refund").replace("AgentBinding", "AgentBindin"), "refund"),
        (HEAD + "binding_id: [a]\n", None),
        (HEAD, None),
        ("[a]", None),
    ],
)
def test_a_broken_document_keeps_its_name(text: str, expected: str | None) -> None:
    """A document that fails is listed by its id as far as it can be read."""
    (document,) = load_text(text, "a.yaml").documents

    assert document.model is None
    assert document.findings
    assert expected == document.binding_id


def test_findings_are_one_list() -> None:
    """The findings of a file are those of its documents, by place."""
    loaded = load_text(binding("a", "zzz: 1\n") + "---\n@\n---\n" + binding("b", "yyy: 1\n"), "a.yaml")

    assert [finding.line for finding in loaded.findings] == [6, 8, 15]


def test_files(tmp_path: Path) -> None:
    """What cannot be read is a finding: a file that is missing, a folder, a file that may not be read."""
    (tmp_path / "dir.yaml").mkdir()

    assert [f.message for f in load_file(tmp_path / "no.yaml").findings] == ["there is no such file"]
    assert [f.message for f in load_file(tmp_path / "dir.yaml").findings] == ["this is not a file"]
    assert [f.code for f in load_file(tmp_path / "a\0b.yaml").findings] == ["LBA102"]


def write(root: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def test_bindings_of_a_project(tmp_path: Path) -> None:
    """Bindings come by file, then by line; tests, other files and hidden folders are left out."""
    write(
        tmp_path,
        {
            "bindings/b.yaml": binding("b1") + "---\n" + binding("b2"),
            "bindings/a/c.yml": binding("c"),
            "bindings/a/c.test.yaml": binding("t"),
            "bindings/a/c.test.yml": binding("t"),
            "bindings/notes.md": "no",
            "bindings/.hidden/d.yaml": binding("d"),
        },
    )
    loaded = load_bindings(tmp_path, ["bindings/**/*.yaml", "bindings/b.yaml"])

    assert [file.file for file in loaded.files] == ["bindings/a/c.yml", "bindings/b.yaml"]
    assert [document.binding_id for document in loaded.bindings] == ["c", "b1", "b2"]
    assert (loaded.findings, loaded.no_match, loaded.quarantined) == ((), (), ())


def test_one_bad_document_stays_alone(tmp_path: Path) -> None:
    """A document that fails stays out alone, the others are loaded."""
    write(
        tmp_path,
        {
            "a.yaml": binding("a1") + "---\n" + binding("a2", "zzz: 1\n") + "---\n[\n---\n" + binding("a3"),
            "b.yaml": "\0",
            "c.yaml": binding("c"),
        },
    )
    loaded = load_bindings(tmp_path, ["*.yaml"])

    assert [document.binding_id for document in loaded.bindings] == ["a1", "a3", "c"]
    assert [document.binding_id for document in loaded.quarantined] == ["a2", None]
    assert [finding.code for finding in loaded.findings] == ["LBA140", "LBA101", "LBA103"]


def test_other_kinds_among_the_bindings(tmp_path: Path) -> None:
    """A root document or a test inside a file of bindings is a finding, and is not taken as anything."""
    host = HOST
    test = "apiVersion: langbot-agents/v1\nkind: BindingTest\ncases: []\n"
    write(tmp_path, {"a.yaml": binding("a") + "---\n" + host + "---\n" + test})
    loaded = load_bindings(tmp_path, ["a.yaml"])

    assert [(f.code, f.line) for f in loaded.findings] == [("LBA123", 8), ("LBA123", 11), ("LBA147", 12)]
    assert [document.model is not None for document in loaded.documents] == [True, False, False]
    assert loaded.quarantined == ()


def test_globs_that_match_nothing(tmp_path: Path) -> None:
    """A glob without files is reported, where it is written if the root document is at hand."""
    write(tmp_path, {"a.yaml": binding("a"), "x/readme.md": "", "b/c.yaml": binding("c")})
    text = HOST + "bindings:\n  - '*.yaml'\n  - x/*\n  - b\n  - \"no\\u0001\"\n"
    (host,) = load_text(text, "langbot-agents.yaml").documents
    globs = host.source.data["bindings"]
    loaded = load_bindings(tmp_path, globs, host=host.source)

    assert loaded.no_match == ("x/*", "no\x01")
    assert [(f.file, f.line, f.column, f.severity) for f in loaded.findings] == [
        ("langbot-agents.yaml", 5, 5, "warning"),
        ("langbot-agents.yaml", 7, 5, "warning"),
    ]
    assert [document.binding_id for document in loaded.bindings] == ["a", "c"]
    assert load_bindings(tmp_path, ["gone/*"]).no_match == ("gone/*",)


def test_absolute_globs(tmp_path: Path) -> None:
    """A glob may be absolute."""
    write(tmp_path, {"a.yaml": binding("a")})
    loaded = load_bindings(tmp_path / "elsewhere", [str(tmp_path / "*.yaml")])

    assert [document.binding_id for document in loaded.bindings] == ["a"]
