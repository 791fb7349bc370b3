"""Tables on SQLite: made, widened and taken away; their shapes are kept beside them (`spi.TableAdmin`)."""

from collections.abc import Callable, Collection, Mapping
from sqlite3 import Connection
from typing import TypeVar

from jupyter_colophon.core.errors import InvalidField, NotFound, StoreDamaged
from jupyter_colophon.storage.specs import (
    check_free,
    check_newcomer,
    check_spec,
    check_successor,
    from_text,
    rename_spec,
    to_text,
)
from jupyter_colophon.storage.spi import TableSpec
from jupyter_colophon.storage.sql.statements import names
from jupyter_colophon.storage.sql.table import Shape
from jupyter_colophon.storage.sqlite.dialect import DIALECT

T = TypeVar("T")
_SHAPES = "CREATE TABLE IF NOT EXISTS structured_tables (id TEXT PRIMARY KEY, shape TEXT NOT NULL) WITHOUT ROWID"
_SHAPES_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'structured_tables'"
_KEEP = "INSERT INTO structured_tables (id, shape) VALUES (?, ?) ON CONFLICT DO UPDATE SET shape = excluded.shape"
_SHAPE = "SELECT shape FROM structured_tables WHERE id = ?"

Exclusively = Callable[[Callable[[Connection], T]], T]


class SqliteAdmin:
    """Makes tables and takes them away, each call in one transaction of its own."""

    def __init__(
        self,
        exclusively: Callable[[Callable[[Connection], None]], None],
        seams: list[str],
        gained: Mapping[str, Mapping[str, str]],
        lost: Mapping[str, Collection[str]],
    ) -> None:
        """`gained`: the columns that tables of the seams do not have from their creation, by table; `lost`: had once."""
        self._exclusively, self._seams, self._gained, self._lost = exclusively, seams, gained, lost
        self._known: dict[str, Shape] = {}

    def create_or_update(self, *specs: TableSpec) -> None:
        """Make tables exist in this shape; safe when several processes start together."""
        for spec in specs:
            check_spec(spec)

        def work(connection: Connection) -> None:
            for statement in (_SHAPES, *self._seams):
                connection.execute(statement)
            for table, columns in self._gained.items():
                _widen(connection, table, columns)
            for table, lost in self._lost.items():
                for name in sorted(_columns(connection, table).intersection(lost)):
                    connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{name}"')
            for spec in specs:
                check_newcomer(spec, _ids(connection))
                _make(connection, spec)

        self._exclusively(work)
        self._known.update({spec.id: Shape.of(DIALECT, spec) for spec in specs})

    def exists(self, table_id: str) -> bool:
        """Whether there is such a table."""
        return table_id in self.list()

    def schema(self, table_id: str) -> TableSpec:
        """The shape of a table. Raises NotFound."""
        found: list[TableSpec] = []
        self._exclusively(lambda connection: found.extend(_stored(connection, table_id)))
        if not found:
            raise NotFound("table", table_id)
        return found[0]

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Give a table another name, and other names to some of its fields; its rows stay."""

        def work(connection: Connection) -> None:
            for old in _stored(connection, table_id):
                if new_id != table_id:
                    check_free(new_id, _ids(connection))
                _rename(connection, old, rename_spec(old, new_id, fields))

        self._exclusively(work)
        self._known.pop(table_id, None)
        self._known.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Take a table away with all its rows, if it is there."""

        def work(connection: Connection) -> None:
            for spec in _stored(connection, table_id):
                connection.execute(f'DROP TABLE "{spec.id}"')
                connection.execute("DELETE FROM structured_tables WHERE id = ?", (spec.id,))

        self._exclusively(work)
        self._known.pop(table_id, None)

    def list(self) -> list[str]:
        """The ids of all tables, sorted."""
        found: list[str] = []

        def work(connection: Connection) -> None:
            if connection.execute(_SHAPES_THERE).fetchone() is not None:
                found.extend(_ids(connection))

        self._exclusively(work)
        return found

    def known(self, connection: Connection, table_id: str) -> Shape:
        """Return a table for a transaction. Raises InvalidField if it does not exist."""
        if table_id not in self._known:
            found = _stored(connection, table_id)
            if not found:
                raise InvalidField(f"unknown table {table_id}")
            self._known[table_id] = Shape.of(DIALECT, found[0])
        return self._known[table_id]


def _ids(connection: Connection) -> list[str]:
    found = [table_id for (table_id,) in connection.execute("SELECT id FROM structured_tables ORDER BY id")]
    if not all(isinstance(one, str) for one in found):
        raise StoreDamaged("the name of a table cannot be read")
    return found


def _stored(connection: Connection, table_id: str) -> list[TableSpec]:
    return [from_text(text) for (text,) in connection.execute(_SHAPE, (table_id,))]


def _make(connection: Connection, spec: TableSpec) -> None:
    for old in _stored(connection, spec.id):
        check_successor(old, spec)
    columns = {name: DIALECT.column(name, kind) for name, kind in spec.fields.items()}
    key = names(spec.primary_key)
    connection.execute(
        f'CREATE TABLE IF NOT EXISTS "{spec.id}" ({", ".join(columns.values())}, PRIMARY KEY ({key})) WITHOUT ROWID'
    )
    _widen(connection, spec.id, columns)
    for name in spec.indexes:
        connection.execute(f'CREATE INDEX IF NOT EXISTS "{spec.id}_by_{name}" ON "{spec.id}" ("{name}")')
    connection.execute(_KEEP, (spec.id, to_text(spec)))


def _rename(connection: Connection, old: TableSpec, new: TableSpec) -> None:
    check_spec(new)
    for name in old.indexes:
        connection.execute(f'DROP INDEX IF EXISTS "{old.id}_by_{name}"')
    if new.id != old.id:
        connection.execute(f'ALTER TABLE "{old.id}" RENAME TO "{new.id}"')
    for before, after in zip(old.fields, new.fields, strict=True):
        if before != after:
            connection.execute(f'ALTER TABLE "{new.id}" RENAME COLUMN "{before}" TO "{after}"')
    connection.execute("DELETE FROM structured_tables WHERE id = ?", (old.id,))
    _make(connection, new)


def _widen(connection: Connection, table: str, columns: Mapping[str, str]) -> None:
    """Add those columns that the table has not, in their order."""
    present = _columns(connection, table)
    for name, column in columns.items():
        if name not in present:
            connection.execute(f'ALTER TABLE "{table}" ADD COLUMN {column}')


def _columns(connection: Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}
