"""What was odd in the results of a run."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; runs from before have none."""
    op.add_column("run", sa.Column("warnings", sa.Text, nullable=False, server_default="[]"))
