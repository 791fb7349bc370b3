"""The tables that can be read: their columns, and how documents of the API become rows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One of them: its schema in Spark's words, and what makes a row of a document."""

    schema: str
    row: Callable[[Mapping[str, Any]], Row]


def time_of(text: str | None) -> datetime | None:
    """A time as Spark takes it."""
    return None if text is None else datetime.fromisoformat(text)


def _entity(told: Mapping[str, Any]) -> Row:
    created, updated = told["created"], told["updated"]
    names = (told[name] for name in ("urn", "type", "namespace", "name", "platform"))
    return (*names, time_of(created["time"]), created["actor"], time_of(updated["time"]), updated["actor"])


def _hit(told: Mapping[str, Any]) -> Row:
    return (*_entity(told), told.get("description"), list(told.get("tags", ())), told.get("owner"))


def _aspect(told: Mapping[str, Any]) -> Row:
    """Of a line of an export, which the reader gave its namespace."""
    kind = told["urn"].split(":", 3)[2]
    return told["urn"], kind, told["namespace"], told["aspect"], _json(told["value"])


def _edge(told: Mapping[str, Any]) -> Row:
    ends = (told["source"], told["target"], told["access"], list(told["runs"]), told["runCount"])
    return (*ends, time_of(told["start"]), time_of(told["end"]), told["reportedBy"], told["declared"])


def _change(told: Mapping[str, Any]) -> Row:
    names = ("urn", "type", "namespace", "name", "aspect", "operation", "version", "scope", "actor", "via", "run")
    said = (told[name] for name in names)
    return (told["seq"], time_of(told["time"]), *said, _json(told["previous"]), _json(told["value"]))


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_ENTITY = (
    "urn STRING, type STRING, namespace STRING, name STRING, platform STRING, "
    "created TIMESTAMP, created_by STRING, updated TIMESTAMP, updated_by STRING"
)
TABLES: Final[Mapping[str, Table]] = {
    "entities": Table(_ENTITY, _entity),
    "search": Table(f"{_ENTITY}, description STRING, tags ARRAY<STRING>, owner STRING", _hit),
    "aspects": Table("urn STRING, type STRING, namespace STRING, aspect STRING, value STRING", _aspect),
    "edges": Table(
        "source STRING, target STRING, access STRING, runs ARRAY<STRING>, run_count BIGINT, "
        "start TIMESTAMP, end TIMESTAMP, reported_by STRING, declared BOOLEAN",
        _edge,
    ),
    "changes": Table(
        "seq BIGINT, time TIMESTAMP, urn STRING, type STRING, namespace STRING, name STRING, aspect STRING, "
        "operation STRING, version BIGINT, scope STRING, actor STRING, via STRING, run STRING, "
        "previous STRING, value STRING",
        _change,
    ),
}
