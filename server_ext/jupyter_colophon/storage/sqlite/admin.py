"""Create, extend and drop tables on SQLite; their specs are stored beside them (`spi.TableAdmin`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from sqlite3 import Connection
from typing import TypeVar

from jupyter_colophon.core.errors import InvalidField, NotFound, StoreDamaged
from jupyter_colophon.storage.specs import (
    build_renamed_spec,
    from_json_text,
    require_compatible_spec,
    require_new_table_name,
    require_unused_table_name,
    require_valid_spec,
    to_json_text,
)
from jupyter_colophon.storage.spi import TableSpec
from jupyter_colophon.storage.sql.statements import quote_names
from jupyter_colophon.storage.sql.table import CompiledTable
from jupyter_colophon.storage.sqlite.dialect import DIALECT

T = TypeVar("T")
_CREATE_SPECS = "CREATE TABLE IF NOT EXISTS structured_tables (id TEXT PRIMARY KEY, shape TEXT NOT NULL) WITHOUT ROWID"
_SHAPES_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'structured_tables'"
_WRITE_SPEC = "INSERT INTO structured_tables (id, shape) VALUES (?, ?) ON CONFLICT DO UPDATE SET shape = excluded.shape"
_ALL = "SELECT id, shape FROM structured_tables ORDER BY id"
_TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
_SHAPE = "SELECT shape FROM structured_tables WHERE id = ?"

Exclusively = Callable[[Callable[[Connection], T]], T]


class SqliteAdmin:
    """Create and drop tables, each call in one transaction."""

    def __init__(
        self,
        exclusively: Callable[[Callable[[Connection], None]], None],
        subsystems: list[str],
        indexes: list[str],
        added: Mapping[str, Mapping[str, str]],
        removed: Mapping[str, Collection[str]],
        moved: Mapping[str, Sequence[str]],
    ) -> None:
        """`indexes` are indexes of the tables of the subsystems, `added` columns that were added to these tables, by table;
        `removed` are former columns. `moved` are former tables with the statements that move some of their rows.
        """
        self._exclusively, self._subsystems, self._added, self._removed = exclusively, subsystems, added, removed
        self._indexes = indexes
        self._moved = moved
        self._known: dict[str, CompiledTable] = {}

    def create_or_update(self, *specs: TableSpec) -> None:
        """Create or extend tables to match these specs; safe for processes that start together. Unchanged tables are not
        touched.
        """
        for spec in specs:
            require_valid_spec(spec)

        def create(connection: Connection) -> None:
            self._create_or_update_subsystem_tables(connection)
            shapes = _read_stored_shapes(connection)
            for spec in specs:
                require_new_table_name(spec, shapes)
                if shapes.get(spec.id) != (shape := to_json_text(spec)):
                    _create_or_extend_table(connection, spec, shapes.get(spec.id))
                    shapes[spec.id] = shape

        self._exclusively(create)
        for table, statements in self._moved.items():
            self._move_rows_of_former_table(table, statements)
        self._known.update({spec.id: CompiledTable.from_spec(DIALECT, spec) for spec in specs})

    def _create_or_update_subsystem_tables(self, connection: Connection) -> None:
        for statement in (_CREATE_SPECS, *self._subsystems):
            connection.execute(statement)
        for table, columns in self._added.items():
            _add_missing_columns(connection, table, columns)
        for table, removed in self._removed.items():
            for name in sorted(_list_column_names(connection, table).intersection(removed)):
                connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{name}"')
        for statement in self._indexes:
            connection.execute(statement)

    def _move_rows_of_former_table(self, table: str, statements: Sequence[str]) -> None:
        """Move all rows of a former table, some in each transaction, and drop it."""
        is_moved: list[bool] = []

        def move_some_rows(connection: Connection) -> None:
            if connection.execute(_TABLE_EXISTS, (table,)).fetchone() is None:
                is_moved.append(True)
            elif connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone() is None:
                connection.execute(f'DROP TABLE "{table}"')
            else:
                for statement in statements:
                    connection.execute(statement)

        while not is_moved:
            self._exclusively(move_some_rows)

    def exists(self, table_id: str) -> bool:
        """Return whether a table exists."""
        return table_id in self.list()

    def get_spec(self, table_id: str) -> TableSpec:
        """Return the spec of a table. Raises NotFound."""
        specs: list[TableSpec] = []
        self._exclusively(lambda connection: specs.extend(_read_stored_specs(connection, table_id)))
        if not specs:
            raise NotFound("table", table_id)
        return specs[0]

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Rename a table and fields of it; its rows are kept."""

        def rename_table(connection: Connection) -> None:
            for old in _read_stored_specs(connection, table_id):
                if new_id != table_id:
                    require_unused_table_name(new_id, _list_table_ids(connection))
                _rename_table_and_columns(connection, old, build_renamed_spec(old, new_id, fields))

        self._exclusively(rename_table)
        self._known.pop(table_id, None)
        self._known.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Drop a table with all its rows, if it exists."""

        def drop_table(connection: Connection) -> None:
            for spec in _read_stored_specs(connection, table_id):
                connection.execute(f'DROP TABLE "{spec.id}"')
                connection.execute("DELETE FROM structured_tables WHERE id = ?", (spec.id,))

        self._exclusively(drop_table)
        self._known.pop(table_id, None)

    def list(self) -> list[str]:
        """Return the ids of all tables, sorted."""
        ids: list[str] = []

        def read_ids(connection: Connection) -> None:
            if connection.execute(_SHAPES_THERE).fetchone() is not None:
                ids.extend(_list_table_ids(connection))

        self._exclusively(read_ids)
        return ids

    def get_compiled_table(self, connection: Connection, table_id: str) -> CompiledTable:
        """Return a table for a transaction. Raises InvalidField if it does not exist."""
        if table_id not in self._known:
            specs = _read_stored_specs(connection, table_id)
            if not specs:
                raise InvalidField(f"unknown table {table_id}")
            self._known[table_id] = CompiledTable.from_spec(DIALECT, specs[0])
        return self._known[table_id]


def _list_table_ids(connection: Connection) -> list[str]:
    return list(_read_stored_shapes(connection))


def _read_stored_shapes(connection: Connection) -> dict[str, str]:
    """Return the specs of all tables as JSON, by id."""
    shapes = dict(connection.execute(_ALL))
    if not all(isinstance(id_, str) for id_ in shapes):
        raise StoreDamaged("the name of a table cannot be read")
    return shapes


def _read_stored_specs(connection: Connection, table_id: str) -> list[TableSpec]:
    return [from_json_text(text) for (text,) in connection.execute(_SHAPE, (table_id,))]


def _create_or_extend_table(connection: Connection, spec: TableSpec, shape: str | None) -> None:
    """Create a table, or extend the one whose stored spec is this JSON. Raises TableSchemaIncompatible."""
    if shape is not None:
        require_compatible_spec(from_json_text(shape), spec)
    columns = {name: DIALECT.define_column(name, kind) for name, kind in spec.fields.items()}
    key = quote_names(spec.primary_key)
    connection.execute(
        f'CREATE TABLE IF NOT EXISTS "{spec.id}" ({", ".join(columns.values())}, PRIMARY KEY ({key})) WITHOUT ROWID'
    )
    if shape is not None:
        _add_missing_columns(connection, spec.id, columns)
    for name in spec.indexes:
        connection.execute(f'CREATE INDEX IF NOT EXISTS "{spec.id}_by_{name}" ON "{spec.id}" ("{name}")')
    connection.execute(_WRITE_SPEC, (spec.id, to_json_text(spec)))


def _rename_table_and_columns(connection: Connection, old: TableSpec, new: TableSpec) -> None:
    require_valid_spec(new)
    for name in old.indexes:
        connection.execute(f'DROP INDEX IF EXISTS "{old.id}_by_{name}"')
    if new.id != old.id:
        connection.execute(f'ALTER TABLE "{old.id}" RENAME TO "{new.id}"')
    for before, after in zip(old.fields, new.fields, strict=True):
        if before != after:
            connection.execute(f'ALTER TABLE "{new.id}" RENAME COLUMN "{before}" TO "{after}"')
    connection.execute("DELETE FROM structured_tables WHERE id = ?", (old.id,))
    _create_or_extend_table(connection, new, None)


def _add_missing_columns(connection: Connection, table: str, columns: Mapping[str, str]) -> None:
    """Add the missing ones of these columns, in their order."""
    present = _list_column_names(connection, table)
    for name, column in columns.items():
        if name not in present:
            connection.execute(f'ALTER TABLE "{table}" ADD COLUMN {column}')


def _list_column_names(connection: Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}
