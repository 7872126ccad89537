"""`/v1/bindings`: which bindings there are, and taking one out for a while."""

from starlette.requests import Request
from starlette.responses import Response

from ..access import ForbiddenError
from ..app import Host
from ..bindings import BindingEntry, BindingSet, Quarantined
from ..errors import NotFoundError
from ..texts import t
from .answers import answer
from .models import BindingDetail, BindingList, BindingPaused, BindingRow, Loading, PauseRequest
from .reading import caller_of, host_of, read_model, whole_house, workspace_of


async def list_bindings(request: Request) -> Response:
    """Every binding that concerns the workspace, with its state; for the local caller those of all."""
    seen, host = bindings_of(request), host_of(request)
    rows = [_row(entry, host) for entry in seen.entries]
    rows += [_out(item) for item in seen.quarantined]
    rows.sort(key=lambda row: (row.binding_id or "", row.origin))
    loading = _loading(host, reasons=caller_of(request).local)
    return answer(BindingList(bindings=tuple(rows), digest=host.bindings.digest, loading=loading))


async def get_binding(request: Request) -> Response:
    """One binding with its document."""
    seen, name = bindings_of(request), request.path_params["binding_id"]
    entry = seen.get(name)
    if entry is not None:
        plain = entry.document.model_dump(mode="json", by_alias=True)
        masked = host_of(request).project.secrets.masker.data(plain)
        return answer(BindingDetail(**dict(_row(entry, host_of(request))), document=masked))
    for item in seen.quarantined:
        if item.binding_id == name:
            return answer(BindingDetail(**dict(_out(item))))
    raise NotFoundError(t("there is no binding {name!r}", name=name))


async def pause_binding(request: Request) -> Response:
    """Take a binding out from the next event on, until it is resumed; what it has begun goes on."""
    wanted = await read_model(request, PauseRequest)
    entry = _own(request)
    changed = await host_of(request).pauses.pause(entry, wanted.reason)
    return _after_change(request, entry.binding_id, changed=changed)


async def resume_binding(request: Request) -> Response:
    """Let a paused binding take part again."""
    entry = _own(request)
    changed = await host_of(request).pauses.resume(entry.binding_id)
    return _after_change(request, entry.binding_id, changed=changed)


def bindings_of(request: Request) -> BindingSet:
    """What the caller may see of the bindings that are live."""
    bindings = host_of(request).bindings
    return bindings if whole_house(request) else bindings.of_workspace(workspace_of(request))


def _own(request: Request) -> BindingEntry:
    """The binding that the address names, if the caller may change what it does."""
    name, caller = request.path_params["binding_id"], caller_of(request)
    seen = bindings_of(request)
    entry = seen.get(name)
    if entry is None:
        for item in seen.quarantined:
            if item.binding_id == name:
                raise NotFoundError(
                    t("binding {name!r} is quarantined: {reason}", name=name, reason=item.reason),
                    remedy=t("`lba validate` shows what is wrong"),
                )
        raise NotFoundError(t("there is no binding {name!r}", name=name))
    if not caller.local and entry.workspace_id != caller.workspace_id:
        raise ForbiddenError(
            t("binding {name!r} serves other workspaces as well", name=name),
            remedy=t("only the host's own token may do this"),
        )
    return entry


def _after_change(request: Request, binding_id: str, *, changed: bool) -> Response:
    entry = host_of(request).bindings.get(binding_id)
    if entry is None:
        raise NotFoundError(t("there is no binding {name!r}", name=binding_id))
    return answer(BindingPaused(**dict(_row(entry, host_of(request))), changed=changed))


def _loading(host: Host, *, reasons: bool) -> Loading:
    reloader = host.reloader
    return Loading(
        watching=reloader.watching,
        loaded_at=reloader.loaded_at,
        root_document=reloader.root.state,
        reason=reloader.root.reason if reasons else None,
    )


def _row(entry: BindingEntry, host: Host) -> BindingRow:
    document, pause = entry.document, entry.pause
    stale = host.project.stale.get(entry.binding_id)
    reasons = [None if pause is None else pause.reason, None if stale is None else stale.reason]
    return BindingRow(
        binding_id=entry.binding_id,
        state=entry.state,
        reason="; ".join(filter(None, reasons)) or None,
        stale=stale is not None,
        paused_at=None if pause is None else pause.created_at,
        workspace_id=entry.workspace_id,
        mode=document.mode,
        priority=document.priority,
        event_types=document.event_types,
        runner_id=entry.runner.id,
        revision=entry.revision,
        origin=entry.origin,
    )


def _out(item: Quarantined) -> BindingRow:
    return BindingRow(
        binding_id=item.binding_id,
        state="quarantined",
        reason=item.reason,
        workspace_id=item.workspace_id,
        revision=item.revision,
        origin=item.origin,
    )
