"""What `lba doctor` looks at, from the ground up."""

import platform
import sqlite3
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from langbot_agents.schemas import __version__

from ..errors import SettingsError
from ..project import Project, find_root, load_project
from ..texts import t
from . import counts
from .doctor_check import Check, Checks
from .doctor_models import model_checks
from .doctor_store import host_checks, store_checks
from .loading import quiet_logs
from .options import Session
from .output import Output

MARKS = {"ok": ("√", "green"), "warn": ("!", "yellow"), "bad": ("x", "bold red")}
ABSENT_VALUE = "LBA162"


def examine(session: Session, *, connect: bool) -> list[Check]:
    """Every check that can be made; without a usable root document only the first ones."""
    quiet_logs(session)
    checks = list(_program())
    try:
        file = find_root(session.config)
        project = load_project(session.config)
    except SettingsError as error:
        checks += _unusable(error)
        return checks
    checks += _root(file, project)
    checks += _bindings(project)
    checks += _secrets(project)
    checks += store_checks(project)
    checks += host_checks(project)
    checks += _packages(project)
    checks += model_checks(project, connect=connect)
    return checks


def print_checks(out: Output, checks: Sequence[Check]) -> None:
    """A line for each, its remedy below, and the sum."""
    width = max(len(check.area) for check in checks)
    for check in checks:
        mark, style = MARKS[check.status]
        out.line((f"{mark} {check.status:<4} ", style), (f"{check.area:<{width}}  ", "dim"), check.message)
        if check.remedy and check.status != "ok":
            out.line("→ ", check.remedy, indent=9 + width)
    said = [check.status for check in checks]
    out.line()
    out.line(
        t(
            "{ok} ok, {warn} to look at, {bad} bad",
            ok=said.count("ok"),
            warn=said.count("warn"),
            bad=said.count("bad"),
        )
    )


def _program() -> Checks:
    yield Check(
        area="program",
        status="ok",
        message=t(
            "langbot-agents {version}, Python {python} at {path}, SQLite {sqlite}, {system}",
            version=__version__,
            python=platform.python_version(),
            path=sys.executable,
            sqlite=sqlite3.sqlite_version,
            system=f"{platform.system()} {platform.machine()}",
        ),
    )


def _unusable(error: SettingsError) -> Checks:
    details = [getattr(detail, "message", None) for detail in error.details]
    more = "; ".join(str(detail) for detail in details if detail)
    yield Check(
        area="project",
        status="bad",
        message=f"{error.message}: {more}" if more else error.message,
        remedy=error.remedy or t("`lba validate` shows each place"),
    )


def _root(file: Path, project: Project) -> Checks:
    yield Check(area="project", status="ok", message=str(file.resolve()))
    now = datetime.now(ZoneInfo(project.settings.timezone))
    yield Check(
        area="clock",
        status="ok",
        message=t("{zone}: it is {now} there", zone=project.settings.timezone, now=f"{now:%Y-%m-%d %H:%M}"),
    )


def _bindings(project: Project) -> Checks:
    live, out = project.bindings.live, project.bindings.quarantined
    if live or out:
        yield Check(
            area="bindings",
            status="bad" if out else "ok",
            message=t("{live} live, {out} left out", live=len(live), out=len(out)),
            remedy=t("`lba validate` shows what is wrong") if out else None,
        )
    else:
        yield Check(
            area="bindings",
            status="warn",
            message=t("there are none: every event stays unanswered"),
            remedy=t("`lba init` makes examples; `bindings` of langbot-agents.yaml says where they lie"),
        )
    warnings = len(
        [item for item in project.findings if item.severity == "warning" and item.code != ABSENT_VALUE]
    )
    if warnings:
        yield Check(
            area="bindings",
            status="warn",
            message=counts.warnings(warnings),
            remedy=t("`lba validate` shows them"),
        )


def _secrets(project: Project) -> Checks:
    missing = [item for item in project.findings if item.code == ABSENT_VALUE]
    for item in missing:
        yield Check(area="secrets", status="bad", message=item.message, remedy=item.remedy)
    if not missing:
        yield Check(area="secrets", status="ok", message=t("none is missing"))


def _packages(project: Project) -> Checks:
    for info in project.plugins.infos:
        named = f"{info.distribution} {info.version} ({info.name})"
        if info.state == "quarantined":
            yield Check(
                area="package",
                status="bad",
                message=t("{name} is quarantined: {reason}", name=named, reason=info.reason),
                remedy=t("repair or remove it, or name it in plugins.disabled"),
            )
        elif not info.builtin:
            why = f": {info.reason}" if info.reason else ""
            yield Check(area="package", status="ok", message=f"{named} {info.state}{why}")
    for item in project.registry.descriptors():
        if item.state == "ready":
            names = ", ".join(item.aliases[:1]) or item.id
            package = f"{item.plugin.distribution} {item.plugin.version}" if item.plugin else "-"
            yield Check(area="runner", status="ok", message=f"{names} ({item.id}, {package})")
        elif not _is_package(project, item.id):
            yield Check(
                area="runner",
                status="bad",
                message=t("{name} is quarantined: {reason}", name=item.id, reason=item.reason),
                remedy=t("`lba runners show {name}` has more", name=item.id),
            )


def _is_package(project: Project, name: str) -> bool:
    """Whether a descriptor stands for a package that was not taken in, which has its own line."""
    return project.plugins.find(name) is not None
