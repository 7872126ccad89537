"""What a run may do: what its manifest asks for, and the binding allows, and a person selected."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding, StateScope
from langbot_agents.schemas.runners import AgentRunnerDescriptor

_SELECTORS: Mapping[str, tuple[str, ...]] = {
    "models": (
        "llm-model-selector",
        "model-fallback-selector",
        "rerank-model-selector",
        "embedding-model-selector",
    ),
    "tools": ("tool-multi-selector",),
    "knowledge_bases": ("knowledge-base-multi-selector",),
    "files": ("file-selector",),
}


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
    for kind in _SELECTORS:
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
    policy: tuple[str, ...] | None = getattr(binding.resource_policy, kind)
    fields = _selector_fields(runner.config_schema, _SELECTORS[kind])
    if fields:
        chosen = {name for field in fields for name in _names(binding.runner_config.get(field))}
        allowed = chosen if policy is None else {name for name in chosen if _matches(name, policy)}
    else:
        allowed = {name for name in available if _matches(name, policy or ())}
    return frozenset(allowed & set(available))


def _selector_fields(schema: Mapping[str, Any], kinds: tuple[str, ...]) -> list[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    return [
        name
        for name, field in properties.items()
        if isinstance(field, Mapping) and field.get("x-selector") in kinds
    ]


def _names(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _names(item)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
