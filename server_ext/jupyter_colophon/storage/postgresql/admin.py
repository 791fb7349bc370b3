"""Create, extend and drop tables on PostgreSQL; their specs are stored beside them (`spi.TableAdmin`)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence

from jupyter_colophon.core.errors import InvalidField, NotFound, TableSchemaIncompatible
from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Execute
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
from jupyter_colophon.storage.sql.statements import build_comparable_columns
from jupyter_colophon.storage.sql.table import CompiledTable

_CREATE_SPECS = 'CREATE TABLE structured_tables (id text COLLATE "C" PRIMARY KEY, shape text NOT NULL)'
_SHAPES_THERE = "SELECT to_regclass('structured_tables') IS NOT NULL"
_ALL = "SELECT id, shape FROM structured_tables ORDER BY id"
_SHAPE = "SELECT shape FROM structured_tables WHERE id = %s"
_WRITE_SPEC = """INSERT INTO structured_tables (id, shape) VALUES (%s, %s)
    ON CONFLICT (id) DO UPDATE SET shape = excluded.shape"""
#: The names under which the versions of the subsystems' tables are stored among the specs; no table can have such a name.
_SUBSYSTEMS, _GROWTH = _RESERVED = "-", "+"


class PostgresAdmin:
    """Create and drop tables, each call in one transaction, one process at a time."""

    def __init__(
        self,
        making: Callable[[Callable[[Execute], None]], None],
        looking: Callable[[Callable[[Execute], None]], None],
        subsystems: Sequence[str],
        growth: Sequence[str],
    ) -> None:
        """`making` runs a change in the schema, creating it if needed; `looking` does not create it.

        `subsystems` creates the tables of the subsystems; `growth` are later changes to them, each applied once.
        """
        self._making, self._looking, self._subsystems, self._growth = making, looking, subsystems, growth
        self._made = hashlib.sha256("\n".join(subsystems).encode()).hexdigest()
        self._known: dict[str, CompiledTable] = {}

    def create_or_update(self, *specs: TableSpec) -> None:
        """Create or extend tables to match these specs; safe for processes that start together. Unchanged tables are
        not touched.
        """
        for spec in specs:
            require_valid_spec(spec)

        def create(execute: Execute) -> None:
            shapes = _read_stored_shapes(execute)
            if _SUBSYSTEMS not in shapes:
                for statement in (_CREATE_SPECS, *self._subsystems):
                    execute(statement)
                execute(_WRITE_SPEC, (_SUBSYSTEMS, self._made))
            elif shapes[_SUBSYSTEMS] != self._made:
                raise TableSchemaIncompatible(
                    "the tables of the change log, search or lineage were created by another version"
                )
            self._upgrade_subsystem_tables(execute, int(shapes.get(_GROWTH, 0)))
            for spec in specs:
                require_new_table_name(spec, shapes)
                if shapes.get(spec.id) != to_json_text(spec):
                    _create_or_extend_table(execute, spec, shapes.get(spec.id))

        self._making(create)
        self._known.update({spec.id: CompiledTable.from_spec(DIALECT, spec) for spec in specs})

    def exists(self, table_id: str) -> bool:
        """Return whether a table exists."""
        return table_id in self.list()

    def get_spec(self, table_id: str) -> TableSpec:
        """Return the spec of a table. Raises NotFound."""
        text = self._read_stored_specs().get(table_id)
        if text is None:
            raise NotFound("table", table_id)
        return from_json_text(text)

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Rename a table and fields of it; its rows are kept."""

        def rename_table(execute: Execute) -> None:
            shapes = _read_stored_shapes(execute)
            if table_id in _RESERVED or table_id not in shapes:
                return
            if new_id != table_id:
                require_unused_table_name(new_id, shapes)
            old = from_json_text(shapes[table_id])
            _rename_table_and_columns(execute, old, build_renamed_spec(old, new_id, fields))

        self._looking(rename_table)
        self._known.pop(table_id, None)
        self._known.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Drop a table with all its rows, if it exists."""

        def drop_table(execute: Execute) -> None:
            if table_id not in _RESERVED and table_id in _read_stored_shapes(execute):
                execute(f'DROP TABLE "{table_id}"')
                execute("DELETE FROM structured_tables WHERE id = %s", (table_id,))

        self._looking(drop_table)
        self._known.pop(table_id, None)

    def list(self) -> list[str]:
        """Return the ids of all tables, sorted."""
        return sorted(self._read_stored_specs())

    def get_compiled_table(self, execute: Execute, table_id: str) -> CompiledTable:
        """Return a table for a transaction. Raises InvalidField if it does not exist."""
        if table_id not in self._known:
            row = execute(_SHAPE, (table_id,)).fetchone() if table_id not in _RESERVED else None
            if row is None:
                raise InvalidField(f"unknown table {table_id}")
            self._known[table_id] = CompiledTable.from_spec(DIALECT, from_json_text(row[0]))
        return self._known[table_id]

    def _read_stored_specs(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        self._looking(lambda execute: texts.update(_read_stored_shapes(execute)))
        return {table_id: shape for table_id, shape in texts.items() if table_id not in _RESERVED}

    def _upgrade_subsystem_tables(self, execute: Execute, grown: int) -> None:
        """Apply missing changes to the tables of the subsystems. Raises TableSchemaIncompatible if a newer version has
        changed them.
        """
        if grown > len(self._growth):
            raise TableSchemaIncompatible(
                "the tables of the change log, search or lineage were changed by a newer version"
            )
        for statement in self._growth[grown:]:
            execute(statement)
        if grown < len(self._growth):
            execute(_WRITE_SPEC, (_GROWTH, str(len(self._growth))))


def _read_stored_shapes(execute: Execute) -> dict[str, str]:
    if not execute(_SHAPES_THERE).fetchone()[0]:
        return {}
    return dict(execute(_ALL))


def _create_or_extend_table(execute: Execute, spec: TableSpec, old_shape: str | None) -> None:
    old = from_json_text(old_shape) if old_shape else None
    if old is None:
        _create_table_and_indexes(execute, spec)
    else:
        require_compatible_spec(old, spec)
        _add_or_widen_columns(execute, old, spec)
    for name in spec.indexes:
        (column,), _ = build_comparable_columns(DIALECT, spec.fields, (name,))
        execute(f'CREATE INDEX IF NOT EXISTS "{spec.id}_by_{name}" ON "{spec.id}" ({column})')
    execute(_WRITE_SPEC, (spec.id, to_json_text(spec)))


def _create_table_and_indexes(execute: Execute, spec: TableSpec) -> None:
    columns = [
        DIALECT.define_column(name, kind) + (" NOT NULL" if name in spec.primary_key else "")
        for name, kind in spec.fields.items()
    ]
    key, _ = build_comparable_columns(DIALECT, spec.fields, spec.primary_key)
    execute(f'CREATE TABLE "{spec.id}" ({", ".join(columns)})')
    execute(f'CREATE UNIQUE INDEX "{spec.id}_key" ON "{spec.id}" ({", ".join(key)})')


def _add_or_widen_columns(execute: Execute, old: TableSpec, spec: TableSpec) -> None:
    for name, kind in spec.fields.items():
        if name not in old.fields:
            execute(f'ALTER TABLE "{spec.id}" ADD COLUMN {DIALECT.define_column(name, kind)}')
        elif DIALECT.column_types[old.fields[name]] != DIALECT.column_types[kind]:
            execute(f'ALTER TABLE "{spec.id}" ALTER COLUMN "{name}" TYPE {DIALECT.column_types[kind]}')


def _rename_table_and_columns(execute: Execute, old: TableSpec, new: TableSpec) -> None:
    require_valid_spec(new)
    for before, after in zip(old.indexes, new.indexes, strict=True):
        if (old.id, before) != (new.id, after):
            execute(f'ALTER INDEX "{old.id}_by_{before}" RENAME TO "{new.id}_by_{after}"')
    if new.id != old.id:
        execute(f'ALTER TABLE "{old.id}" RENAME TO "{new.id}"')
        execute(f'ALTER INDEX "{old.id}_key" RENAME TO "{new.id}_key"')
    for before, after in zip(old.fields, new.fields, strict=True):
        if before != after:
            execute(f'ALTER TABLE "{new.id}" RENAME COLUMN "{before}" TO "{after}"')
    execute("DELETE FROM structured_tables WHERE id = %s", (old.id,))
    execute(_WRITE_SPEC, (new.id, to_json_text(new)))
