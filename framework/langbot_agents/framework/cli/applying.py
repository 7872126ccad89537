"""What `lba apply` does: load the files as the host does, and look until it reports the same set."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langbot_agents.schemas.records import BindingPause

from ..bindings import BindingSet
from ..clock import from_rfc3339
from ..documents import Finding
from ..errors import NotFoundError
from ..project import Project
from ..reload import Look, look
from ..texts import t
from .loading import open_project
from .options import Session
from .remote import RemoteHost

PAUSE = 0.2
"""Seconds between two questions to the host."""
FINAL_AFTER = 3.0
"""Seconds after which the host has surely looked, so that a root document that takes a restart is no news."""
TICK = 0.02
"""Seconds by which the file system's clock may be behind."""


@dataclass(frozen=True, kw_only=True)
class Applied:
    """How far what is on disk is live."""

    live: bool
    waited: float
    wanted: str | None = None
    """The digest of what is on disk; None where it has errors."""
    found: str
    """The digest that the host reports."""
    bindings: int
    """How many bindings are live in the host."""
    findings: tuple[Finding, ...] = ()
    changes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What differs: `added`, `changed` and `removed` while waiting, or what the host does not have yet."""
    reason: str | None = None
    """Why it is not live."""
    remedy: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON data."""
        return {
            "live": self.live,
            "waited": round(self.waited, 3),
            "wanted": self.wanted,
            "digest": self.found,
            "bindings": self.bindings,
            "changes": {name: list(ids) for name, ids in self.changes.items()},
            "reason": self.reason,
            "remedy": self.remedy,
            "findings": [finding.as_dict() for finding in self.findings],
        }


def apply(session: Session, *, wait_for: float) -> Applied:
    """Compare what is on disk with what is live, for at most so many seconds, at least once.

    Raises `SettingsError` for a root document that cannot be used, `NotFoundError` where no host runs.
    """
    project = open_project(session)
    seen = look(project)
    host = RemoteHost.find(project)
    if host is None:
        raise NotFoundError(
            t("no host runs for this project"), remedy=t("`lba serve` starts one, with what is on disk")
        )
    began = time.monotonic()
    first: Mapping[str, Any] | None = None
    try:
        while True:
            answer: Mapping[str, Any] = host.ask("GET", "/v1/bindings")
            first = first or answer
            waited = time.monotonic() - began
            applied = _compare(project, seen, answer, first, waited)
            if applied.live or applied.findings or waited >= wait_for or _is_final(answer, waited):
                return applied
            time.sleep(min(PAUSE, wait_for - waited))
            again = look(project)
            if again.files != seen.files:  # edited once more while we wait
                project, seen = open_project(session), again
    finally:
        host.close()


def _compare(
    project: Project, seen: Look, answer: Mapping[str, Any], first: Mapping[str, Any], waited: float
) -> Applied:
    rows = {row["binding_id"]: row for row in answer["bindings"] if row["state"] != "quarantined"}
    count = sum(row["state"] == "live" for row in rows.values())
    if project.errors:
        return Applied(
            live=False,
            waited=waited,
            found=answer["digest"],
            bindings=count,
            findings=project.errors,
            reason=t("the files have errors ({count})", count=len(project.errors)),
            remedy=t("the host goes on with the last good revision of each; correct the files"),
        )
    bindings = _paused(project.bindings, rows)
    reason, remedy = _root_reason(project, seen, answer), None
    wanted = {entry.binding_id: entry.revision for entry in bindings.entries}
    if bindings.digest == answer["digest"] and reason is None:
        changes = _difference(_revisions(first), wanted)
        return Applied(
            live=True,
            waited=waited,
            wanted=bindings.digest,
            found=answer["digest"],
            bindings=count,
            changes=changes,
        )
    if reason is None:
        reason = t("the host has another set of bindings")
        remedy = (
            t("`lba apply --wait` waits until it has loaded the files")
            if answer["loading"]["watching"]
            else t("it does not watch the files: send SIGHUP to its process, or start it anew")
        )
    return Applied(
        live=False,
        waited=waited,
        wanted=bindings.digest,
        found=answer["digest"],
        bindings=count,
        changes=_difference(_revisions(answer), wanted),
        reason=reason,
        remedy=remedy,
    )


def _paused(bindings: BindingSet, rows: Mapping[str, Mapping[str, Any]]) -> BindingSet:
    """The set on disk with the pauses that the host has: an operator's, not the files'."""
    pauses = {
        name: BindingPause(binding_id=name, created_at=from_rfc3339(row["paused_at"]))
        for name, row in rows.items()
        if row["paused_at"] is not None
    }
    return bindings.with_pauses(pauses) if pauses else bindings


def _root_reason(project: Project, seen: Look, answer: Mapping[str, Any]) -> str | None:
    """Why the root document on disk is not in use, or not surely so."""
    loading = answer["loading"]
    if loading["root_document"] != "live":
        return str(loading["reason"])
    stamp = seen.files.get(str(project.root_document.file.absolute()))
    written = 0.0 if stamp is None else stamp[4] / 1e9
    if from_rfc3339(loading["loaded_at"]).timestamp() < written + TICK:
        return t("the host has not read langbot-agents.yaml since it was written")
    return None


def _is_final(answer: Mapping[str, Any], waited: float) -> bool:
    """Whether waiting is of no use."""
    return answer["loading"]["root_document"] == "restart" and waited >= FINAL_AFTER


def _revisions(answer: Mapping[str, Any]) -> Mapping[str, str]:
    return {row["binding_id"]: row["revision"] for row in answer["bindings"] if row["state"] != "quarantined"}


def _difference(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    return {
        "added": sorted(new.keys() - old.keys()),
        "changed": sorted(name for name in new.keys() & old.keys() if new[name] != old[name]),
        "removed": sorted(old.keys() - new.keys()),
    }
