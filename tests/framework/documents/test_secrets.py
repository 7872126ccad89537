"""Secret references: found, resolved late, listed all at once when missing, never shown."""

import json
from pathlib import Path

import pytest

from langbot_agents.framework.documents import (
    Masker,
    Reference,
    SecretResolver,
    find_malformed,
    find_references,
    is_secret_name,
    load_text,
)
from langbot_agents.framework.documents.masking import mask_line
from langbot_agents.framework.errors import SecretError
from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.host import SecretSettings

CANARY = "sk-canary-7f3a9"
HOST = "apiVersion: langbot-agents/v1\nkind: Host\n"


def env(name: str) -> Reference:
    """A reference to the environment."""
    return Reference(kind="env", name=name)


def file(name: str) -> Reference:
    """A reference to a file."""
    return Reference(kind="file", name=name)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with some secret files."""
    folder = tmp_path / "secrets"
    (folder / "deep").mkdir(parents=True)
    (folder / "key").write_text(CANARY + "\n")
    (folder / "two").write_text("a\nb\n\n")
    (folder / "windows").write_bytes(b"abcd\r\n")
    (folder / "deep" / "key").write_text("deep-key")
    (folder / "empty").write_text("\n")
    (folder / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "outside").write_text("outside")
    (folder / "link-out").symlink_to(tmp_path / "outside")
    (folder / "link-in").symlink_to(folder / "key")
    (folder / "loop").symlink_to(folder / "loop")
    return tmp_path


def resolver(root: Path, settings: SecretSettings | None = None, **environ: str) -> SecretResolver:
    """A resolver of the project."""
    return SecretResolver(root, settings or SecretSettings(), environ)


def test_references_stand_alone() -> None:
    """A reference is a whole value; `$${` writes a literal; text inside keys is no reference."""
    data = {"a": "${env:A}", "b": ["${file:x/y}", "$${env:C}"], "${env:D}": 1, "c": "price: $5 {x}"}

    assert [(("a",), env("A")), (("b", 0), file("x/y"))] == find_references(data)
    assert find_malformed(data) == []


@pytest.mark.parametrize(
    "text",
    [
        "x${env:A}",
        "${env:A} ",
        "${env:A}${env:B}",
        "${A}",
        "${",
        "${env:}",
        "${env:A-B}",
        "${file:}",
        "${file:../x}",
        "${file:a/../../x}",
        "${file:/x}",
        "${file:.}",
        "${file:a\nb}",
        "${ENV:A}",
        "$${x} ${env:A}",
    ],
)
def test_malformed_references(text: str) -> None:
    """What looks like a reference and is none is found, and resolves to nothing."""
    (found,) = find_malformed({"a": [text]})

    assert found[0] == ("a", 0)
    assert find_references(text) == []


def test_resolve(root: Path) -> None:
    """References become values, one line end of a file is left out, literals are unescaped."""
    data = {
        "env": "${env:KEY}",
        "list": ["${file:key}", "${file:two}", "${file:windows}", "${file:deep/key}", "${file:link-in}"],
        "literal": "$${env:KEY}",
        "other": [1, None, True, "plain"],
    }
    expected = {
        "env": "from env",
        "list": [CANARY, "a\nb\n", "abcd", "deep-key", CANARY],
        "literal": "${env:KEY}",
        "other": [1, None, True, "plain"],
    }

    assert expected == resolver(root, KEY="from env").resolve(data)
    assert expected == resolver(root, KEY="from env").resolve(freeze(data))


def test_all_missing_at_once(root: Path) -> None:
    """Missing secrets are listed all at once, each with its reason, none with a value."""
    names = ["key", "gone", "empty", "binary", "link-out", "loop", "deep"]
    data = {
        "files": [f"${{file:{name}}}" for name in names],
        "env": ["${env:GONE}", "${env:EMPTY}", "${env:GONE}"],
    }
    secrets = resolver(root, EMPTY="")

    expected = [
        "${env:EMPTY}: it is empty",
        "${env:GONE}: the environment has no such variable",
        "${file:binary}: it is not UTF-8 text",
        "${file:deep}: it is not a file",
        "${file:empty}: it is empty",
        "${file:gone}: there is no such file in `secrets.directory`",
        "${file:link-out}: it leads out of `secrets.directory`",
        "${file:loop}: it cannot be read",
    ]
    assert expected == [str(m) for m in secrets.missing(reference for _, reference in find_references(data))]
    with pytest.raises(SecretError) as caught:
        secrets.resolve(data)
    assert expected == [str(detail) for detail in caught.value.details]
    assert CANARY not in str(caught.value)


def test_malformed_is_never_resolved(root: Path) -> None:
    """A reference inside longer text does not slip through as text."""
    with pytest.raises(SecretError, match="inside longer text"):
        resolver(root, A="x").resolve({"a": "Bearer ${env:A}"})


def test_names_of_the_environment(root: Path) -> None:
    """Environment names must match `secrets.env`; without it all may be read, with an empty one none."""
    references = [env("LBA_KEY"), env("HOME")]

    def refused(names: tuple[str, ...] | None) -> list[str]:
        secrets = resolver(root, SecretSettings(env=names), LBA_KEY="a", HOME="b")
        return [missing.reference.name for missing in secrets.missing(references)]

    assert refused(None) == []
    assert refused(()) == ["HOME", "LBA_KEY"]
    assert refused(("LBA_*",)) == ["HOME"]


def test_nothing_shows_a_value(root: Path) -> None:
    """No repr, error or finding shows what was resolved, and the masker hides it from then on."""
    secrets = resolver(root, KEY="from-the-environment")
    secrets.resolve(["${file:key}", "${env:KEY}"])

    assert CANARY not in repr(secrets) + repr(secrets.masker) + repr(vars(secrets.masker).keys())
    assert secrets.masker.text(f"Authorization failed for {CANARY}") == "Authorization failed for ***"
    assert secrets.masker.data({"note": "key from-the-environment"}) == {"note": "key ***"}


def test_masking_by_value() -> None:
    """A value is masked wherever it stands: in text, in JSON, in a URL; short values are left alone."""
    secret = 'p"ss/wört\nline two of the secret'
    masker = Masker([secret, "abc", "abcdef", "abcdefgh"])

    assert masker.text("abcdefgh abcdef") == "*** ***"
    assert masker.text("abc") == "abc"
    assert masker.text(json.dumps({"a": secret})) == '{"a": "***"}'
    assert masker.text(json.dumps({"a": secret}, ensure_ascii=False)) == '{"a": "***"}'
    assert (
        masker.text("https://x/?k=p%22ss%2Fw%C3%B6rt%0Aline%20two%20of%20the%20secret") == "https://x/?k=***"
    )
    assert masker.text("only line two of the secret") == "only ***"


def test_masking_by_name() -> None:
    """Fields that hold secrets are masked in nested data; counts, lists of names and references are not."""
    data = {
        "api_key": "k",
        "nested": [{"botToken": "t", "x-api-key": 5, "Authorization": {"scheme": "Bearer", "value": "v"}}],
        "max_tokens": 500,
        "usage": {"prompt_tokens": 5},
        "password": None,
        "secret": "${env:S}",
        "secrets": {"directory": "secrets"},
    }

    assert Masker().data(data) == {
        "api_key": "***",
        "nested": [
            {"botToken": "***", "x-api-key": "***", "Authorization": {"scheme": "***", "value": "***"}}
        ],
        "max_tokens": 500,
        "usage": {"prompt_tokens": 5},
        "password": None,
        "secret": "${env:S}",
        "secrets": {"directory": "secrets"},
    }


@pytest.mark.parametrize(
    "name", ["apikey", "app_secret", "accessToken", "db-password", "private_key", "cookie"]
)
def test_secret_names(name: str) -> None:
    """Names of secrets are known in every spelling."""
    assert is_secret_name(name)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("api_key: sk-1 # note", "api_key: ***"),
        ("  - {token: abc, name: x, password: 'a, b'}", "  - {token: ***, name: x, password: ***}"),
        ('"secret": "x"', '"secret": ***'),
        ("api_key: ${env:KEY}", "api_key: ${env:KEY}"),
        ("max_tokens: 500", "max_tokens: 500"),
    ],
)
def test_lines_are_masked(line: str, expected: str) -> None:
    """The line that a finding shows has no literal secret in it."""
    assert expected == mask_line(line)[0]


@pytest.mark.parametrize(
    "text",
    [
        f"api_key: {CANARY}\nname: [\n",
        f"api_key: {CANARY} @\n",
        HOST + f"models: [{{name: a, model: m, api_key: [{CANARY}]}}]\n",
        HOST + f"models: [{{name: a, model: m, api_key: {CANARY}${{env:X}}}}]\n",
        HOST + f"server: {{api_key: {CANARY}, port: x}}\n",
        HOST + f"models: [{{name: a, model: m, api_key: !x {CANARY}}}]\n",
    ],
)
def test_findings_show_no_secret(text: str) -> None:
    """A finding about a secret field, or about its line, shows the place and not the value."""
    findings = load_text(text, "a.yaml").findings

    assert findings
    for finding in findings:
        assert CANARY not in finding.render() + json.dumps(finding.as_dict()) + repr(finding)
