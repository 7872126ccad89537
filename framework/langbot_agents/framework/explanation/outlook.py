"""What would become of a chosen binding: what it is granted, how it is queued, where its output goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.events import AgentEventEnvelope

from ..authorization import Grant, make_grant
from ..bindings import BindingEntry
from ..delivery import Destination, destinations
from ..dispatcher import DISCARD, MAX_CAUSE_DEPTH
from ..identity import flow_key
from ..platforms import Surfaces
from ..texts import t

POLICY_DOWNGRADES: Mapping[str, str] = {
    "observer": "an observer's output is recorded, never delivered",
    "policy_none": "its delivery_policy delivers nothing",
    "no_reply_target": "the event has no reply target, so nothing is delivered",
}
"""What keeps a runner's output from being delivered at all, by its code."""

SURFACE_DOWNGRADES: Mapping[str, str] = {
    "no_surface": "surface {surface!r} does not run here; `lba send` shows the answer itself",
    "no_streaming": "surface {surface!r} cannot stream: one message, when it is whole",
}
"""What makes a surface show less than the runner gives, by its code."""


@dataclass(frozen=True, kw_only=True)
class Downgrade:
    """One way in which output is shown as less than what the runner gives."""

    code: str
    surface: str | None = None

    def sentence(self) -> str:
        """The downgrade in words."""
        if self.surface is None:
            return t(POLICY_DOWNGRADES[self.code])
        return t(SURFACE_DOWNGRADES[self.code], surface=self.surface)


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What is known beforehand of one chosen binding."""

    entry: BindingEntry
    loop_guard: str | None
    flow_key: str
    grant: Grant
    destinations: tuple[Destination, ...]
    downgrades: tuple[Downgrade, ...]

    @property
    def discards(self) -> bool:
        """Whether it takes the event and starts no run."""
        return self.entry.runner.id == DISCARD

    def as_dict(self) -> dict[str, Any]:
        """The outlook as JSON data."""
        grant = self.grant
        return {
            "binding_id": self.entry.binding_id,
            "runner_id": self.entry.runner.id,
            "mode": self.entry.document.mode,
            "discards": self.discards,
            "loop_guard": self.loop_guard,
            "queue": {"flow_key": self.flow_key, "overlap": self.entry.document.flow.overlap},
            "grant": {
                "named": {kind: sorted(names) for kind, names in grant.named.items() if names},
                "verbs": {kind: sorted(verbs) for kind, verbs in grant.verbs.items() if verbs},
                "state_scopes": sorted(grant.state_scopes),
                "history": grant.history,
            },
            "delivery": {
                "destinations": [
                    {"surface": item.surface, "target": item.target.model_dump(mode="json")}
                    for item in self.destinations
                ],
                "streaming": self.entry.document.delivery_policy.streaming,
                "downgrades": [
                    {"code": item.code, "surface": item.surface, "message": item.sentence()}
                    for item in self.downgrades
                ],
            },
        }


def outlook(event: AgentEventEnvelope, entry: BindingEntry) -> Outlook:
    """What would become of this binding on this event."""
    places = destinations(event, entry.document)
    observer = entry.binding_id if entry.document.mode == "observe" else None
    return Outlook(
        entry=entry,
        loop_guard=loop_guard(event),
        flow_key=flow_key(event, observer=observer),
        grant=make_grant(entry.document, entry.runner, {}),
        destinations=places,
        downgrades=tuple(_downgrades(event, entry, places)),
    )


def loop_guard(event: AgentEventEnvelope) -> str | None:
    """Why the dispatcher would start nothing for this event, whatever was chosen."""
    depth = event.cause.depth if event.cause else 0
    if depth > MAX_CAUSE_DEPTH:
        return t("cause.depth {depth} is over {limit}", depth=depth, limit=MAX_CAUSE_DEPTH)
    actor = event.actor
    own = actor is not None and actor.actor_type == "bot" and actor.actor_id is not None
    if (
        own
        and actor is not None
        and actor.actor_id == event.bot_id
        and event.event_type.startswith("message.")
    ):
        return t("the message is the bot's own")
    return None


def _downgrades(
    event: AgentEventEnvelope, entry: BindingEntry, places: tuple[Destination, ...]
) -> list[Downgrade]:
    policy = entry.document.delivery_policy
    if entry.document.mode == "observe":
        return [Downgrade(code="observer")]
    if not places:
        wanted = any(target == "reply" for target in policy.targets)
        return [Downgrade(code="no_reply_target" if wanted else "policy_none")]
    found: list[Downgrade] = []
    surfaces = Surfaces()
    for place in places:
        surface = surfaces.get(place.surface)
        if surface is None:
            found.append(Downgrade(code="no_surface", surface=place.surface))
        context = event.delivery if surface is None else surface.context(place.target)
        if policy.streaming != "off" and not context.supports_streaming:
            found.append(Downgrade(code="no_streaming", surface=place.surface))
    return found
