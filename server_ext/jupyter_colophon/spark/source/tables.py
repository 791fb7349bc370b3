"""The tables that can be read: their columns, and the conversion of API documents to rows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table: its schema in Spark SQL, and the function that converts a document to a row."""

    schema: str
    row: Callable[[Mapping[str, Any]], Row]


def parse_time(text: str | None) -> datetime | None:
    """Return a time for Spark."""
    return None if text is None else datetime.fromisoformat(text)


def _to_entity_row(document: Mapping[str, Any]) -> Row:
    created, updated = document["created"], document["updated"]
    names = (document[name] for name in ("urn", "type", "namespace", "name", "platform"))
    return (*names, parse_time(created["time"]), created["actor"], parse_time(updated["time"]), updated["actor"])


def _to_hit_row(document: Mapping[str, Any]) -> Row:
    return (
        *_to_entity_row(document),
        document.get("description"),
        list(document.get("tags", ())),
        document.get("owner"),
    )


def _to_aspect_row(document: Mapping[str, Any]) -> Row:
    """Convert a line of an export, to which the reader added the namespace."""
    kind = document["urn"].split(":", 3)[2]
    return document["urn"], kind, document["namespace"], document["aspect"], _to_json(document["value"])


def _to_edge_row(document: Mapping[str, Any]) -> Row:
    ends = (document["source"], document["target"], document["access"], list(document["runs"]), document["runCount"])
    return (
        *ends,
        parse_time(document["start"]),
        parse_time(document["end"]),
        document["reportedBy"],
        document["declared"],
    )


def _to_change_row(document: Mapping[str, Any]) -> Row:
    names = ("urn", "type", "namespace", "name", "aspect", "operation", "version", "scope", "actor", "via", "run")
    values = (document[name] for name in names)
    return (
        document["seq"],
        parse_time(document["time"]),
        *values,
        _to_json(document["previous"]),
        _to_json(document["value"]),
    )


def _to_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_ENTITY = (
    "urn STRING, type STRING, namespace STRING, name STRING, platform STRING, "
    "created TIMESTAMP, created_by STRING, updated TIMESTAMP, updated_by STRING"
)
TABLES: Final[Mapping[str, SourceTable]] = {
    "entities": SourceTable(_ENTITY, _to_entity_row),
    "search": SourceTable(f"{_ENTITY}, description STRING, tags ARRAY<STRING>, owner STRING", _to_hit_row),
    "aspects": SourceTable("urn STRING, type STRING, namespace STRING, aspect STRING, value STRING", _to_aspect_row),
    "edges": SourceTable(
        "source STRING, target STRING, access STRING, runs ARRAY<STRING>, run_count BIGINT, "
        "start TIMESTAMP, end TIMESTAMP, reported_by STRING, declared BOOLEAN",
        _to_edge_row,
    ),
    "changes": SourceTable(
        "seq BIGINT, time TIMESTAMP, urn STRING, type STRING, namespace STRING, name STRING, aspect STRING, "
        "operation STRING, version BIGINT, scope STRING, actor STRING, via STRING, run STRING, "
        "previous STRING, value STRING",
        _to_change_row,
    ),
}
