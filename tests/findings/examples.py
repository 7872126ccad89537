"""A small project around an example, and what is found in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langbot_agents.framework.documents import CODES, Finding, by_place
from langbot_agents.framework.errors import SettingsError
from langbot_agents.framework.project import load_project
from langbot_agents.framework.testing.cases import read_cases
from langbot_agents.sdk import AgentRunner, AgentRunnerManifest, AgentRunnerPermissions, hookimpl

HERE = Path(__file__).parent
ROOTS = frozenset({"LBA124"})
"""Codes whose examples are root documents."""
TESTS = frozenset(code for code in CODES if code.startswith("LBA32"))
"""Codes whose examples are test files."""
LINKS = frozenset({"LBA102"})
"""Codes whose examples hold the name of the file that they are a link to."""
REPEATED = frozenset({"LBA313"})
"""Codes whose examples are repeated, with a number each."""
COUNT = 501

ROOT = """\
apiVersion: langbot-agents/v1
kind: Host
models: [{name: main, model: main-1}, {name: spare, model: spare-1}]
tools: [{name: search, type: search}]
knowledge_bases: [{name: handbook, type: folder}]
platforms: [{name: telegram-support, type: telegram}]
"""
STANDARD = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: standard
event_types: [message.received]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: watcher
mode: observe
event_types: [message.received]
runner_id: echo
"""
"""Bindings beside the root documents and the tests."""


class Open(AgentRunner):
    """A runner that takes any settings and asks for everything that has a name."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/open/default",
        permissions=AgentRunnerPermissions(
            models=("invoke",), tools=("call",), knowledge_bases=("retrieve",), files=("config",)
        ),
    )


class Broken(AgentRunner):
    """A runner whose schema leads nowhere."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/broken/default",
        config_schema={"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
    )


class Nameless(AgentRunner):
    """A runner whose schema leads to a name that is not in it."""

    manifest = AgentRunnerManifest(
        id="plugin:acme/nameless/default",
        config_schema={"type": "object", "properties": {"a": {"$ref": "#missing"}}},
    )


class Acme:
    """A package with these runners."""

    @hookimpl
    def register_runners(self, register: Any) -> None:
        """Give all of them."""
        for runner, alias in ((Open, "open"), (Broken, "broken"), (Nameless, "nameless")):
            register(runner, aliases=(alias,))


@dataclass(frozen=True, kw_only=True)
class Example:
    """One file of one code; `expected` is the file with the text that is shown, if it is a bad one."""

    code: str
    name: str

    @property
    def path(self) -> Path:
        """The file."""
        return HERE / self.code / f"{self.name}.yaml"

    @property
    def expected(self) -> Path:
        """The text that a person reads."""
        return HERE / self.code / f"expected{self.name.removeprefix('bad')}.txt"

    def found(self, folder: Path) -> tuple[Finding, ...]:
        """What is found in the file, as part of a project in this folder, which is where one stands."""
        (folder / "bindings").mkdir()
        root, file = folder / "langbot-agents.yaml", folder / "bindings" / f"{self.name}.yaml"
        root.write_text(ROOT)
        if self.code in ROOTS | TESTS:
            (folder / "bindings" / "standard.yaml").write_text(STANDARD)
        if self.code in ROOTS:
            file = root
        elif self.code in TESTS:
            file = file.with_suffix(".test.yaml")
        content = self.path.read_bytes()
        if self.code in LINKS and self.name != "good":
            file.symlink_to(content.decode().strip())
        elif self.code in REPEATED:
            text = content.decode()
            file.write_text("---\n".join(text.replace("{number}", str(n)) for n in range(COUNT)))
        else:
            file.write_bytes(content)
        try:
            project = load_project(root, environ={"ACME_KEY": "canary"}, plugins={"acme": Acme()})
        except SettingsError as error:
            return by_place(error.details)
        if self.code not in TESTS:
            return project.findings
        return by_place([*project.findings, *read_cases(file, folder, project.bindings).findings])

    def said(self, folder: Path) -> str:
        """What a person reads."""
        return "".join(finding.render() + "\n" for finding in self.found(folder))


EXAMPLES = [Example(code=code, name=name) for code in CODES for name in ("good", "bad1", "bad2")]
