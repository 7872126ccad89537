"""The explanation of an event that a person named, by the project as it lies on disk."""

from ..bindings import BindingSet
from ..explanation import Explained, envelope_of, explain_event
from ..project import Project
from .event_input import EventInput


def explain(
    project: Project, given: EventInput, clock: float, bindings: BindingSet | None = None
) -> Explained:
    """Explain what this project would do with an event at a time, or a set in place of what is on disk.

    Raises `InvalidEventError`.
    """
    return explain_event(
        envelope_of(given.data),
        project.bindings if bindings is None else bindings,
        clock,
        root=project.root,
        origin=given.origin,
        name=given.name,
    )
