"""How a message of a chat ended, for a person: what is wrong in a sentence, and what to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import LangbotAgentsError
from ..texts import t
from .output import Output
from .reply import ending

REASONS: Mapping[str, str] = {
    "model.auth": "the model's service refused the key",
    "model.not_found": "the model's service does not know the model",
    "model.rate_limited": "the model takes no more requests just now; try again in a while",
    "model.quota": "the account at the model's service has no quota left",
    "model.context_overflow": "the conversation is too long for the model",
    "model.refused": "the model's service refused the request",
    "model.timeout": "the model did not answer in time",
    "model.unreachable": "the model's service cannot be reached",
    "model.incomplete": "the model broke off before the end of its answer",
    "model.malformed": "what answered is not a model's service",
    "model.server": "the model's service has a fault of its own",
    "model.fault": "the model's provider has a fault",
    "runner.timeout": "the answer took too long, and was ended",
    "runner.idle_timeout": "nothing came for too long, and it was ended",
    "runner.no_model": "no model is set: name one in runner_config of the binding",
    "runner.no_output": "the runner ended without saying anything",
    "runner.exception": "the runner has a fault",
    "runner.output_too_large": "the answer grew too large, and was ended",
    "runner.too_many_results": "the runner gave too many results, and was ended",
    "runner.not_found": "the runner is not installed any more",
    "runner.quarantined": "the runner cannot be used now",
    "model.unusable": "the model cannot be used",
    "run.interrupted": "the host was stopped in the middle of it",
    "host.fault": "the host has a fault; its log has more",
}
"""What each code means to whoever talks."""


@dataclass(frozen=True, kw_only=True)
class TurnEnd:
    """How one message ended; `mark` and its style are what a terminal shows."""

    status: str
    """`answered`, `silent`, `cancelled`, `failed` or `refused`."""
    sentence: str = ""
    reason: str | None = None
    """The host's own words for it."""
    code: str | None = None
    hint: str | None = None

    @property
    def well(self) -> bool:
        """Whether nothing went wrong."""
        return self.status in ("answered", "silent", "cancelled")

    def tell(self, out: Output) -> None:
        """Say it, where the answer itself has not said it all."""
        if self.status == "answered" or out.as_json:
            return
        mark = ("~ ", "yellow") if self.well else ("x ", "bold red")
        out.note(mark, self.sentence)
        if self.reason:
            out.note(self.reason, indent=4)
        if self.hint:
            out.note((self.hint, "dim"), indent=4)


def refused(error: LangbotAgentsError) -> TurnEnd:
    """The end of a message that the host did not take, or lost sight of."""
    return TurnEnd(status="refused", sentence=error.message, code=error.code, hint=error.remedy)


def turn_end(done: Mapping[str, Any], decision: Mapping[str, Any]) -> TurnEnd:
    """The end that the records of a message tell; observers do not count."""
    observers = set(decision.get("observers", ()))
    runs = [run for run in done.get("runs", ()) if run["binding_id"] not in observers]
    result = ending(done, decision)
    last = runs[-1] if runs else None
    if last is not None and last["status"] == "cancelled":
        return TurnEnd(status="cancelled", sentence=t("cancelled"), code=last["code"])
    if last is not None and last["status"] not in ("completed", "queued", "running"):
        return _failed(last)
    if not result.well:
        return TurnEnd(status="failed", sentence=result.sentence)
    if not result.answered:
        hint = None
        if not done.get("dispatches"):
            hint = t("`{command}` says why", command=f"lba route {done.get('event_uid')}")
        return TurnEnd(status="silent", sentence=result.sentence, hint=hint)
    return TurnEnd(status="answered", sentence=result.sentence)


def _failed(run: Mapping[str, Any]) -> TurnEnd:
    code = str(run["code"] or "")
    words = t(REASONS[code]) if code in REASONS else t("the runner failed")
    return TurnEnd(
        status="failed",
        sentence=t("no answer from {binding}: {words}", binding=run["binding_id"], words=words),
        reason=run["reason"],
        code=code,
        hint=f"{code}: lba runs show {run['run_id']}",
    )
