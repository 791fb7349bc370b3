"""Archive the changes of rows by triggers, in the transaction of each change (`spi.RowArchive`).

Triggers belong to the file: every process that writes it archives its changes, also one that knows no archive.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from sqlite3 import Connection

from jupyter_colophon.storage.changes.archived_rows import COMMIT, DELETE, NAME, PUT, TABLE
from jupyter_colophon.storage.spi import FieldType, TableSpec
from jupyter_colophon.storage.tables import CHANGE, SETTINGS

#: The change log as a source of rows.
LOG = TableSpec("change_log", CHANGE, ("seq",))
_NEXT = f"(SELECT COALESCE(MAX(id), 0) + 1 FROM {TABLE.id})"
_ADD = f"INSERT INTO {TABLE.id} (id, operation, source, content)"
_TRIGGERS = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'archive!_%' ESCAPE '!'"
_IS_ACTIVE = f"SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'archive_{SETTINGS.id}_put_insert'"
_NEWEST = f"(SELECT operation FROM {TABLE.id} ORDER BY id DESC LIMIT 1)"
#: Ends a write, if it changed rows.
_MARK = f"{_ADD} SELECT {_NEXT}, '{COMMIT}', '', ? WHERE {_NEWEST} <> '{COMMIT}'"
_MARK_FIRST = f"{_ADD} SELECT {_NEXT}, '{COMMIT}', '', ? WHERE NOT EXISTS (SELECT 1 FROM {TABLE.id})"
_WRITE_STATE = f"INSERT INTO {SETTINGS.id} (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
_DELETE_STATE = f"DELETE FROM {SETTINGS.id} WHERE name = ?"

Exclusively = Callable[[Callable[[Connection], None]], None]


class SqliteRowArchive:
    """Starts and stops the archive of one file."""

    def __init__(self, exclusively: Exclusively) -> None:
        self._exclusively = exclusively

    def start(self, specs: Iterable[TableSpec], state: bytes) -> None:
        """Archive the changes of these tables and of the change log from now on, and write the store's state.

        The table of archived rows exists. An archive that was started before continues.
        """
        statements = [statement for spec in (*specs, LOG) for statement in _build_triggers(spec)]

        def create(connection: Connection) -> None:
            _drop_triggers(connection)
            connection.execute(_WRITE_STATE, (NAME, state))
            for statement in statements:
                connection.execute(statement)
            connection.execute(_MARK_FIRST, (_build_mark(),))

        self._exclusively(create)

    def stop(self) -> None:
        """Archive nothing from now on."""

        def drop(connection: Connection) -> None:
            _drop_triggers(connection)
            connection.execute(_DELETE_STATE, (NAME,))

        self._exclusively(drop)


class WriteMarks:
    """Marks the end of each write on the connection for writing, while changes are archived."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._schema_version, self._is_active = -1, False

    def mark_end_of_write(self) -> None:
        """Mark the end of a write in the open transaction, if it changed rows."""
        version = self._connection.execute("PRAGMA schema_version").fetchone()[0]
        if version != self._schema_version:
            self._schema_version = version
            self._is_active = self._connection.execute(_IS_ACTIVE).fetchone() is not None
        if self._is_active:
            self._connection.execute(_MARK, (_build_mark(),))


def _build_mark() -> str:
    return json.dumps([time.time_ns() // 1_000_000])


def _drop_triggers(connection: Connection) -> None:
    for (name,) in connection.execute(_TRIGGERS).fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')


def _build_triggers(spec: TableSpec) -> list[str]:
    values = _build_array("NEW", spec.fields)
    key = _build_array("OLD", {name: spec.fields[name] for name in spec.primary_key})
    return [
        _build_trigger(spec.id, PUT, "INSERT", values),
        _build_trigger(spec.id, PUT, "UPDATE", values),
        _build_trigger(spec.id, DELETE, "DELETE", key),
    ]


def _build_trigger(table: str, operation: str, event: str, content: str) -> str:
    return (
        f'CREATE TRIGGER "archive_{table}_{operation}_{event.lower()}" AFTER {event} ON "{table}" BEGIN '
        f"{_ADD} VALUES ({_NEXT}, '{operation}', '{table}', {content}); END"
    )


def _build_array(row: str, fields: Mapping[str, FieldType]) -> str:
    values = [_build_value(f'{row}."{name}"', kind) for name, kind in fields.items()]
    return f"json_array({', '.join(values)})"


def _build_value(column: str, kind: FieldType) -> str:
    """Return an expression whose JSON value has every bit of a column; see `archive_files.decode_value`."""
    if kind == "bytes":
        return f"CASE WHEN {column} IS NOT NULL THEN hex({column}) END"
    if kind in ("float", "double"):
        return f"CASE WHEN {column} IS NOT NULL THEN printf('%!.17g', {column}) END"
    return column
