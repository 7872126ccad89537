"""Which bindings were live when."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
LIVE = sa.text("until IS NULL")


def upgrade() -> None:
    """Add the tables; what was live before is not known."""
    op.create_table(
        "binding_set",
        sa.Column("seq", BIG, primary_key=True, autoincrement=True),
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("timezone", sa.Text, nullable=False),
        sa.Column("function_set", sa.Text, nullable=False),
        sa.Column("quarantined", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("binding_set_by_digest", "binding_set", ["workspace_id", "digest", "seq"])
    op.create_index("binding_set_by_place", "binding_set", ["workspace_id", "seq"])
    op.create_table(
        "binding_member",
        sa.Column("workspace_id", sa.Text, nullable=False),
        sa.Column("binding_id", sa.Text, nullable=False),
        sa.Column("since", BIG, nullable=False),
        sa.Column("until", BIG, nullable=True),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("line", BIG, nullable=False),
        sa.Column("pause", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("workspace_id", "binding_id", "since"),
    )
    op.create_index(
        "binding_member_live",
        "binding_member",
        ["workspace_id"],
        sqlite_where=LIVE,
        postgresql_where=LIVE,
    )
