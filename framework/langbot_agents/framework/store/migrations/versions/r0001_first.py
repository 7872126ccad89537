"""The first shape of the store."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _index(name: str, table: str, *columns: str, unique: bool = False, where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(
        name, table, list(columns), unique=unique, sqlite_where=condition, postgresql_where=condition
    )


def upgrade() -> None:
    """Make every table."""
    _events()
    _runs()
    _projections()
    _deliveries()
    _documents()
    _coordination()
    _people()


def _events() -> None:
    op.create_table(
        "event",
        sa.Column("seq", BIG, primary_key=True, autoincrement=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("event_id", sa.Text, nullable=True),
        sa.Column("event_type", sa.Text, nullable=False),
        sa.Column("source_kind", sa.Text, nullable=False),
        sa.Column("source_name", sa.Text, nullable=False),
        sa.Column("bot_id_key", sa.Text, nullable=False),
        sa.Column("conversation_key", sa.Text, nullable=True),
        sa.Column("received_at", sa.Text, nullable=False),
        sa.Column("retention_class", sa.Text, nullable=False),
        sa.Column("decided", sa.Boolean, nullable=False),
        sa.Column("envelope", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    _index(
        "event_by_conversation",
        "event",
        "workspace_id",
        "conversation_key",
        "seq",
        where="conversation_key IS NOT NULL",
    )
    _index("event_by_type", "event", "workspace_id", "event_type", "seq")
    _index("event_by_workspace", "event", "workspace_id", "seq")
    _index(
        "event_dedup",
        "event",
        "workspace_id",
        "event_id",
        "source_kind",
        "source_name",
        "bot_id_key",
        unique=True,
        where="event_id IS NOT NULL",
    )
    _index("event_retention", "event", "workspace_id", "retention_class", "received_at")
    _index("event_uid_unique", "event", "workspace_id", "event_uid", unique=True)
    _index("event_undecided", "event", "workspace_id", where="NOT decided")
    op.create_table(
        "decision",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("decision_id", sa.Text, nullable=False),
        sa.Column("event_seq", BIG, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "event_uid"),
    )
    _index("decision_by_outcome", "decision", "workspace_id", "outcome", "event_seq")
    op.create_table(
        "dispatch",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("dispatch_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("flow_key", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("run_id", sa.Text, nullable=True),
        sa.Column("into", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "dispatch_id"),
    )
    _index("dispatch_by_event", "dispatch", "workspace_id", "event_uid", "binding_id", unique=True)
    _index("dispatch_waiting", "dispatch", "workspace_id", where="outcome = 'waiting'")


def _runs() -> None:
    op.create_table(
        "run",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("dispatch_id", sa.Text, nullable=True),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("runner_id", sa.Text, nullable=False),
        sa.Column("runner_distribution", sa.Text, nullable=True),
        sa.Column("runner_version", sa.Text, nullable=True),
        sa.Column("host_version", sa.Text, nullable=False),
        sa.Column("attempt", BIG, nullable=False),
        sa.Column("crash_restarts", BIG, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("effectful", sa.Boolean, nullable=False),
        sa.Column("code", sa.Text, nullable=True),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("usage", sa.Text, nullable=True),
        sa.Column("models", sa.Text, nullable=False),
        sa.Column("parent_run_id", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=True),
        sa.Column("ended_at", sa.Text, nullable=True),
        sa.Column("retention_class", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "run_id"),
    )
    _index("run_active", "run", "workspace_id", where="status IN ('queued', 'running')")
    _index("run_by_binding", "run", "workspace_id", "binding_id", "run_id")
    _index("run_by_event", "run", "workspace_id", "event_uid", "run_id")
    _index("run_by_status", "run", "workspace_id", "status", "run_id")
    _index("run_retention", "run", "workspace_id", "retention_class", "created_at")
    op.create_table(
        "run_result",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("sequence", BIG, nullable=False),
        sa.Column("first_sequence", BIG, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=True),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("timestamp", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "run_id", "sequence"),
    )


def _projections() -> None:
    op.create_table(
        "transcript",
        sa.Column("seq", BIG, primary_key=True, autoincrement=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("conversation_key", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=True),
        sa.Column("actor_id", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("retention_class", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    _index("transcript_by_conversation", "transcript", "workspace_id", "conversation_key", "seq")
    _index("transcript_by_event", "transcript", "workspace_id", "event_uid")
    _index("transcript_retention", "transcript", "workspace_id", "retention_class", "created_at")
    _index("transcript_turns", "transcript", "workspace_id", "conversation_key", "seq", where="role = 'user'")
    op.create_table(
        "state",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("namespace", sa.Text, nullable=False),
        sa.Column("runner_id", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("scope_id", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("version", BIG, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "namespace", "runner_id", "scope", "scope_id", "key"),
    )
    _index(
        "state_external",
        "state",
        "workspace_id",
        "scope",
        "scope_id",
        where="substr(key, 1, 9) = 'external.'",
    )
    _index("state_expiry", "state", "workspace_id", "expires_at", where="expires_at IS NOT NULL")
    op.create_table(
        "artifact",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("artifact_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=True),
        sa.Column("conversation_key", sa.Text, nullable=True),
        sa.Column("name", sa.Text, nullable=True),
        sa.Column("mime_type", sa.Text, nullable=False),
        sa.Column("size", BIG, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("access", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=True),
        sa.Column("retention_class", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "artifact_id"),
    )
    _index("artifact_by_digest", "artifact", "workspace_id", "digest")
    _index("artifact_by_run", "artifact", "workspace_id", "run_id", "artifact_id")
    _index("artifact_expiry", "artifact", "workspace_id", "expires_at", where="expires_at IS NOT NULL")
    _index("artifact_retention", "artifact", "workspace_id", "retention_class", "created_at")


def _deliveries() -> None:
    op.create_table(
        "delivery",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("delivery_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("surface", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("target_key", sa.Text, nullable=False),
        sa.Column("chunk", BIG, nullable=False),
        sa.Column("content", sa.Text, nullable=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", BIG, nullable=False),
        sa.Column("platform_message_id", sa.Text, nullable=True),
        sa.Column("error", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "delivery_id"),
    )
    _index("delivery_by_event", "delivery", "workspace_id", "event_uid", "delivery_id")
    _index("delivery_by_status", "delivery", "workspace_id", "status", "delivery_id")
    _index(
        "delivery_place",
        "delivery",
        "workspace_id",
        "run_id",
        "message_id",
        "target_key",
        "chunk",
        unique=True,
    )
    _index("delivery_unfinished", "delivery", "workspace_id", where="status IN ('pending', 'sending')")
    op.create_table(
        "dead_letter",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("dead_letter_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=True),
        sa.Column("delivery_id", sa.Text, nullable=True),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "dead_letter_id"),
    )
    _index("dead_letter_by_event", "dead_letter", "workspace_id", "event_uid")


def _documents() -> None:
    op.create_table(
        "binding_revision",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "digest"),
    )
    _index("binding_revision_by_binding", "binding_revision", "workspace_id", "binding_id", "created_at")
    op.create_table(
        "conversation",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("conversation_key", sa.Text, nullable=False),
        sa.Column("bot_id", sa.Text, nullable=True),
        sa.Column("source_name", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, nullable=False),
        sa.Column("conversation_type", sa.Text, nullable=True),
        sa.Column("thread_id", sa.Text, nullable=True),
        sa.Column("title", sa.Text, nullable=True),
        sa.Column("turn_count", BIG, nullable=False),
        sa.Column("reset_at", sa.Text, nullable=True),
        sa.Column("reset_seq", BIG, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "conversation_key"),
    )
    _index("conversation_by_change", "conversation", "workspace_id", "updated_at", "conversation_key")


def _coordination() -> None:
    op.create_table(
        "lease",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("flow_key", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "flow_key"),
    )
    op.create_table(
        "timer",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("timer_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("due_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "timer_id"),
    )
    _index("timer_due", "timer", "workspace_id", "due_at")


def _people() -> None:
    op.create_table(
        "token",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("may_state", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "name"),
    )
    _index("token_hash", "token", "workspace_id", "hash", unique=True)
    op.create_table(
        "binding_pause",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "binding_id"),
    )
    op.create_table(
        "runner_owner",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("runner_id", sa.Text, nullable=False),
        sa.Column("distribution", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "runner_id"),
    )
    op.create_table(
        "approval",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("approval_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("actor", sa.Text, nullable=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("approvers", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=True),
        sa.Column("decided_via", sa.Text, nullable=True),
        sa.Column("decided_at", sa.Text, nullable=True),
        sa.Column("result", sa.Text, nullable=True),
        sa.Column("error", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "approval_id"),
    )
    _index("approval_by_run", "approval", "workspace_id", "run_id")
    _index("approval_by_status", "approval", "workspace_id", "status", "approval_id")
    op.create_table(
        "interaction",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("interaction_id", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("event_uid", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("conversation_key", sa.Text, nullable=True),
        sa.Column("delivery_id", sa.Text, nullable=True),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("submission", sa.Text, nullable=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "interaction_id"),
    )
    _index("interaction_by_run", "interaction", "workspace_id", "run_id")
    _index("interaction_by_status", "interaction", "workspace_id", "status", "interaction_id")
    op.create_table(
        "audit",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("audit_id", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("verb", sa.Text, nullable=False),
        sa.Column("object", sa.Text, nullable=False),
        sa.Column("way", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("workspace_id", "audit_id"),
    )
    _index("audit_by_object", "audit", "workspace_id", "object", "audit_id")
