"""What Alembic runs: on the connection that `upgrade` gives, or to text."""

from alembic import context

from langbot_agents.framework.store.tables import METADATA

attributes = context.config.attributes
if context.is_offline_mode():
    context.configure(dialect_name=attributes["dialect"], target_metadata=METADATA, literal_binds=True)
else:
    # Alembic takes SQLite's DDL for not transactional, which it is unless the driver commits by itself.
    context.configure(connection=attributes["connection"], target_metadata=METADATA, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
