"""Packages: found by their metadata, imported only when trusted, and each alone with its faults.

The packages of `tests/packages` are installed for real, into a folder that only a process of the test sees.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from langbot_agents.framework.plugins import HOOKS, NOT_CALLED_YET, PluginHost
from langbot_agents.schemas.host import PluginSettings
from langbot_agents.sdk import hookimpl, hooks

PACKAGES = Path(__file__).parent.parent / "packages"
ALL = tuple(sorted(path.name for path in PACKAGES.iterdir() if (path / "pyproject.toml").is_file()))

HOST = """
import json, sys
import anyio
from langbot_agents.framework.plugins import PluginHost
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.schemas.host import PluginSettings

host = PluginHost(PluginSettings.model_validate_json(sys.argv[1]))
host.discover()
registry = AgentRunnerRegistry()
registry.discover(host)
first = registry.descriptors()
answers = anyio.run(lambda: host.acall("host_started", host="the host"))
print(json.dumps({
    "packages": {info.distribution: [info.state, info.reason] for info in host.infos},
    "at_start": [[item.id, item.plugin.distribution, item.state, item.reason] for item in first],
    "runners": [
        [item.id, item.plugin.distribution, item.state, item.reason] for item in registry.descriptors()
    ],
    "aliases": {item.id: item.aliases for item in first if item.aliases},
    "answers": {answer.plugin: answer.value for answer in answers},
}))
"""


def install(names: Iterable[str], target: Path) -> None:
    """Install packages as an installer does: their module, and a `dist-info` made of their pyproject.toml."""
    for name in names:
        project = tomllib.loads((PACKAGES / name / "pyproject.toml").read_text())["project"]
        info = target / f"{name.replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n"
        )
        entries = project["entry-points"]["langbot_agents"]
        lines = ["[langbot_agents]", *(f"{key} = {value}" for key, value in entries.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))
        for module in (PACKAGES / name).glob("*.py"):
            shutil.copy(module, target)


def start(
    target: Path, *, in_process: Iterable[str] = (), deadline: float = 1.0, **environ: str
) -> dict[str, Any]:
    """Start a host in a process that sees the folder; gives what it says of its packages."""
    settings = PluginSettings(in_process=tuple(in_process), hook_deadline=deadline)
    path = os.pathsep.join([str(target), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", HOST, settings.model_dump_json()],
        env={**os.environ, "PYTHONPATH": path, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


OUT = {
    "acme-endless": "import failed: took longer than 1 s",
    "acme-exit": "import failed: SystemExit: 3",
    "acme-hangs": "hook host_started: took longer than 1 s",
    "acme-hangs-async": "hook host_started: took longer than 1 s",
    "acme-hook-name": "ValueError: there is no hook 'register_runner' (did you mean 'register_runners'?)",
    "acme-import-error": ("import failed: ModuleNotFoundError: No module named 'no_such_module_of_acme'"),
    "acme-missing-object": (
        "import failed: AttributeError: module 'acme_missing_object' has no attribute 'plugin'"
    ),
    "acme-no-hooks": "it has no hook: put `@hookimpl` above its functions",
    "acme-raises": "hook host_started: SystemExit: not with the host",
    "acme-raises-early": "hook register_runners: RuntimeError: the shop is closed",
    "acme-wrapper": "ValueError: hook 'run_started' is a wrapper; each hook is called alone",
}
READY = (
    "acme-early",
    "acme-good",
    "acme-manifest",
    "acme-marker",
    "acme-protocol",
    "acme-schema",
    "acme-shout",
    "acme-thief",
    "qa-agent-runner",
)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A host with every package of the tests at once, the worst ones too."""
    target = tmp_path_factory.mktemp("site")
    install(ALL, target)
    return start(target, in_process=ALL, ACME_MARKER=str(target / "marker"))


def test_every_bad_package_is_alone_with_its_reason(everything: dict[str, Any]) -> None:
    """Each package that fails is quarantined with one line that says why; the others are ready."""
    packages = everything["packages"]
    unusual = packages.pop("acme-hook-argument")

    assert {name: reason for name, (state, reason) in packages.items() if state == "quarantined"} == OUT
    assert unusual[0] == "quarantined"
    assert "Argument(s) {'host'} are declared in the hookimpl but can not be found" in unusual[1]
    assert "\n" not in unusual[1]
    assert {name for name, (state, _) in packages.items() if state == "ready"} == {
        "langbot-agents",
        "acme-three",
        *READY,
    }


def test_every_good_runner_is_ready(everything: dict[str, Any]) -> None:
    """Beside the bad packages the runners that ship and those of the good packages can be used."""
    ready = {(name, package) for name, package, state, _ in everything["runners"] if state == "ready"}

    assert ready >= {
        ("plugin:langbot-agents/echo/default", "langbot-agents"),
        ("plugin:langbot-agents/discard/default", "langbot-agents"),
        ("plugin:acme/good/default", "acme-good"),
        ("plugin:acme/three/first", "acme-three"),
        ("plugin:acme/three/second", "acme-three"),
    }
    assert everything["aliases"]["plugin:acme/good/default"] == ["good"]
    assert everything["answers"] == {"acme-good:good": "started the host", "acme-marker:marker": "marked"}


def test_every_bad_runner_has_its_reason(everything: dict[str, Any]) -> None:
    """A runner that cannot be used is listed with one line; its package and its neighbours go on."""
    runners = everything["runners"]
    out = {name: reason for name, _, state, reason in runners if state == "quarantined"}

    assert {name: reason for name, reason in out.items() if not name.startswith("acme-")} == {
        "acme odd": out["acme odd"],
        "plugin:acme/schema/default": (
            "config_schema: $.properties.a.type: 'strnig' is not valid under any of the given schemas"
        ),
        "plugin:acme/schema/elsewhere": (
            "config_schema refers to 'https://example.org/schema.json', outside of itself"
        ),
        "plugin:acme/protocol/default": "protocol version '7' is not spoken here; this host speaks '1'",
        "plugin:acme/three/third": "SystemExit: the third is not made",
        "plugin:acme/raises/default": OUT["acme-raises"],
        "plugin:langbot-agents/echo/default": "the id is held by langbot-agents",
    }
    assert out["acme odd"].startswith("manifest.id: String should match pattern")


def test_the_holder_keeps_its_id(everything: dict[str, Any]) -> None:
    """A runner id belongs to the distribution that first brought it; who claims it is quarantined."""
    claims = [item for item in everything["runners"] if item[0] == "plugin:langbot-agents/echo/default"]

    assert [(package, state) for _, package, state, _ in claims] == [
        ("langbot-agents", "ready"),
        ("acme-thief", "quarantined"),
    ]


def test_a_package_that_fails_later_takes_its_runners_out(everything: dict[str, Any]) -> None:
    """When a hook fails while the host runs, the package's runners are out with its reason."""
    row = ["plugin:acme/raises/default", "acme-raises"]

    assert [*row, "ready", None] in everything["at_start"]
    assert [*row, "quarantined", OUT["acme-raises"]] in everything["runners"]


def test_hooks_of_later_versions_are_named(everything: dict[str, Any]) -> None:
    """A hook that this version does not call yet is said to be so, and one marked optional is no fault."""
    assert everything["packages"]["acme-early"] == ["ready", "not called by this version: register_tools"]


def test_what_is_not_named_is_never_imported(tmp_path: Path) -> None:
    """A package that `plugins.in_process` does not name is listed, and not one line of it runs."""
    install(["acme-marker", "acme-exit"], tmp_path)
    marker = tmp_path / "marker"
    answer = start(tmp_path, ACME_MARKER=str(marker))

    assert not marker.exists()
    assert answer["packages"]["acme-marker"] == [
        "skipped",
        "not imported: add 'acme-marker' to plugins.in_process if you trust its code",
    ]
    assert [row[2] for row in answer["runners"] if row[1] == "acme-marker"] == ["quarantined"]

    named = start(tmp_path, in_process=["Acme.Marker"], ACME_MARKER=str(marker))

    assert marker.exists()
    assert named["packages"]["acme-marker"] == ["ready", None]


@pytest.mark.parametrize(
    ("selection", "imported"),
    [
        ("acme-marker", {"acme-marker"}),
        ("acme_good,acme.marker", {"acme-good", "acme-marker"}),
        ("-acme-marker", {"acme-good"}),
        ("acme-marker, -acme-marker", set()),
        ("other", set()),
    ],
)
def test_selection_by_environment(tmp_path: Path, selection: str, imported: set[str]) -> None:
    """`LANGBOT_AGENTS_PLUGINS` selects packages, or with a minus blocks them; what ships always stays."""
    names = ["acme-good", "acme-marker"]
    install(names, tmp_path)
    marker = str(tmp_path / "marker")
    packages = start(tmp_path, in_process=names, ACME_MARKER=marker, LANGBOT_AGENTS_PLUGINS=selection)[
        "packages"
    ]

    assert packages.pop("langbot-agents")[0] == "ready"
    assert {name for name, (state, _) in packages.items() if state == "ready"} == imported
    assert {reason for state, reason in packages.values() if state == "skipped"} <= {
        "left out by LANGBOT_AGENTS_PLUGINS"
    }


def test_a_package_without_a_name(tmp_path: Path) -> None:
    """A package whose metadata have no name is listed, and hides no other."""
    install(["acme-good"], tmp_path)
    nameless = tmp_path / "acme_nameless-1.dist-info"
    nameless.mkdir()
    (nameless / "entry_points.txt").write_text("[langbot_agents]\na = acme_good\n")
    packages = start(tmp_path, in_process=["acme-good"])["packages"]

    assert packages["acme-good"] == ["ready", None]
    assert packages["unknown"][0] == "skipped"


def test_in_process_that_is_not_installed(tmp_path: Path) -> None:
    """A name in `plugins.in_process` that nobody has installed is reported, with the nearest that is."""
    install(["acme-good"], tmp_path)
    packages = start(tmp_path, in_process=["acme-god"])["packages"]

    assert packages["acme-god"] == [
        "quarantined",
        "plugins.in_process names it, but it is not installed (did you mean 'acme-good'?)",
    ]
    assert packages["acme-good"][0] == "skipped"


def test_a_host_ends_while_a_hook_hangs(tmp_path: Path) -> None:
    """A hook that never comes back does not keep the host from ending."""
    install(["acme-hangs", "acme-endless"], tmp_path)

    assert start(tmp_path, in_process=["acme-hangs", "acme-endless"], deadline=0.3)["packages"][
        "acme-hangs"
    ] == [
        "quarantined",
        "hook host_started: took longer than 0.3 s",
    ]


@pytest.mark.slow
def test_a_package_installed_by_pip(tmp_path: Path) -> None:
    """A package that pip has built and installed takes part like what ships."""
    source = tmp_path / "source"
    shutil.copytree(PACKAGES / "acme-good", source)
    target = tmp_path / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--no-build-isolation", "--no-index", "--target", str(target), str(source)),
        ],
        check=True,
        capture_output=True,
    )
    answer = start(target, in_process=["acme-good"])

    assert answer["packages"]["acme-good"] == ["ready", None]
    assert ["plugin:acme/good/default", "acme-good", "ready", None] in answer["runners"]


# in this process


class Plugin:
    """A plugin object."""

    def __init__(self, **functions: Any) -> None:
        for name, function in functions.items():
            setattr(self, name, hookimpl(function))


def host_with(**plugins: Plugin) -> PluginHost:
    """A host with these plugins, and nothing that is installed."""
    host = PluginHost(PluginSettings(hook_deadline=0.3))
    for name, plugin in plugins.items():
        host.add(name, plugin)
    return host


@pytest.fixture
def anyio_backend() -> str:
    """Asyncio, which the host runs on."""
    return "asyncio"


async def test_each_implementation_is_called_alone() -> None:
    """One implementation that fails does not stop the next; the answers come in a stable order."""

    def good(run: Any) -> str:
        return "good"

    def bad(run: Any) -> None:
        raise KeyError("bad")

    def no_time(run: Any) -> None:
        raise TimeoutError("the service was slow")

    async def later(outcome: str) -> str:
        return outcome

    host = host_with(
        c=Plugin(run_finished=good),
        b=Plugin(run_finished=bad),
        t=Plugin(run_finished=no_time),
        a=Plugin(run_finished=later),
    )
    answers = await host.acall("run_finished", run=None, outcome="completed")

    assert [(answer.plugin, answer.value) for answer in answers] == [("a", "completed"), ("c", "good")]
    assert {info.name: info.reason for info in host.infos if info.state == "quarantined"} == {
        "b": "hook run_finished: KeyError: 'bad'",
        "t": "hook run_finished: TimeoutError: the service was slow",
    }
    assert [answer.plugin for answer in await host.acall("run_finished", run=None, outcome="x")] == ["a", "c"]


async def test_a_hook_may_give_an_awaitable() -> None:
    """A plain function that gives something to await is waited for."""

    async def inner() -> str:
        return "awaited"

    host = host_with(a=Plugin(run_started=lambda run: inner()))

    assert [answer.value for answer in await host.acall("run_started", run=None)] == ["awaited"]


async def test_sys_exit_in_a_coroutine() -> None:
    """A hook that ends the process on the loop ends nothing."""

    async def leave(run: Any) -> None:
        sys.exit(1)

    host = host_with(a=Plugin(run_started=leave))

    assert await host.acall("run_started", run=None) == []
    assert host.infos[0].reason == "hook run_started: SystemExit: 1"


def test_has() -> None:
    """Callers on the hot path can ask whether anybody listens."""
    host = host_with(a=Plugin(run_started=lambda run: None))

    assert host.has("run_started")
    assert not host.has("run_finished")
    host.quarantine("a", "for a reason")
    assert not host.has("run_started")


def test_hooks_that_are_not_called_exist() -> None:
    """The hooks that later versions call are hooks of the specification."""
    assert set(HOOKS) == {name for name in vars(hooks) if hasattr(vars(hooks)[name], "langbot_agents_spec")}
    assert set(HOOKS) > NOT_CALLED_YET
