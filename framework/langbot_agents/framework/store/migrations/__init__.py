"""The history of the store's shape; Alembic is imported only where there is something to do."""

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Engine

REVISIONS = ("0001", "0002", "0003")
"""Every revision, oldest first; kept here so that a start on a current database need not import Alembic."""

HEAD = REVISIONS[-1]


def configuration(output: TextIO | None = None) -> "Config":
    """Alembic's configuration for this folder; `output` takes the SQL of the offline mode."""
    from alembic.config import Config

    config = Config(output_buffer=output)
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config


def upgrade(engine: "Engine") -> None:
    """Bring a database to the newest revision, in one transaction."""
    from alembic import command

    config = configuration()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def upgrade_sql(dialect: str, output: TextIO) -> None:
    """Write the SQL that makes an empty database of that dialect current."""
    from alembic import command

    config = configuration(output)
    config.attributes["dialect"] = dialect
    command.upgrade(config, "head", sql=True)
