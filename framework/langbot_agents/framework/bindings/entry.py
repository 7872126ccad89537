"""One binding as the router sees it: its document, its runner, its filters, and the parts read off them."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeVar

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

_T = TypeVar("_T")


@lru_cache(maxsize=4096)
def _shared(value: _T) -> _T:
    """The same value for equal ones: most bindings are alike in most of their parts."""
    return value


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


@lru_cache(maxsize=4096)
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


@dataclass(frozen=True, kw_only=True, slots=True)
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
    scope_rank: tuple[int, ...] = field(init=False)
    """How specific the scope is, field by field."""
    scope_names: tuple[str, ...] = field(init=False)
    """The values of the fields of its scope that name one."""
    exact: frozenset[str] = field(init=False)
    prefixes: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        patterns = self.document.event_types
        scope = tuple(scope_term(getattr(self.document.scope, name), name) for name in SCOPE_FIELDS)
        exact = frozenset(canonical_type(item) for item in patterns if "*" not in item)
        prefixes = {item[:-1] for item in patterns if "*" in item}
        set_ = object.__setattr__
        set_(self, "scope", scope)
        set_(self, "scope_rank", _shared(tuple(term.specificity for term in scope)))
        set_(self, "scope_names", tuple(term.values[0] for term in scope if term.specificity == 3))
        set_(self, "exact", _shared(exact))
        set_(self, "prefixes", _shared(tuple(sorted(prefixes, key=lambda text: (-len(text), text)))))

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
