"""The root document, overridden by the environment; a wrong variable is named with its remedy."""

from typing import Any

import pytest

from langbot_agents.framework.errors import SettingsError
from langbot_agents.framework.settings import HostSettings, with_environment

FILE: dict[str, Any] = {
    "apiVersion": "langbot-agents/v1",
    "kind": "Host",
    "server": {"host": "0.0.0.0", "port": 1000},
    "bindings": ["a/*.yaml"],
}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of ours from outside."""
    import os

    for name in os.environ:
        if name.upper().startswith("LANGBOT_AGENTS__"):
            monkeypatch.delenv(name)


def read(monkeypatch: pytest.MonkeyPatch, **environ: str) -> HostSettings:
    """The settings with these variables, written without their prefix."""
    for name, value in environ.items():
        monkeypatch.setenv(f"LANGBOT_AGENTS__{name}", value)
    return with_environment(FILE)


def refused(monkeypatch: pytest.MonkeyPatch, **environ: str) -> SettingsError:
    """The error that these variables give."""
    with pytest.raises(SettingsError) as caught:
        read(monkeypatch, **environ)
    return caught.value


def test_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a variable the file's values count, and defaults for the rest."""
    settings = read(monkeypatch)

    assert (settings.server.host, settings.server.port) == ("0.0.0.0", 1000)
    assert settings.timezone == "UTC"


def test_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """`LANGBOT_AGENTS__SERVER__PORT` overrides `server.port` and nothing beside it."""
    settings = read(monkeypatch, SERVER__PORT="9000", TIMEZONE="Asia/Shanghai", LIMITS__SHUTDOWN_GRACE="2m")

    assert (settings.server.host, settings.server.port) == ("0.0.0.0", 9000)
    assert settings.timezone == "Asia/Shanghai"
    assert settings.limits.shutdown_grace == 120


def test_json_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists and objects are written as JSON."""
    settings = read(
        monkeypatch,
        BINDINGS='["x.yaml", "y.yaml"]',
        PLUGINS__IN_PROCESS='["acme"]',
        MODELS='[{"name": "m", "model": "gpt"}]',
        RETENTION='{"raw": "7d"}',
    )

    assert settings.bindings == ("x.yaml", "y.yaml")
    assert settings.plugins.in_process == ("acme",)
    assert settings.models[0].model == "gpt"
    assert settings.retention.raw == 604800


@pytest.mark.parametrize(
    ("name", "value", "message", "remedy"),
    [
        (
            "SEVER__PORT",
            "1",
            "environment: LANGBOT_AGENTS__SEVER__PORT names no setting",
            "did you mean 'LANGBOT_AGENTS__SERVER__PORT'?",
        ),
        (
            "SERVER__PROT",
            "1",
            "LANGBOT_AGENTS__SERVER__PROT: there is no such setting",
            "did you mean 'LANGBOT_AGENTS__SERVER__PORT'?",
        ),
        ("QQQ", "1", "environment: LANGBOT_AGENTS__QQQ names no setting", None),
        (
            "SERVER__PORT",
            "high",
            "LANGBOT_AGENTS__SERVER__PORT: Input should be a valid integer, "
            "unable to parse string as an integer, got 'high'",
            None,
        ),
        (
            "SERVER__PORT",
            "70000",
            "LANGBOT_AGENTS__SERVER__PORT: Input should be less than or equal to 65535, got '70000'",
            None,
        ),
        (
            "SERVER__PORT__X",
            "1",
            "LANGBOT_AGENTS__SERVER__PORT__X: Input should be a valid integer",
            None,
        ),
        (
            "BINDINGS",
            "a,b",
            "LANGBOT_AGENTS__BINDINGS: it is not JSON",
            'write lists and objects as JSON, for example ["a", "b"]',
        ),
        (
            "PLUGINS__IN_PROCESS",
            "acme",
            "LANGBOT_AGENTS__PLUGINS__IN_PROCESS: it is not JSON",
            'write lists and objects as JSON, for example ["a", "b"]',
        ),
        ("MODELS", '[{"name": "m"}]', "LANGBOT_AGENTS__MODELS: [0].model: Field required", None),
        (
            "MODELS",
            '[{"name": "m", "modle": "x", "model": "y"}]',
            "LANGBOT_AGENTS__MODELS: [0].modle: there is no such setting",
            "did you mean 'model'?",
        ),
        ("TIMEZONE", "Mars/Base", "LANGBOT_AGENTS__TIMEZONE: 'Mars/Base' is not a time zone", None),
    ],
)
def test_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str, remedy: str | None
) -> None:
    """A variable of a wrong name or value is an error that names it, the cause, and the nearest name."""
    error = refused(monkeypatch, **{name: value})

    assert error.message.startswith(message)
    assert error.remedy == remedy


def test_lower_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable in lower case counts too, and is named as it was written."""
    monkeypatch.setenv("langbot_agents__server__port", "nope")
    with pytest.raises(SettingsError, match=r"^langbot_agents__server__port: "):
        with_environment(FILE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODELS", '[{"name": "m", "model": "x", "api_key": ["sk-canary-4711"]}]'),
        ("MODELS", '[{"name": "m", "api_key": "sk-canary-4711"}]'),
        ("MODELS", '[{"name": "m", "model": "x", "api_key": "sk-canary-4711"}, {"name": "m", "model": "y"}]'),
        ("STORAGE__URL", '{"password": "sk-canary-4711"}'),
        ("MODELS", '{"api_key": "sk-canary-4711"}'),
        ("MODELS", "sk-canary-4711"),
    ],
)
def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """What stands in a secret field, or in an object that may hold one, is in no message."""
    try:
        read(monkeypatch, **{name: value})
    except SettingsError as error:
        shown = f"{error} {error.details}"
    else:
        shown = ""

    assert "sk-canary-4711" not in shown


def test_twice_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule over the whole document that a variable breaks names the environment."""
    error = refused(monkeypatch, MODELS='[{"name": "m", "model": "x"}, {"name": "m", "model": "y"}]')

    assert error.message == "environment: models: name 'm' is given twice"
