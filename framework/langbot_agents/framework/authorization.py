"""What a run may do: what its manifest asks for, and the binding allows, and a person selected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from langbot_agents.schemas.bindings import AgentBinding, StateScope
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from .bindings import SELECTORS, Wildcard, names_in, selections


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """What one run may do; frozen in the host and checked call by call."""

    named: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    state_scopes: frozenset[StateScope]
    history: str | bool

    def allows(self, resource: str, verb: str) -> bool:
        """Whether the verb on this kind of resource is granted."""
        return verb in self.verbs.get(resource, frozenset())


def make_grant(
    binding: AgentBinding, runner: AgentRunnerDescriptor, available: Mapping[str, Iterable[str]]
) -> Grant:
    """Manifest and policy and selection; `available` holds the names that exist, by kind of resource."""
    policy = binding.resource_policy
    asked = {
        kind: frozenset(getattr(runner.permissions, kind)) for kind in type(runner.permissions).model_fields
    }
    own = {
        "history": policy.history is not False,
        "events": policy.events is not False,
        "artifacts": policy.artifacts is not False,
        "prompt": policy.prompt is not False,
        "steering": policy.steering is not False,
    }
    verbs = {kind: asked[kind] if allowed else frozenset() for kind, allowed in own.items()}
    verbs["state"] = asked["state"]
    named: dict[str, frozenset[str]] = {}
    for kind in SELECTORS:
        names = _selected(kind, binding, runner, tuple(available.get(kind, ())))
        named[kind] = names if asked[kind] else frozenset()
        verbs[kind] = asked[kind] if names else frozenset()
    return Grant(
        named=named,
        verbs=verbs,
        # a snapshot and `state.updated` need no verb: they are the run's own
        state_scopes=frozenset(binding.state_policy.scopes),
        history=policy.history if policy.history is not None else "conversation",
    )


def _selected(
    kind: str, binding: AgentBinding, runner: AgentRunnerDescriptor, available: Sequence[str]
) -> frozenset[str]:
    stated: tuple[str, ...] | None = getattr(binding.resource_policy, kind)
    policy = tuple(Wildcard(name) for name in stated or ())
    selected = [value for _, value in selections(runner.config_schema, binding.runner_config, kind)]
    allowed = {name for value in selected for _, name in names_in(value)} if selected else set(available)
    if stated is not None or not selected:
        allowed = {name for name in allowed if any(pattern.matches(name) for pattern in policy)}
    return frozenset(allowed & set(available))
