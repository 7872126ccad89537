"""The runner's copy of what it may use."""

from langbot_agents.schemas.base import trusted
from langbot_agents.schemas.context import AgentResources, ResourceItem, StorageGrant
from langbot_agents.schemas.events import AgentEventEnvelope

from ..authorization import Grant

_NO_STORAGE = StorageGrant()


class AgentResourceBuilder:
    """Makes `ctx.resources` from a grant; the host never reads it back."""

    def build(self, event: AgentEventEnvelope, grant: Grant) -> AgentResources:
        """Each granted name with its verbs, and what the place of the event can do."""
        return trusted(
            AgentResources,
            models=_items(grant, "models"),
            tools=_items(grant, "tools"),
            knowledge_bases=_items(grant, "knowledge_bases"),
            files=_items(grant, "files"),
            storage=_NO_STORAGE,
            platform_capabilities=event.delivery.platform_capabilities,
        )


def _items(grant: Grant, kind: str) -> tuple[ResourceItem, ...]:
    operations = tuple(sorted(grant.verbs.get(kind, ())))
    return tuple(
        trusted(ResourceItem, id=name, name=name, operations=operations)
        for name in sorted(grant.named.get(kind, ()))
    )
