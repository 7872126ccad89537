"""A checked set of bindings: documents, runners and filters made into what the router reads."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from langbot_agents.schemas.bindings import AgentBinding, ScopeValue
from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.records import BindingPause
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..filters import CompiledFilter
from .wildcard import Wildcard

SCOPE_FIELDS = (
    "actor_id",
    "thread_id",
    "conversation_id",
    "conversation_type",
    "subject_type",
    "bot_id",
    "source_name",
    "source_kind",
    "workspace_id",
)
"""The fields of a scope, in the order in which rank compares them."""

BindingState = Literal["live", "disabled", "paused"]

ANY_WORKSPACE = "*"
"""Under which the revisions and pauses of bindings are kept that take more than one workspace."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeTerm:
    """One field of a scope: the values or patterns it takes, and how specific that is."""

    values: tuple[str, ...] = ()
    patterns: tuple[Wildcard, ...] = ()
    specificity: int = 0

    def matches(self, actual: str | None) -> bool:
        """Whether the event's value is in this term; only an omitted term matches null."""
        if self.specificity == 0:
            return True
        if actual is None:
            return False
        return actual in self.values or any(pattern.matches(actual) for pattern in self.patterns)


def scope_term(value: ScopeValue | None, name: str) -> ScopeTerm:
    """Read one scope field; an omitted workspace means `default`."""
    if value is None:
        return ScopeTerm(values=("default",), specificity=3) if name == "workspace_id" else ScopeTerm()
    items = (value,) if isinstance(value, str) else tuple(value)
    if items == ("*",):
        return ScopeTerm()
    patterned = [item for item in items if "*" in item]
    return ScopeTerm(
        values=tuple(item for item in items if "*" not in item),
        patterns=tuple(Wildcard(item) for item in patterned),
        specificity=1 if patterned else 3 if len(items) == 1 else 2,
    )


@dataclass(frozen=True, kw_only=True)
class BindingEntry:
    """One binding as the router sees it."""

    document: AgentBinding
    revision: str
    file: str
    line: int
    runner: AgentRunnerDescriptor
    filters: tuple[CompiledFilter, ...] = ()
    pause: BindingPause | None = None
    """Who paused it has taken it out until it is resumed."""
    scope: tuple[ScopeTerm, ...] = field(init=False)
    exact: frozenset[str] = field(init=False)
    prefixes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        patterns = self.document.event_types
        set_ = object.__setattr__
        set_(
            self,
            "scope",
            tuple(scope_term(getattr(self.document.scope, name), name) for name in SCOPE_FIELDS),
        )
        set_(self, "exact", frozenset(canonical_type(item) for item in patterns if "*" not in item))
        set_(
            self,
            "prefixes",
            tuple(sorted((item[:-1] for item in patterns if "*" in item), key=len, reverse=True)),
        )

    @property
    def binding_id(self) -> str:
        """Id of the binding."""
        return self.document.binding_id

    @property
    def state(self) -> BindingState:
        """Whether it takes part."""
        if not self.document.enabled:
            return "disabled"
        return "live" if self.pause is None else "paused"

    @property
    def workspace_id(self) -> str:
        """The one workspace that it takes, or `*`."""
        stated = self.document.scope.workspace_id or "default"
        return stated if isinstance(stated, str) and "*" not in stated else ANY_WORKSPACE

    def serves(self, workspace_id: str) -> bool:
        """Whether it takes events of a workspace."""
        return self.scope[-1].matches(workspace_id)

    @property
    def origin(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"

    @cached_property
    def scope_rank(self) -> tuple[int, ...]:
        """How specific the scope is, field by field."""
        return tuple(term.specificity for term in self.scope)

    def type_rank(self, event_type: str) -> int | None:
        """Literal length of the pattern that takes a type, above all for an exact one; None if none does.

        The type goes by its own name, not by an alias.
        """
        if event_type in self.exact:
            return 1_000_000
        for prefix in self.prefixes:
            if event_type.startswith(prefix):
                return len(prefix)
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Quarantined:
    """A document that stays out, with its reason; the others run."""

    binding_id: str | None
    file: str
    line: int
    reason: str
    revision: str | None = None
    workspace_id: str | None = None
    """The one workspace that it says it takes; None where that cannot be told."""

    @property
    def origin(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.line}"


class BindingSet:
    """All bindings of a host at one moment; immutable, named by its digest."""

    def __init__(
        self,
        entries: Iterable[BindingEntry],
        quarantined: Iterable[Quarantined] = (),
        *,
        timezone: str = "UTC",
    ) -> None:
        self.entries: tuple[BindingEntry, ...] = tuple(sorted(entries, key=lambda entry: entry.binding_id))
        self.quarantined: tuple[Quarantined, ...] = tuple(quarantined)
        self.timezone = timezone
        self.live: tuple[BindingEntry, ...] = tuple(entry for entry in self.entries if entry.state == "live")
        self._by_id: Mapping[str, BindingEntry] = {entry.binding_id: entry for entry in self.entries}

    @cached_property
    def digest(self) -> str:
        """Names the set: the same documents live and paused, the same digest."""
        rows = [
            (entry.binding_id, entry.revision)
            if entry.pause is None
            else (entry.binding_id, entry.revision, "paused")
            for entry in self.entries
        ]
        text = json.dumps([self.timezone, rows], separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    def get(self, binding_id: str) -> BindingEntry | None:
        """The binding of that id, if it is not quarantined."""
        return self._by_id.get(binding_id)

    def with_pauses(self, pauses: Mapping[str, BindingPause]) -> "BindingSet":
        """The same set with these bindings, by id, paused and all others not."""
        entries = [replace(entry, pause=pauses.get(entry.binding_id)) for entry in self.entries]
        return BindingSet(entries, self.quarantined, timezone=self.timezone)

    def of_workspace(self, workspace_id: str) -> "BindingSet":
        """What of it concerns a workspace."""
        entries = [entry for entry in self.entries if entry.serves(workspace_id)]
        quarantined = [item for item in self.quarantined if item.workspace_id == workspace_id]
        return BindingSet(entries, quarantined, timezone=self.timezone)

    def __len__(self) -> int:
        return len(self.entries)
