"""The `AgentBinding` document: which events, which runner, what it may touch, where its output goes."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field, StringConstraints, field_validator, model_validator

from .base import Document, JsonObject, Name, StringMap, or_text
from .events import ReplyTarget
from .text import I18nText
from .units import Duration, Size, TimeWindow

ApiVersion = Literal["langbot-agents/v1"]
API_VERSION: ApiVersion = "langbot-agents/v1"

EventPattern = Annotated[
    str,
    StringConstraints(
        pattern=r"^(\*|[a-z][a-z0-9_]*(\.[a-z0-9_-]+){0,4}\.\*|[a-z][a-z0-9_]*(\.[a-z0-9_-]+){1,4})$"
    ),
]
"""An event type, `ns.*` (at any depth) or `*`."""

ScopeText = Annotated[str, StringConstraints(min_length=1, max_length=512)]
ScopeValue = ScopeText | Annotated[tuple[ScopeText, ...], Field(min_length=1)]
"""A value, a list of values, or a pattern with `*`."""


class BindingScope(Document):
    """Where the binding applies; an omitted field matches anything, an omitted workspace means `default`."""

    workspace_id: ScopeValue | None = Field(default=None, description="Workspace; omitted means `default`.")
    source_kind: ScopeValue | None = Field(
        default=None, description="Kind of source, such as `platform_adapter`."
    )
    source_name: ScopeValue | None = Field(default=None, description="Name of the configured source.")
    bot_id: ScopeValue | None = Field(default=None, description="Bot.")
    conversation_type: ScopeValue | None = Field(default=None, description="`private`, `group` or `channel`.")
    conversation_id: ScopeValue | None = Field(default=None, description="Conversation, such as `group_123`.")
    thread_id: ScopeValue | None = Field(default=None, description="Thread.")
    actor_id: ScopeValue | None = Field(default=None, description="Who did it.")
    subject_type: ScopeValue | None = Field(default=None, description="Kind of subject, such as `message`.")


class EventFilter(Document):
    """A condition on the event; all filters of a binding must hold."""

    model_config = ConfigDict(json_schema_extra=or_text)

    name: str | None = Field(default=None, max_length=128, description="Name shown in explanations.")
    expr: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        description="JMESPath over the event's JSON form, giving true or false.",
        examples=["contains(input.text || '', 'refund')", "actor.actor_type != 'bot'"],
    )

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return {"expr": value} if isinstance(value, str) else value


class ActionPolicy(Document):
    """Which platform actions a run may ask for, and which of them a person must approve."""

    allow: tuple[str, ...] = Field(default=(), description="Action names; names may hold `*`.")
    require_approval: tuple[str, ...] = Field(
        default=(), description="Allowed actions that wait for a person."
    )
    approvers: tuple[str, ...] = Field(default=(), description="Actor ids that may decide.")
    expire_after: Duration = Field(default=86400.0, description="How long an approval waits.")


class Restriction(Document):
    """Resources that stay only while a condition on the event is true."""

    resources: tuple[str, ...] = Field(min_length=1, description="Resource names; names may hold `*`.")
    only_when: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        description="JMESPath; false or an error removes the resources."
    )


class StorageAccess(Document):
    """Which storage a runner may use."""

    plugin: bool = Field(default=True, description="The runner package's own storage.")
    workspace: bool = Field(default=False, description="Storage shared in the workspace.")


class ResourcePolicy(Document):
    """What the runner may touch; a field that is present narrows, an absent one does not."""

    models: tuple[str, ...] | None = Field(default=None, description="Model names.")
    tools: tuple[str, ...] | None = Field(default=None, description="Tool names.")
    knowledge_bases: tuple[str, ...] | None = Field(default=None, description="Knowledge base names.")
    files: tuple[str, ...] | None = Field(default=None, description="File names.")
    storage: StorageAccess | None = Field(default=None, description="Storage.")
    history: Literal["conversation", "workspace", False] | None = Field(
        default=None, description="How far history reaches."
    )
    events: bool | None = Field(default=None, description="Whether it may read events.")
    artifacts: bool | None = Field(default=None, description="Whether it may read and make artifacts.")
    prompt: bool | None = Field(default=None, description="Whether it may read the effective prompt.")
    steering: bool | None = Field(default=None, description="Whether it may take messages while it runs.")
    actions: ActionPolicy | None = Field(default=None, description="Platform actions.")
    restrict: tuple[Restriction, ...] = Field(default=(), description="Resources that depend on who asks.")


StateScope = Literal["conversation", "actor", "subject", "runner", "workspace"]


class StatePolicy(Document):
    """What the runner may remember, and under which name."""

    scopes: tuple[StateScope, ...] = Field(
        default=("conversation", "actor"), description="Scopes that are on."
    )
    namespace: Name | None = Field(
        default=None, description="Name that keeps state apart; default the binding_id."
    )
    expire_after: Duration | None = Field(
        default=None, description="How long a value lives after its last change."
    )


class RetryPolicy(Document):
    """How often something is tried, and the pause before the second try; it doubles."""

    max_attempts: int = Field(default=1, ge=1, le=100, description="Attempts in all.")
    backoff: Duration = Field(default=1.0, description="First pause.")


class DeliveryRetry(RetryPolicy):
    """How often a delivery is tried."""

    max_attempts: int = Field(default=5, ge=1, le=100, description="Attempts in all.")


class LongText(Document):
    """What becomes of text that is too long for one message."""

    strategy: Literal["split", "file", "forward", "image"] = Field(
        default="split", description="How it is sent."
    )
    threshold: int | None = Field(
        default=None, ge=64, description="Length from which it applies; default the surface's limit."
    )


class DelayRange(Document):
    """A random pause before a reply."""

    min: Duration = Field(default=0.0, description="Shortest pause.")
    max: Duration = Field(default=0.0, description="Longest pause.")

    @model_validator(mode="after")
    def _ordered(self) -> "DelayRange":
        if self.max < self.min:
            raise ValueError(f"max {self.max:g}s is shorter than min {self.min:g}s")
        return self


class NamedTarget(Document):
    """A place to deliver to, other than where the event came from."""

    surface: Name = Field(description="Name of the surface.")
    target: ReplyTarget = Field(description="Place on the surface.")

    @field_validator("target")
    @classmethod
    def _known_keys(cls, value: ReplyTarget) -> ReplyTarget:
        """A document refuses unknown keys, also in the wire model that it holds."""
        if value.model_extra:
            known = ", ".join(ReplyTarget.model_fields)
            raise ValueError(f"unknown key {min(value.model_extra)!r}; a target has {known}")
        return value


class DeliveryPolicy(Document):
    """Where the output goes and how it looks."""

    targets: tuple[Literal["reply", "none"] | NamedTarget, ...] = Field(
        default=("reply",), description="`reply`, a named surface and target, or `none`."
    )
    streaming: Literal["auto", "on", "off"] = Field(
        default="auto", description="Whether text is shown while it grows."
    )
    edit_interval: Duration = Field(default=1.0, description="Shortest pause between two edits.")
    on_error: Literal["hint", "error", "hide"] = Field(
        default="hint",
        description="What a person sees of a failure: a hint, the code and public message, or nothing.",
    )
    hint_text: I18nText | None = Field(
        default=None, description="The hint; default a text of ours in the event's language."
    )
    on_empty: Literal["hint", "silent"] = Field(
        default="hint", description="What is shown when a run says nothing."
    )
    on_unknown: Literal["hold", "resend"] = Field(
        default="hold", description="What becomes of a delivery whose outcome is not known."
    )
    long_text: LongText = Field(default=LongText(), description="Text that is too long for one message.")
    at_sender: bool = Field(default=False, description="Whether a reply in a group mentions the sender.")
    quote_origin: bool = Field(default=False, description="Whether a reply quotes the message.")
    remove_think: bool = Field(default=False, description="Whether text between think tags is removed.")
    show_tool_calls: bool = Field(default=False, description="Whether tool calls are shown.")
    delay: DelayRange | None = Field(default=None, description="Random pause before a reply.")
    retry: DeliveryRetry = Field(default=DeliveryRetry(), description="How often a delivery is tried.")
    quiet_hours: tuple[TimeWindow, ...] = Field(default=(), description="Hours in which nothing is sent.")

    @field_validator("targets")
    @classmethod
    def _none_stands_alone(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if "none" in value and len(value) > 1:
            raise ValueError("`none` stands alone; remove it or the other targets")
        return value


class Debounce(Document):
    """Wait for a pause before a run starts."""

    delay: Duration = Field(description="Pause that ends the wait.")
    max_events: int = Field(default=20, ge=1, description="Events after which it starts at once.")


class RateLimit(Document):
    """How many runs in a time."""

    limit: int = Field(ge=1, description="Runs.")
    window: Duration = Field(description="Time.")
    key: str | None = Field(
        default=None, description="JMESPath giving the text that is counted by; default the flow key."
    )
    strategy: Literal["drop", "wait"] = Field(default="drop", description="What becomes of the rest.")


class FlowPolicy(Document):
    """How events of one conversation follow each other."""

    key: str | None = Field(
        default=None, description="JMESPath giving the text that orders events; default the conversation."
    )
    overlap: Literal["queue", "latest", "merge", "interrupt", "steer", "parallel", "drop"] = Field(
        default="queue", description="What happens to an event while another of its key runs."
    )
    max_queue: int = Field(default=100, ge=1, le=100_000, description="Most events of one key that wait.")
    overflow: Literal["reject", "drop_oldest"] = Field(
        default="reject", description="What happens to one too many."
    )
    max_wait: Duration = Field(default=600.0, description="Longest wait; then the event is `expired`.")
    debounce: Debounce | None = Field(default=None, description="Wait for a pause.")
    rate_limit: RateLimit | None = Field(default=None, description="Runs in a time.")
    concurrency: int | None = Field(default=None, ge=1, description="Most runs of this binding at once.")
    join_actors: bool = Field(
        default=False, description="Whether messages of several actors may become one run."
    )


class RunLimits(Document):
    """Bounds of one run."""

    timeout: Duration = Field(default=300.0, gt=0, description="Longest run.")
    idle_timeout: Duration = Field(
        default=120.0, gt=0, description="Longest time between two results, the first included."
    )
    max_result_bytes: Size = Field(default=1024**2, gt=0, description="Largest result.")
    max_output_bytes: Size = Field(default=16 * 1024**2, gt=0, description="Most output of a run.")
    max_results: int = Field(default=100_000, ge=1, description="Most results of a run.")
    history_rounds: int = Field(
        default=10, ge=0, le=1000, description="User turns of history that the runner is given."
    )
    retry: RetryPolicy = Field(
        default=RetryPolicy(), description="How often a run that failed before any effect is tried."
    )
    crash_restarts: int = Field(default=1, ge=0, le=10, description="Starts after a crash of the host.")


class ActiveWindow(Document):
    """When the binding is active."""

    from_: AwareDatetime | None = Field(
        default=None, alias="from", description="First moment, RFC 3339 with a zone."
    )
    until: AwareDatetime | None = Field(
        default=None, description="First moment after it, RFC 3339 with a zone."
    )
    hours: tuple[TimeWindow, ...] = Field(default=(), description="Hours of the day; empty is all.")


def _offer_types(schema: dict[str, Any]) -> None:
    """Let an editor offer the types of the catalogue and their families; others are as good."""
    from .catalogue import standard_types

    names = [name for found in standard_types() if not found.pattern for name in (found.name, *found.aliases)]
    families = sorted({f"{name.split('.')[0]}.*" for name in (*names, "platform.any")})
    schema["items"] = {"anyOf": [{"enum": [*names, *families, "*"]}, schema["items"]]}


class AgentBinding(Document):
    """One binding: these events, here, under these conditions, are answered by this runner."""

    apiVersion: ApiVersion = Field(default=API_VERSION, description="`langbot-agents/v1`.")
    kind: Literal["AgentBinding"] = Field(default="AgentBinding", description="`AgentBinding`.")
    binding_id: Name = Field(description="Unique id in the set of bindings.")
    description: str | None = Field(default=None, description="What it is for.")
    enabled: bool = Field(default=True, description="Whether it takes part.")
    labels: StringMap = Field(default={}, validate_default=True, description="Free labels.")
    event_types: tuple[EventPattern, ...] = Field(
        min_length=1,
        description="Event types: exact, `ns.*` or `*`.",
        json_schema_extra=_offer_types,
        examples=[["message.received"], ["group.*"]],
    )
    scope: BindingScope = Field(default=BindingScope(), description="Where it applies.")
    filters: tuple[EventFilter, ...] = Field(default=(), description="Conditions; all must hold.")
    priority: int = Field(default=0, ge=-1_000_000, le=1_000_000, description="Higher answers first.")
    mode: Literal["respond", "observe"] = Field(
        default="respond",
        description="`respond`: at most one answers; `observe`: runs beside, never delivers.",
    )
    runner_id: Name = Field(
        description="Runner: `plugin:author/name/runner` or an alias such as `echo`.",
        examples=["echo", "local-agent", "discard"],
    )
    runner_config: JsonObject = Field(
        default={}, validate_default=True, description="Settings of the runner, by its config schema."
    )
    resource_policy: ResourcePolicy = Field(
        default=ResourcePolicy(), description="What the runner may touch."
    )
    state_policy: StatePolicy = Field(default=StatePolicy(), description="What it may remember.")
    delivery_policy: DeliveryPolicy = Field(default=DeliveryPolicy(), description="Where its output goes.")
    flow: FlowPolicy = Field(default=FlowPolicy(), description="How events follow each other.")
    limits: RunLimits = Field(default=RunLimits(), description="Bounds of a run.")
    on_failure: Literal["stop", "next"] = Field(
        default="stop", description="`next` tries the next candidate after a failure without effect."
    )
    active: ActiveWindow | None = Field(default=None, description="When it is active; default always.")

    @property
    def state_namespace(self) -> str:
        """The name that keeps this binding's state apart."""
        return self.state_policy.namespace or self.binding_id
