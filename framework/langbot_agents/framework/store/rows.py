"""How a record becomes a row and a row a record, by the kinds of the table's columns."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import from_json, to_json
from sqlalchemy import Column, Table

from langbot_agents.framework.clock import rfc3339, utc_now

from .statements import Row, column_names

M = TypeVar("M", bound=BaseModel)


def dump_json(value: Any) -> str:
    """The JSON text of a value or a model."""
    return to_json(value).decode()


load_json: Callable[[str], Any] = from_json


def moment(value: Any = None) -> str:
    """The text of a given moment, else of now."""
    return rfc3339(utc_now() if value is None else value)


def optional_moment(value: Any) -> str | None:
    """The text of a moment that may be missing."""
    return None if value is None else rfc3339(value)


def _optional_json(value: Any) -> str | None:
    return None if value is None else dump_json(value)


def _encoder(column: Column[Any]) -> Callable[[Any], Any] | None:
    kind = column.info.get("kind")
    if kind == "json":
        return _optional_json if column.nullable else dump_json
    return optional_moment if kind == "time" else None


class Shape(Generic[M]):
    """One table's rows as records of one model; `names` maps a column to a field of another name."""

    def __init__(self, table: Table, model: type[M], names: Mapping[str, str] | None = None) -> None:
        self.model = model
        fields = {column.name: (names or {}).get(column.name, column.name) for column in table.columns}
        kept = [column for column in table.columns if fields[column.name] in model.model_fields]
        self.columns: list[Column[Any]] = kept
        self._fields = tuple(fields[column.name] for column in kept)
        self._json = tuple(place for place, column in enumerate(kept) if column.info.get("kind") == "json")
        self._write = tuple(
            (
                name,
                fields[name] if fields[name] in model.model_fields else None,
                _encoder(table.columns[name]),
            )
            for name in column_names(table)
        )

    def row(self, record: M, **more: Any) -> Row:
        """The row of a record, in the order of the table's insert; `more` gives columns that it lacks."""
        values = record.__dict__
        return tuple(
            [
                more[name] if field is None else values[field] if encode is None else encode(values[field])
                for name, field, encode in self._write
            ]
        )

    def record(self, row: Row) -> M:
        """The record of a row that was selected by `columns`."""
        values = list(row)
        for place in self._json:
            if values[place] is not None:
                values[place] = from_json(values[place])
        return self.model.model_validate(dict(zip(self._fields, values, strict=True)))

    def records(self, rows: list[Row]) -> list[M]:
        """The records of rows."""
        return [self.record(row) for row in rows]
