"""`/v1/route` and `/v1/bindings/validate`: what would be, without anything being done."""

import math

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.events import AgentEventEnvelope

from ..app import Host
from ..bindings import BindingSet, CheckedBindings, check_bindings
from ..documents import check_keys, load_binding_text
from ..explanation import Explained, envelope_of, explain_event
from ..texts import t
from .answers import answer
from .bindings import bindings_of
from .events import read_event
from .guard import read_body
from .models import CheckedBinding, FindingRow, Validation
from .problems import ProblemError
from .reading import bad_query, caller_of, foreign_workspace, host_of, media_type, unsupported, workspace_of

YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/plain")
TEXT_NAME = "bindings.yaml"


async def route_event(request: Request) -> Response:
    """Explain what would become of an event, with a reason for every binding; nothing is done."""
    host, caller = host_of(request), caller_of(request)
    data = await read_event(request)
    check_keys(data)
    workspace = workspace_of(request)
    stated = data.get("workspace_id")
    if stated not in (None, workspace) and not caller.local:
        raise foreign_workspace(caller, str(stated))
    envelope = envelope_of(data, source=caller.name, workspace_id=workspace)
    clock = _clock(request, host)
    explained = await anyio.to_thread.run_sync(
        _explain, host, envelope, bindings_of(request), clock, caller.name
    )
    return JSONResponse(explained.as_dict())


def _explain(
    host: Host, envelope: AgentEventEnvelope, bindings: BindingSet, clock: float, name: str
) -> Explained:
    return explain_event(
        envelope,
        bindings,
        clock,
        root=host.project.root,
        origin="http",
        name=name,
        set_digest=host.bindings.digest,
    )


def _clock(request: Request, host: Host) -> float:
    stated = request.query_params.get("at")
    if stated is None:
        return host.parts.facts.clock()
    try:
        clock = float(stated)
    except ValueError:
        clock = math.nan
    if not 0 <= clock < 32_503_680_000:  # the year 3000
        raise bad_query("at", t("give Unix seconds"))
    return clock


async def validate_bindings(request: Request) -> Response:
    """Check binding documents with the loader that the host uses; nothing is kept."""
    host = host_of(request)
    body = await read_body(request, host.project.settings.server)
    media = media_type(request) if "content-type" in request.headers else YAML_TYPES[0]
    if media not in YAML_TYPES:
        raise unsupported(media, t("send YAML as application/yaml"))
    if not body.strip():
        raise ProblemError(400, "invalid_body", t("the body is empty; send binding documents as YAML"))
    checked = await anyio.to_thread.run_sync(_check, host, body)
    return answer(_validation(checked))


def _check(host: Host, text: bytes) -> CheckedBindings:
    names = tuple(name for found in standard_types() for name in (found.name, *found.aliases))
    files = load_binding_text(text, TEXT_NAME, event_types=names)
    return check_bindings(files, host.project.registry, timezone=host.project.settings.timezone)


def _validation(checked: CheckedBindings) -> Validation:
    rows = [
        CheckedBinding(binding_id=item.binding_id, state=item.state, line=item.line)
        for item in checked.set.entries
    ]
    rows += [
        CheckedBinding(binding_id=item.binding_id, state="quarantined", line=item.line)
        for item in checked.set.quarantined
    ]
    errors = sum(1 for finding in checked.findings if finding.severity == "error")
    return Validation(
        ok=errors == 0,
        documents=checked.documents,
        bindings=tuple(sorted(rows, key=lambda row: row.line)),
        errors=errors,
        warnings=len(checked.findings) - errors,
        findings=tuple(FindingRow.model_validate(finding.as_dict()) for finding in checked.findings),
    )
