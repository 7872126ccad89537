"""What the runner of one attempt is given: its config, its context, and the host's hands."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import anyio
from pydantic import ValidationError

from langbot_agents.schemas.context import AgentRunContext as WireContext
from langbot_agents.sdk import AgentRunContext, Emit

from ..clock import utc_now
from ..context import ConfigError, ContextInputs, RunRequest
from ..registry import RegisteredRunner
from ..run_api import AgentRunAPIProxy
from ..telemetry import get_logger
from ..texts import t

if TYPE_CHECKING:
    from .run import Run

log = get_logger(__name__)


async def prepare(
    run: "Run",
    runner: RegisteredRunner,
    inputs: ContextInputs,
    *,
    emit: Emit,
    ends_at: float,
    streaming: bool,
) -> AgentRunContext[Any]:
    """The context of the next call; `ends_at` is of the loop's clock. Raises `ConfigError`, `SecretError`."""
    resolved = run.parts.secrets.resolve(run.document.runner_config)
    try:
        config = runner.config_model.model_validate(resolved)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(("runner_config", *(str(part) for part in first["loc"])))
        raise ConfigError(t("{place}: {cause}", place=place, cause=first["msg"])) from None
    request = _request(run, resolved, ends_at=ends_at, streaming=streaming)
    wire = await _hooked(run, run.parts.contexts.build(request, inputs))
    return AgentRunContext.bind(
        wire,
        config=config,
        api=AgentRunAPIProxy(
            run.session,
            db=run.parts.db,
            artifacts=run.parts.artifacts,
            models=run.parts.models,
            ends_at=ends_at,
        ),
        log=log.bind(run_id=run.record.run_id, binding_id=run.record.binding_id),
        emit=emit,
        deadline=_Deadline(ends_at),
    )


def _request(run: "Run", config: Mapping[str, Any], *, ends_at: float, streaming: bool) -> RunRequest:
    mask = run.parts.secrets.masker.data
    return RunRequest(
        run_id=run.record.run_id,
        event=run.event,
        binding=run.binding,
        grant=run.session.grant,
        conversation_key=run.session.conversation_key,
        drawers=run.session.drawers,
        attempt=run.record.attempt,
        deadline_at=utc_now() + timedelta(seconds=ends_at - anyio.current_time()),
        config=config,
        streaming=streaming,
        locale=run.locale,
        timezone=run.parts.facts.timezone,
        # a variable that holds a secret is left out, by its name or by its value
        params={key: value for key, value in run.params.items() if mask({key: value}) == {key: value}},
    )


async def _hooked(run: "Run", wire: WireContext) -> WireContext:
    plugins = run.parts.plugins
    if not plugins.has("input_prepared"):
        return wire
    for answer in await plugins.acall(
        "input_prepared", run=run.record, prompt=wire.prompt, messages=wire.messages, input=wire.input
    ):
        if isinstance(answer.value, Mapping):
            changes = {
                key: answer.value[key] for key in ("prompt", "messages", "input") if key in answer.value
            }
            try:
                wire = WireContext.model_validate({**dict(wire), **changes})
            except ValidationError as error:
                plugins.quarantine(
                    answer.plugin, t("hook {hook}: {reason}", hook="input_prepared", reason=str(error))
                )
    return wire


class _Deadline:
    """`ctx.deadline` of one attempt."""

    def __init__(self, at: float) -> None:
        self._at = at

    def remaining(self) -> float:
        """Seconds left; never below 0."""
        return max(0.0, self._at - anyio.current_time())
