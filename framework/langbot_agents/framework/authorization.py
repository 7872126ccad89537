"""What a run may do: what its manifest asks for, and the binding allows, and a person selected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.bindings import AgentBinding, StateScope
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from .bindings import Wildcard

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
    stated: tuple[str, ...] | None = getattr(binding.resource_policy, kind)
    policy = tuple(Wildcard(name) for name in stated or ())
    schema = runner.config_schema
    selections = list(_selections(schema, binding.runner_config, _SELECTORS[kind], schema))
    allowed = {name for value in selections for name in _names(value)} if selections else set(available)
    if stated is not None or not selections:
        allowed = {name for name in allowed if any(pattern.matches(name) for pattern in policy)}
    return frozenset(allowed & set(available))


def _selections(
    schema: Any,
    value: Any,
    kinds: tuple[str, ...],
    root: Mapping[str, Any],
    seen: frozenset[tuple[str, int]] = frozenset(),
) -> Iterator[Any]:
    """What each selector field of a schema holds, null where it is not set; also inside of other fields."""
    if not isinstance(schema, Mapping):
        return
    if schema.get("x-selector") in kinds:
        yield value
        return
    below: list[tuple[Any, Any]] = []
    reference = schema.get("$ref")
    if isinstance(reference, str) and (reference, id(value)) not in seen:
        seen |= {(reference, id(value))}
        below.append((_referred(root, reference), value))
    for key in ("anyOf", "oneOf", "allOf"):
        below += [(branch, value) for branch in schema.get(key) or ()]
    fields = value if isinstance(value, Mapping) else {}
    properties = schema.get("properties") or {}
    below += [(field, fields.get(name)) for name, field in properties.items()]
    others = [item for name, item in fields.items() if name not in properties]
    below += [(schema.get("additionalProperties"), item) for item in others or [None]]
    items = value if isinstance(value, list | tuple) else ()
    below += [(schema.get("items"), item) for item in items or [None]]
    for inner, held in below:
        yield from _selections(inner, held, kinds, root, seen)


def _referred(root: Mapping[str, Any], reference: str) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").split("/")[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _names(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _names(item)
