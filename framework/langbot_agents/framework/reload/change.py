"""What a reload changed, by binding."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..bindings import ANY_WORKSPACE, Quarantined
from ..project import Project, changed_keys

DEFAULT_WORKSPACE = "default"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """The difference between two loads of a project; each name once, sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[Quarantined, ...] = ()
    """Documents that have an error or clash now, and had not."""
    mended: tuple[str, ...] = ()
    """Bindings and files that had an error, and have none now."""
    keys: tuple[str, ...] = ()
    """Keys of the root document that took effect."""
    moved: bool = False
    """Whether a document stands in another place, or a reason reads differently."""
    workspace_of: Mapping[str, str] = field(default_factory=dict)
    """The workspace of each binding that is named."""

    @property
    def any(self) -> bool:
        """Whether there is one for people."""
        return bool(self.added or self.changed or self.removed or self.failed or self.mended or self.keys)

    @property
    def worse(self) -> bool:
        """Whether something is gone: also what a file looks like while it is being written."""
        return bool(self.removed or self.failed)

    @property
    def workspaces(self) -> tuple[str, ...]:
        """The workspaces that it concerns; what concerns several is told in the default one."""
        found = {self.workspace_of[name] for name in (*self.added, *self.changed, *self.removed)}
        found |= {item.workspace_id or DEFAULT_WORKSPACE for item in self.failed}
        return tuple(sorted({DEFAULT_WORKSPACE if name == ANY_WORKSPACE else name for name in found})) or (
            DEFAULT_WORKSPACE,
        )


def compare(old: Project, new: Project) -> Change:
    """What is different in `new`."""
    before = {entry.binding_id: entry for entry in old.bindings.entries}
    after = {entry.binding_id: entry for entry in new.bindings.entries}
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    both = [(before[name], after[name]) for name in sorted(after.keys() & before.keys())]
    changed = [now.binding_id for was, now in both if was.revision != now.revision]
    had, has = _out(old), _out(new)
    failed = [item for name, item in has.items() if name not in had]
    mended = [name for name in had if name not in has]
    named = (*added, *changed, *removed)
    return Change(
        added=tuple(added),
        changed=tuple(changed),
        removed=tuple(removed),
        failed=tuple(failed),
        mended=tuple(sorted({had[name].binding_id or had[name].file for name in mended})),
        keys=changed_keys(old.root_document, new.root_document),
        moved=had != has or any(was.origin != now.origin for was, now in both),
        workspace_of={name: (after.get(name) or before[name]).workspace_id for name in named},
    )


def metadata_of(change: Change, project: Project, digest: str, workspace: str) -> Mapping[str, Any]:
    """The metadata of `system.config_changed` for a workspace: only what it may know of."""

    def own(names: Iterable[str]) -> list[str]:
        return [name for name in names if _seen(change.workspace_of[name], workspace)]

    out = [item for item in _out(project).values() if _seen(item.workspace_id, workspace)]
    return {
        "set_digest": digest,
        "added_bindings": own(change.added),
        "changed_bindings": own(change.changed),
        "removed_bindings": own(change.removed),
        "quarantined": sorted({item.binding_id or item.file for item in out}),
    }


def _out(project: Project) -> Mapping[tuple[str, str | None], Quarantined]:
    """What is not live as it is written, by file and id."""
    listed = [*project.bindings.quarantined, *project.stale.values()]
    return {(item.file, item.binding_id): item for item in listed}


def _seen(of: str | None, workspace: str) -> bool:
    return (of or DEFAULT_WORKSPACE) in (workspace, ANY_WORKSPACE)
