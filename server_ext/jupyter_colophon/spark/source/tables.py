"""The tables that can be read: their columns, and the conversion of API documents to rows."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

from jupyter_colophon.spark.source.options import InvalidOption

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column: its type in Spark SQL, and the function that returns its value in a document."""

    type: str
    read: Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table: its columns by name."""

    columns: Mapping[str, SourceColumn]

    @property
    def schema(self) -> str:
        """The schema of all columns, in Spark SQL."""
        return ", ".join(f"{name} {column.type}" for name, column in self.columns.items())

    def choose_columns(self, schema: Any) -> tuple[str, ...]:
        """Return the columns of a schema (`StructType`). Raises InvalidOption for one that the table does not have."""
        types = {field.name: field.dataType.simpleString().upper() for field in schema.fields}
        for name, kind in types.items():
            if name not in self.columns:
                raise InvalidOption(f"unknown column {name!r}; available: {', '.join(self.columns)}")
            if kind != (expected := self.columns[name].type):
                raise InvalidOption(f"the column {name} has the type {expected}, not {kind}")
        return tuple(types)

    def build_row(self, columns: Iterable[str]) -> Callable[[Mapping[str, Any]], Row]:
        """Return the function that converts a document to a row with these columns."""
        readers = [self.columns[name].read for name in columns]
        return lambda document: tuple(read(document) for read in readers)


def parse_time(text: str | None) -> datetime | None:
    """Return a time for Spark."""
    return None if text is None else datetime.fromisoformat(text)


def format_json_value(value: Any) -> str | None:
    """Return a value of an aspect as compact JSON."""
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _build_string_column(name: str) -> SourceColumn:
    return SourceColumn("STRING", itemgetter(name))


def _build_number_column(name: str) -> SourceColumn:
    return SourceColumn("BIGINT", itemgetter(name))


def _build_time_column(name: str) -> SourceColumn:
    return SourceColumn("TIMESTAMP", lambda document: parse_time(document[name]))


def _build_json_column(name: str) -> SourceColumn:
    return SourceColumn("STRING", lambda document: format_json_value(document[name]))


def _build_stamp_columns(name: str) -> dict[str, SourceColumn]:
    """Return the columns of the time and the actor of a change."""
    return {
        name: SourceColumn("TIMESTAMP", lambda document: parse_time(document[name]["time"])),
        f"{name}_by": SourceColumn("STRING", lambda document: document[name]["actor"]),
    }


_ENTITY: Final = {
    **{name: _build_string_column(name) for name in ("urn", "type", "namespace", "name", "platform")},
    **_build_stamp_columns("created"),
    **_build_stamp_columns("updated"),
}
#: What aspects and descriptors have of their entity: a line of an export, to which the reader added the namespace.
_LINE: Final = {
    "urn": _build_string_column("urn"),
    "type": SourceColumn("STRING", lambda document: document["urn"].split(":", 3)[2]),
    "namespace": _build_string_column("namespace"),
    "aspect": _build_string_column("aspect"),
}
TABLES: Final[Mapping[str, SourceTable]] = {
    "entities": SourceTable(_ENTITY),
    "search": SourceTable(
        {
            **_ENTITY,
            "description": SourceColumn("STRING", lambda document: document.get("description")),
            "tags": SourceColumn("ARRAY<STRING>", lambda document: list(document.get("tags", ()))),
            "owner": SourceColumn("STRING", lambda document: document.get("owner")),
        }
    ),
    "aspects": SourceTable(
        {
            **_LINE,
            "value": _build_json_column("value"),
            "bytes": SourceColumn(
                "BIGINT", lambda document: len((format_json_value(document["value"]) or "").encode())
            ),
        }
    ),
    "descriptors": SourceTable({**_LINE, **{name: _build_string_column(name) for name in ("kind", "key", "text")}}),
    "edges": SourceTable(
        {
            "source": _build_string_column("source"),
            "target": _build_string_column("target"),
            "access": _build_string_column("access"),
            "runs": SourceColumn("ARRAY<STRING>", lambda document: list(document["runs"])),
            "run_count": _build_number_column("runCount"),
            "start": _build_time_column("start"),
            "end": _build_time_column("end"),
            "reported_by": _build_string_column("reportedBy"),
            "declared": SourceColumn("BOOLEAN", itemgetter("declared")),
        }
    ),
    "changes": SourceTable(
        {
            "seq": _build_number_column("seq"),
            "time": _build_time_column("time"),
            **{
                name: _build_string_column(name) for name in ("urn", "type", "namespace", "name", "aspect", "operation")
            },
            "version": _build_number_column("version"),
            **{name: _build_string_column(name) for name in ("scope", "actor", "via", "run")},
            "previous": _build_json_column("previous"),
            "value": _build_json_column("value"),
        }
    ),
}
