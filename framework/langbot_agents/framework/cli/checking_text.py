"""The result of `lba validate` as a terminal shows it: staged marks, then each finding with its caret."""

from ..texts import t
from . import counts
from .checking import Checked
from .output import Output, Part

_MARKS: dict[str, Part] = {"ok": ("√", "green"), "warning": ("~", "yellow"), "error": ("x", "bold red")}


def exit_code(checked: Checked, *, deny_warnings: bool) -> int:
    """0 for fine, 1 for errors (and denied warnings), 2 for nothing to check."""
    if checked.nothing:
        return 2
    failed = checked.root_error is not None or checked.errors > 0 or (deny_warnings and checked.warnings > 0)
    return 1 if failed else 0


def print_checked(out: Output, checked: Checked) -> None:
    """Marks, then findings."""
    _print_marks(out, checked)
    for finding in checked.findings:
        out.line()
        headline, *rest = finding.render().split("\n")
        style = "bold red" if finding.severity == "error" else "bold yellow"
        out.line((t("error") if finding.severity == "error" else t("warning"), style), f" {headline}")
        for line in rest:
            out.line(line)
    error = checked.root_error
    if error is not None and not checked.findings:
        out.line()
        out.line(error.message)
        if error.remedy:
            out.line(error.remedy, indent=4)


def _print_marks(out: Output, checked: Checked) -> None:
    shown = t("none; its defaults are used") if checked.root is None else checked.root.as_posix()
    state = "warning" if checked.root is None else "ok" if checked.root_error is None else "error"
    _mark(out, state, t("root document"), shown)
    if checked.root_error is not None:
        return
    if checked.nothing:
        _mark(out, "error", t("nothing to check: no file holds a document"), "")
        return
    counted = t(
        "{documents} in {files}",
        documents=counts.documents(checked.documents),
        files=counts.files(checked.files),
    )
    quarantined = checked.bindings.quarantined if checked.bindings is not None else ()
    if quarantined:
        _mark(out, "error", counted, t("{count} left out", count=len(quarantined)))
    else:
        _mark(out, "ok", counted, "")
    if checked.tests:
        _mark(out, "ok", counts.test_files(checked.tests), "")
    _mark_runners(out, checked)
    if checked.errors:
        _mark(out, "error", counts.errors(checked.errors), "")
    if checked.warnings:
        _mark(out, "warning", counts.warnings(checked.warnings), "")


def _mark_runners(out: Output, checked: Checked) -> None:
    found = checked.registry.descriptors() if checked.registry is not None else ()
    ready = [item for item in found if item.state == "ready"]
    _mark(out, "ok", counts.runners(len(ready)), "")
    for item in found:
        if item.state != "ready":
            _mark(out, "warning", t("runner {name} cannot be used", name=item.id), item.reason or "")


def _mark(out: Output, state: str, text: str, more: str) -> None:
    out.line(_MARKS[state], f" {text}", ("  " + more if more else "", "dim"))
