"""A project on disk: read as the server reads it, with every finding and nothing taken down."""

from pathlib import Path

import pytest

from langbot_agents.framework.errors import SettingsError
from langbot_agents.framework.project import load_project

ROOT = "apiVersion: langbot-agents/v1\nkind: Host\n"
BINDING = (
    "apiVersion: langbot-agents/v1\nkind: AgentBinding\nevent_types: [message.received]\nrunner_id: echo\n"
)
TREE = Path(__file__).parent.parent.parent


def write(folder: Path, root: str = ROOT, **bindings: str) -> Path:
    """A project of a root document and bindings."""
    (folder / "langbot-agents.yaml").write_text(root)
    (folder / "bindings").mkdir(exist_ok=True)
    for name, text in bindings.items():
        (folder / "bindings" / f"{name}.yaml").write_text(f"{BINDING}binding_id: {name}\n{text}")
    return folder


def test_what_ships() -> None:
    """The project that ships loads without a finding, and has at least five bindings."""
    project = load_project(TREE)

    assert [finding.render() for finding in project.findings] == []
    assert len(project.bindings.live) >= 5


def test_a_folder_or_a_file(tmp_path: Path) -> None:
    """A project is named by its folder or by its root document."""
    write(tmp_path, a="")

    assert load_project(tmp_path).root == load_project(tmp_path / "langbot-agents.yaml").root == tmp_path


def test_no_root_document(tmp_path: Path) -> None:
    """Without a root document the error names the place and how to make one."""
    with pytest.raises(SettingsError) as caught:
        load_project(tmp_path)

    assert caught.value.message == f"{tmp_path / 'langbot-agents.yaml'}: there is no such root document"
    assert "lba init" in (caught.value.remedy or "")


@pytest.mark.parametrize("root", ["", ROOT + "---\n" + ROOT, ROOT + "serer: {}\n", BINDING])
def test_root_document_that_cannot_be_used(tmp_path: Path, root: str) -> None:
    """A root document that is broken, missing or twice there is an error of the settings."""
    with pytest.raises(SettingsError):
        load_project(write(tmp_path, root))


def test_missing_secrets_take_nothing_down(tmp_path: Path) -> None:
    """All missing secrets are listed at once, each where it is needed; every binding stays live."""
    config = "runner_config: {prefix: '${env:ACME_%s}'}\nscope: {bot_id: bot-%d}\n"
    models = "models: [{name: m, model: x, api_key: '${env:ACME_KEY}'}]\n"
    write(tmp_path, ROOT + models, a=config % ("A", 1), b=config % ("B", 2), c="")
    project = load_project(tmp_path, environ={"ACME_B": "there"})

    assert [(item.code, item.severity) for item in project.findings] == [("LBA162", "warning")] * 2
    assert {item.message.split(":")[0] for item in project.findings} == {
        "binding 'a' needs ${env",
        "the root document needs ${env",
    }
    assert [(item.line, item.column, item.path) for item in project.findings] == [
        (3, 39, "models[0].api_key"),
        (6, 25, "runner_config.prefix"),
    ]
    assert len(project.bindings.live) == 3
    assert project.errors == ()


@pytest.mark.parametrize(
    ("scope", "root", "allowed"),
    [
        ("", "", True),
        ("scope: {workspace_id: default}\n", "", True),
        ("scope: {workspace_id: acme}\n", "", True),
        ("scope: {workspace_id: '*'}\n", "", False),
        ("scope: {workspace_id: [default, acme]}\n", "", False),
        ("", "platforms: [{name: p, type: x, workspace_id: acme}]\n", False),
        ("scope: {workspace_id: '*'}\n", "secrets: {env: ['ACME_*']}\n", True),
        ("", "secrets: {env: ['OTHER_*']}\n", False),
    ],
)
def test_environment_names_by_workspaces(tmp_path: Path, scope: str, root: str, allowed: bool) -> None:
    """Without `secrets.env` any name may be read in one workspace, and none where there are more."""
    write(tmp_path, ROOT + root, a=scope + "runner_config: {prefix: '${env:ACME_A}'}\n")
    project = load_project(tmp_path, environ={"ACME_A": "there"})

    assert (
        "`secrets.env` does not allow it" not in str([item.message for item in project.findings])
    ) is allowed


def test_a_glob_without_files(tmp_path: Path) -> None:
    """A glob that matches nothing is reported where it is written in the root document."""
    write(tmp_path, ROOT + "bindings:\n- bindings/*.yaml\n- more/*.yaml\n", a="")
    (finding,) = load_project(tmp_path).findings

    assert (finding.line, finding.path) == (5, "bindings[1]")


def test_environment_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable overrides the root document, the globs of bindings too."""
    write(tmp_path, ROOT + "bindings: [none/*.yaml]\n", a="")
    monkeypatch.setenv("LANGBOT_AGENTS__BINDINGS", '["bindings/*.yaml"]')
    project = load_project(tmp_path)

    assert [entry.binding_id for entry in project.bindings.live] == ["a"]
    assert project.findings == ()
