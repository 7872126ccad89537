"""Every table of the store; the workspace leads each key and index.

`*_at` is RFC 3339 text with microseconds and `Z`, which sorts; JSON is text. A column's `info["kind"]` says
which of the two a text column holds, and `rows` converts by it.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

METADATA = MetaData()

EVENT_UNDECIDED = "NOT decided"
DISPATCH_WAITING = "outcome = 'waiting'"
RUN_ACTIVE = "status IN ('queued', 'running')"
DELIVERY_UNFINISHED = "status IN ('pending', 'sending')"
USER_TURN = "role = 'user'"
MEMBER_LIVE = "until IS NULL"
EXTERNAL_KEY = "substr(key, 1, 9) = 'external.'"
# A partial index serves only a query that repeats its condition word for word, so both use these texts.

BIG = BigInteger().with_variant(Integer, "sqlite")
# SQLite numbers rows by itself only where the type is spelled INTEGER; PostgreSQL's INTEGER ends at 2^31.


def _text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null)


def _json(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null, info={"kind": "json"})


def _time(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null, info={"kind": "time"})


def _number(name: str, *, null: bool = False) -> Column[int]:
    return Column(name, BIG, nullable=null)


def _seq() -> Column[int]:
    return Column("seq", BIG, primary_key=True, autoincrement=True)


def _partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


event = Table(
    "event",
    METADATA,
    _seq(),
    _text("workspace_id"),
    _text("event_uid"),
    _text("event_id", null=True),
    _text("event_type"),
    _text("source_kind"),
    _text("source_name"),
    _text("bot_id_key"),
    _text("conversation_key", null=True),
    _time("received_at"),
    _text("retention_class"),
    Column("decided", Boolean, nullable=False),
    _json("envelope"),
    _partial(
        "event_dedup",
        "workspace_id",
        "event_id",
        "source_kind",
        "source_name",
        "bot_id_key",
        where="event_id IS NOT NULL",
        unique=True,
    ),
    Index("event_uid_unique", "workspace_id", "event_uid", unique=True),
    Index("event_by_workspace", "workspace_id", "seq"),
    Index("event_by_type", "workspace_id", "event_type", "seq"),
    _partial(
        "event_by_conversation",
        "workspace_id",
        "conversation_key",
        "seq",
        where="conversation_key IS NOT NULL",
    ),
    _partial("event_undecided", "workspace_id", where=EVENT_UNDECIDED),
    Index("event_retention", "workspace_id", "retention_class", "received_at"),
    sqlite_autoincrement=True,
)

decision = Table(
    "decision",
    METADATA,
    _text("workspace_id"),
    _text("event_uid"),
    _text("decision_id"),
    _number("event_seq"),
    _text("outcome"),
    _json("decision"),
    PrimaryKeyConstraint("workspace_id", "event_uid"),
    Index("decision_by_outcome", "workspace_id", "outcome", "event_seq"),
)

dispatch = Table(
    "dispatch",
    METADATA,
    _text("workspace_id"),
    _text("dispatch_id"),
    _text("event_uid"),
    _text("binding_id"),
    _text("revision"),
    _text("flow_key"),
    _text("outcome"),
    _text("reason", null=True),
    _text("run_id", null=True),
    _text("into", null=True),
    _time("created_at"),
    _time("ended_at", null=True),
    PrimaryKeyConstraint("workspace_id", "dispatch_id"),
    Index("dispatch_by_event", "workspace_id", "event_uid", "binding_id", unique=True),
    _partial("dispatch_waiting", "workspace_id", where=DISPATCH_WAITING),
)

run = Table(
    "run",
    METADATA,
    _text("workspace_id"),
    _text("run_id"),
    _text("event_uid"),
    _text("dispatch_id", null=True),
    _text("binding_id"),
    _text("revision"),
    _text("runner_id"),
    _text("runner_distribution", null=True),
    _text("runner_version", null=True),
    _text("host_version"),
    _number("attempt"),
    _number("crash_restarts"),
    _text("status"),
    Column("effectful", Boolean, nullable=False),
    _text("code", null=True),
    _text("reason", null=True),
    _json("usage", null=True),
    _json("models"),
    Column("warnings", Text, nullable=False, server_default="[]", info={"kind": "json"}),
    _text("parent_run_id", null=True),
    _time("created_at"),
    _time("started_at", null=True),
    _time("ended_at", null=True),
    _text("retention_class"),
    PrimaryKeyConstraint("workspace_id", "run_id"),
    Index("run_by_event", "workspace_id", "event_uid", "run_id"),
    Index("run_by_binding", "workspace_id", "binding_id", "run_id"),
    Index("run_by_status", "workspace_id", "status", "run_id"),
    _partial("run_active", "workspace_id", where=RUN_ACTIVE),
    Index("run_retention", "workspace_id", "retention_class", "created_at"),
)

run_result = Table(
    "run_result",
    METADATA,
    _text("workspace_id"),
    _text("run_id"),
    _number("sequence"),
    _number("first_sequence"),
    _text("type"),
    _text("message_id", null=True),
    _json("data"),
    Column("timestamp", Float(53), nullable=False),
    PrimaryKeyConstraint("workspace_id", "run_id", "sequence"),
)

transcript = Table(
    "transcript",
    METADATA,
    _seq(),
    _text("workspace_id"),
    _text("conversation_key"),
    _text("role"),
    _json("content"),
    _text("event_uid"),
    _text("run_id", null=True),
    _text("actor_id", null=True),
    _time("created_at"),
    _text("retention_class"),
    Index("transcript_by_conversation", "workspace_id", "conversation_key", "seq"),
    _partial("transcript_turns", "workspace_id", "conversation_key", "seq", where=USER_TURN),
    Index("transcript_by_event", "workspace_id", "event_uid"),
    Index("transcript_retention", "workspace_id", "retention_class", "created_at"),
    sqlite_autoincrement=True,
)

state = Table(
    "state",
    METADATA,
    _text("workspace_id"),
    _text("namespace"),
    _text("runner_id"),
    _text("scope"),
    _text("scope_id"),
    _text("key"),
    _json("value"),
    _number("version"),
    _time("updated_at"),
    _time("expires_at", null=True),
    PrimaryKeyConstraint("workspace_id", "namespace", "runner_id", "scope", "scope_id", "key"),
    _partial("state_external", "workspace_id", "scope", "scope_id", where=EXTERNAL_KEY),
    _partial("state_expiry", "workspace_id", "expires_at", where="expires_at IS NOT NULL"),
)

artifact = Table(
    "artifact",
    METADATA,
    _text("workspace_id"),
    _text("artifact_id"),
    _text("run_id", null=True),
    _text("conversation_key", null=True),
    _text("name", null=True),
    _text("mime_type"),
    _number("size"),
    _text("digest"),
    _text("access"),
    _time("created_at"),
    _time("expires_at", null=True),
    _text("retention_class"),
    PrimaryKeyConstraint("workspace_id", "artifact_id"),
    Index("artifact_by_digest", "workspace_id", "digest"),
    Index("artifact_by_run", "workspace_id", "run_id", "artifact_id"),
    Index("artifact_retention", "workspace_id", "retention_class", "created_at"),
    _partial("artifact_expiry", "workspace_id", "expires_at", where="expires_at IS NOT NULL"),
)

delivery = Table(
    "delivery",
    METADATA,
    _text("workspace_id"),
    _text("delivery_id"),
    _text("run_id"),
    _text("event_uid"),
    _text("message_id"),
    _text("surface"),
    _json("target"),
    _text("target_key"),
    _number("chunk"),
    _json("content", null=True),
    _text("status"),
    _number("attempts"),
    _text("platform_message_id", null=True),
    _text("error", null=True),
    _time("created_at"),
    _time("updated_at"),
    PrimaryKeyConstraint("workspace_id", "delivery_id"),
    Index("delivery_place", "workspace_id", "run_id", "message_id", "target_key", "chunk", unique=True),
    Index("delivery_by_event", "workspace_id", "event_uid", "delivery_id"),
    Index("delivery_by_status", "workspace_id", "status", "delivery_id"),
    _partial("delivery_unfinished", "workspace_id", where=DELIVERY_UNFINISHED),
)

dead_letter = Table(
    "dead_letter",
    METADATA,
    _text("workspace_id"),
    _text("dead_letter_id"),
    _text("kind"),
    _text("event_uid"),
    _text("run_id", null=True),
    _text("delivery_id", null=True),
    _text("code"),
    _text("reason"),
    _json("data"),
    _time("created_at"),
    PrimaryKeyConstraint("workspace_id", "dead_letter_id"),
    Index("dead_letter_by_event", "workspace_id", "event_uid"),
)

binding_revision = Table(
    "binding_revision",
    METADATA,
    _text("workspace_id"),
    _text("digest"),
    _text("binding_id"),
    _json("document"),
    _text("origin"),
    _time("created_at"),
    PrimaryKeyConstraint("workspace_id", "digest"),
    Index("binding_revision_by_binding", "workspace_id", "binding_id", "created_at"),
)

binding_set = Table(
    "binding_set",
    METADATA,
    _seq(),
    _text("workspace_id"),
    _text("digest"),
    _text("timezone"),
    _text("function_set"),
    _json("quarantined"),
    _time("created_at"),
    Index("binding_set_by_digest", "workspace_id", "digest", "seq"),
    Index("binding_set_by_place", "workspace_id", "seq"),
    sqlite_autoincrement=True,
)

binding_member = Table(
    "binding_member",
    METADATA,
    _text("workspace_id"),
    _text("binding_id"),
    _number("since"),
    _number("until", null=True),
    _text("revision"),
    _text("file"),
    _number("line"),
    _json("pause", null=True),
    PrimaryKeyConstraint("workspace_id", "binding_id", "since"),
    _partial("binding_member_live", "workspace_id", where=MEMBER_LIVE),
)

conversation = Table(
    "conversation",
    METADATA,
    _text("workspace_id"),
    _text("conversation_key"),
    _text("bot_id", null=True),
    _text("source_name"),
    _text("conversation_id"),
    _text("conversation_type", null=True),
    _text("thread_id", null=True),
    _text("title", null=True),
    _number("turn_count"),
    _time("reset_at", null=True),
    _number("reset_seq"),
    _time("created_at"),
    _time("updated_at"),
    _time("expires_at", null=True),
    PrimaryKeyConstraint("workspace_id", "conversation_key"),
    Index("conversation_by_change", "workspace_id", "updated_at", "conversation_key"),
)

lease = Table(
    "lease",
    METADATA,
    _text("workspace_id"),
    _text("flow_key"),
    _text("holder"),
    _number("number"),
    _time("expires_at"),
    PrimaryKeyConstraint("workspace_id", "flow_key"),
)

timer = Table(
    "timer",
    METADATA,
    _text("workspace_id"),
    _text("timer_id"),
    _text("kind"),
    _json("data"),
    _time("due_at"),
    PrimaryKeyConstraint("workspace_id", "timer_id"),
    Index("timer_due", "workspace_id", "due_at"),
)

token = Table(
    "token",
    METADATA,
    _text("workspace_id"),
    _text("name"),
    _text("hash"),
    _json("scopes"),
    _json("may_state"),
    _time("created_at"),
    _time("expires_at", null=True),
    PrimaryKeyConstraint("workspace_id", "name"),
    Index("token_hash", "workspace_id", "hash", unique=True),
)

binding_pause = Table(
    "binding_pause",
    METADATA,
    _text("workspace_id"),
    _text("binding_id"),
    _text("reason", null=True),
    _time("created_at"),
    PrimaryKeyConstraint("workspace_id", "binding_id"),
)

runner_owner = Table(
    "runner_owner",
    METADATA,
    _text("workspace_id"),
    _text("runner_id"),
    _text("distribution"),
    _time("created_at"),
    PrimaryKeyConstraint("workspace_id", "runner_id"),
)

approval = Table(
    "approval",
    METADATA,
    _text("workspace_id"),
    _text("approval_id"),
    _text("run_id"),
    _text("event_uid"),
    _text("binding_id"),
    _text("revision"),
    _text("action"),
    _json("target"),
    _json("payload"),
    _text("reason", null=True),
    _json("actor", null=True),
    _text("digest"),
    _json("approvers"),
    _text("status"),
    _text("decided_by", null=True),
    _text("decided_via", null=True),
    _time("decided_at", null=True),
    _json("result", null=True),
    _text("error", null=True),
    _time("created_at"),
    _time("updated_at"),
    _time("expires_at"),
    PrimaryKeyConstraint("workspace_id", "approval_id"),
    Index("approval_by_status", "workspace_id", "status", "approval_id"),
    Index("approval_by_run", "workspace_id", "run_id"),
)

interaction = Table(
    "interaction",
    METADATA,
    _text("workspace_id"),
    _text("interaction_id"),
    _text("run_id"),
    _text("event_uid"),
    _text("binding_id"),
    _text("conversation_key", null=True),
    _text("delivery_id", null=True),
    _json("request"),
    _json("submission", null=True),
    _text("status"),
    _time("created_at"),
    _time("updated_at"),
    _time("expires_at", null=True),
    PrimaryKeyConstraint("workspace_id", "interaction_id"),
    Index("interaction_by_status", "workspace_id", "status", "interaction_id"),
    Index("interaction_by_run", "workspace_id", "run_id"),
)

audit = Table(
    "audit",
    METADATA,
    _text("workspace_id"),
    _text("audit_id"),
    _text("actor"),
    _text("verb"),
    _text("object"),
    _text("way"),
    _json("data"),
    _time("created_at"),
    PrimaryKeyConstraint("workspace_id", "audit_id"),
    Index("audit_by_object", "workspace_id", "object", "audit_id"),
)
