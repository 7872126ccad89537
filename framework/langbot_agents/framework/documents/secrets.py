"""Secrets, resolved late: references in data become values, and all that are missing are named at once."""

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path as FilePath
from typing import Any

from langbot_agents.framework.errors import SecretError
from langbot_agents.framework.texts import t
from langbot_agents.schemas.host import SecretSettings

from .findings import Finding
from .masking import Masker
from .references import Malformed, Reference, find_malformed, find_references, read_text
from .source import SourceDocument

MAX_SECRET_BYTES = 1024**2


@dataclass(frozen=True, kw_only=True)
class MissingSecret:
    """A reference that leads to no value, and why."""

    reference: Reference
    reason: str

    def __str__(self) -> str:
        return f"{self.reference}: {self.reason}"


class SecretResolver:
    """Gives the values of references; what it has read it teaches its masker, and shows to nobody."""

    def __init__(
        self,
        root_dir: FilePath,
        settings: SecretSettings,
        environ: Mapping[str, str],
        *,
        masker: Masker | None = None,
    ) -> None:
        self.masker = masker if masker is not None else Masker()
        self._directory = root_dir / settings.directory
        self._names = settings.env
        self._environ = environ

    def __repr__(self) -> str:
        return f"SecretResolver(directory={str(self._directory)!r})"

    def missing(self, references: Iterable[Reference]) -> list[MissingSecret]:
        """All references that cannot be resolved, each once, in a stable order."""
        answers = [self._look_up(reference) for reference in sorted(set(references))]
        return [answer for answer in answers if isinstance(answer, MissingSecret)]

    def resolve(self, data: Any) -> Any:
        """A copy of nested data with each reference replaced by its value, and `$${` by `${`.

        Raises `SecretError`, whose details are every `MissingSecret` and malformed reference.
        """
        values: dict[Reference, str] = {}
        problems: list[MissingSecret | Malformed] = [malformed for _, malformed in find_malformed(data)]
        for reference in sorted({reference for _, reference in find_references(data)}):
            answer = self._look_up(reference)
            if isinstance(answer, MissingSecret):
                problems.append(answer)
            else:
                values[reference] = answer
        if problems:
            raise _error(problems)
        self.masker.add(*values.values())
        return _fill(data, values)

    def _look_up(self, reference: Reference) -> str | MissingSecret:
        return self._from_env(reference) if reference.kind == "env" else self._from_file(reference)

    def _from_env(self, reference: Reference) -> str | MissingSecret:
        if self._names is not None and not any(fnmatchcase(reference.name, glob) for glob in self._names):
            return MissingSecret(reference=reference, reason=t("`secrets.env` does not allow it"))
        value = self._environ.get(reference.name)
        if value is None:
            return MissingSecret(reference=reference, reason=t("the environment has no such variable"))
        return value or MissingSecret(reference=reference, reason=t("it is empty"))

    def _from_file(self, reference: Reference) -> str | MissingSecret:
        try:
            base = self._directory.resolve()
            # A mounted secret is a symbolic link inside its directory; one that leads out is refused.
            path = (base / reference.name).resolve()
            if not path.is_relative_to(base):
                return MissingSecret(reference=reference, reason=t("it leads out of `secrets.directory`"))
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                return MissingSecret(reference=reference, reason=t("it is not a file"))
            if found.st_size > MAX_SECRET_BYTES:
                return MissingSecret(reference=reference, reason=t("it is larger than 1 MiB"))
            value = path.read_bytes().decode()
        except FileNotFoundError:
            return MissingSecret(
                reference=reference, reason=t("there is no such file in `secrets.directory`")
            )
        except UnicodeDecodeError:
            return MissingSecret(reference=reference, reason=t("it is not UTF-8 text"))
        except (OSError, ValueError, RuntimeError):  # RuntimeError: a loop of symbolic links
            return MissingSecret(reference=reference, reason=t("it cannot be read"))
        value = value.removesuffix("\n").removesuffix("\r")
        return value or MissingSecret(reference=reference, reason=t("it is empty"))


def check_references(document: SourceDocument) -> list[Finding]:
    """Findings about secret references in a document, by what its kind resolves.

    A binding's secrets stand in `runner_config`; everywhere else its text is taken as it is. The
    root document may have them at any place. A test has none.
    """
    data, text = document.data, document.text
    if not isinstance(data, dict) or ("$" not in text and "\\" not in text):  # an escape may be a `$`
        return []
    if data.get("kind") == "Host":
        return _malformed(document, data, ())
    if data.get("kind") != "AgentBinding":
        return []
    findings = _malformed(document, data.get("runner_config"), ("runner_config",))
    for path, reference in find_references({k: v for k, v in data.items() if k != "runner_config"}):
        findings.append(
            document.finding(
                "LBA161",
                path,
                t("the secret reference {reference} is not resolved here", reference=reference),
                remedy=t("references stand in `runner_config` and in langbot-agents.yaml"),
                value=str(reference),
            )
        )
    return findings


def _malformed(document: SourceDocument, data: Any, prefix: tuple[str, ...]) -> list[Finding]:
    return [
        document.finding("LBA160", (*prefix, *path), malformed.message, remedy=malformed.remedy)
        for path, malformed in find_malformed(data)
    ]


def _error(problems: list[MissingSecret | Malformed]) -> SecretError:
    listed = "; ".join(
        problem.message if isinstance(problem, Malformed) else str(problem) for problem in problems
    )
    remedy = t("set the variables, or put the files into `secrets.directory`")
    return SecretError(t("secrets are missing: {listed}", listed=listed), remedy=remedy, details=problems)


def _fill(data: Any, values: Mapping[Reference, str]) -> Any:
    if isinstance(data, str):
        found = read_text(data)
        return values[found] if isinstance(found, Reference) else found
    if isinstance(data, Mapping):
        return {key: _fill(item, values) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [_fill(item, values) for item in data]
    return data
