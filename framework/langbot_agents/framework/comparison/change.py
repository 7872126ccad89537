"""What differs between two sets of bindings, and which events that can concern."""

from collections.abc import Iterable

from ..bindings import BindingEntry, BindingIndex, BindingSet, EventKeys
from ..router import RoutedEvent

HANDLING = (
    "runner_id",
    "runner_config",
    "resource_policy",
    "state_policy",
    "delivery_policy",
    "flow",
    "limits",
    "on_failure",
)
"""Keys of a binding that change how it handles an event, not whether it takes it."""


class SetChange:
    """The bindings that two sets do not have alike, and an index of them."""

    def __init__(self, old: BindingSet, new: BindingSet) -> None:
        self.old = old
        self.new = new
        self.settings = (old.timezone, old.function_set) != (new.timezone, new.function_set)
        self._left = BindingIndex(_unlike(old.live, new))
        self._come = BindingIndex(_unlike(new.live, old))
        ids = {item.binding_id for item in (*_unlike(old.entries, new), *_unlike(new.entries, old))}
        self.binding_ids: tuple[str, ...] = tuple(sorted(ids))
        # where most differ, asking costs more than it spares
        self._most = 2 * len(ids) > max(len(old), len(new))

    @property
    def nothing(self) -> bool:
        """Whether no event at all can be decided otherwise."""
        return not self.settings and not self.binding_ids

    def concerns(self, event: RoutedEvent, clock: float) -> bool:
        """Whether the event could be decided otherwise; where it is false, it is not."""
        if self.settings or self._most:
            return True
        keys = EventKeys(event.scope, lambda: {**event.json, "now": float(clock)})
        return any(True for _ in self._left.candidates(event.event_type, keys)) or any(
            True for _ in self._come.candidates(event.event_type, keys)
        )


def same(one: BindingEntry | None, other: BindingEntry | None) -> bool:
    """Whether two entries say the same, wherever they are written."""
    if one is None or other is None:
        return one is other
    return (one.revision, one.state, one.runner.id) == (other.revision, other.state, other.runner.id)


def _unlike(entries: Iterable[BindingEntry], others: BindingSet) -> list[BindingEntry]:
    return [entry for entry in entries if not same(entry, others.get(entry.binding_id))]
