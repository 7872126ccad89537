"""A project to test, and cases for it."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.testing import CaseFile, SuiteResult, read_cases, run_suite

ROOT_DOCUMENT = """\
apiVersion: langbot-agents/v1
kind: Host
timezone: Asia/Shanghai
models:
  - name: main
    model: gpt-4.1-mini
    api_key: ${env:LBA_TEST_NO_SUCH_KEY}
"""
BINDINGS = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: everybody
event_types: [message.*]
runner_id: echo
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: refunds
event_types: [message.received, message.edited]
priority: 10
scope:
  conversation_type: group
filters:
  - name: about money
    expr: contains(input.text || '', 'refund') && actor.actor_type == 'user'
on_failure: next
limits:
  retry: {max_attempts: 3, backoff: 10m}
runner_id: local-agent
runner_config:
  model: main
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: at-night
event_types: [message.received]
priority: 30
active:
  hours: [{hours: "22:00-06:00"}]
runner_id: echo
runner_config:
  prefix: "(asleep) "
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: notes
event_types: [message.received, friend.request_received]
mode: observe
runner_id: local-agent
runner_config:
  model: main
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: recalls
event_types: [message.recalled]
priority: 5
runner_id: discard
---
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: broken
event_types: [message.received]
runner_id: ehco
"""
HEADER = "apiVersion: langbot-agents/v1\nkind: BindingTest\ncases:\n"

Cases = Callable[[str], CaseFile]
Try = Callable[[str], SuiteResult]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The project, with its findings."""
    (tmp_path / "bindings").mkdir()
    (tmp_path / "langbot-agents.yaml").write_text(ROOT_DOCUMENT)
    (tmp_path / "bindings" / "all.yaml").write_text(BINDINGS)
    return load_project(tmp_path)


@pytest.fixture
def cases(project: Project) -> Cases:
    """Reads the cases of a text, as a file beside the bindings."""
    return lambda text: _read(project, text)


@pytest.fixture
def attempt(project: Project) -> Try:
    """Runs the cases of a text, on the bindings as they lie on disk."""

    def run(text: str) -> SuiteResult:
        now = load_project(project.root)
        return run_suite(now, [_read(now, text)])

    return run


def _read(project: Project, text: str) -> CaseFile:
    path = project.root / "bindings" / "all.test.yaml"
    path.write_text(HEADER + textwrap.indent(textwrap.dedent(text), "  "))
    return read_cases(path, project.root, project.bindings)
