"""Tables on PostgreSQL: made, widened and taken away; their shapes are kept beside them (`spi.TableAdmin`)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence

from jupyter_colophon.core.errors import InvalidField, NotFound, TableSchemaIncompatible
from jupyter_colophon.storage.postgresql.dialect import DIALECT
from jupyter_colophon.storage.postgresql.execute import Execute
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
from jupyter_colophon.storage.sql.statements import compared
from jupyter_colophon.storage.sql.table import Shape

_SHAPES = 'CREATE TABLE structured_tables (id text COLLATE "C" PRIMARY KEY, shape text NOT NULL)'
_SHAPES_THERE = "SELECT to_regclass('structured_tables') IS NOT NULL"
_ALL = "SELECT id, shape FROM structured_tables ORDER BY id"
_SHAPE = "SELECT shape FROM structured_tables WHERE id = %s"
_KEEP = """INSERT INTO structured_tables (id, shape) VALUES (%s, %s)
    ON CONFLICT (id) DO UPDATE SET shape = excluded.shape"""
#: What stands for the tables of the seams among the shapes, and for what was done to them since; no table has such a name.
_SEAMS, _GROWTH = _RESERVED = "-", "+"


class PostgresAdmin:
    """Makes tables and takes them away, each call in one transaction of its own, one process at a time."""

    def __init__(
        self,
        making: Callable[[Callable[[Execute], None]], None],
        looking: Callable[[Callable[[Execute], None]], None],
        seams: Sequence[str],
        growth: Sequence[str],
    ) -> None:
        """`making` makes the schema where there is none; `looking` leaves a schema away that is not there.

        `seams` makes the tables of the seams; `growth` is what is done to them since, once each.
        """
        self._making, self._looking, self._seams, self._growth = making, looking, seams, growth
        self._made = hashlib.sha256("\n".join(seams).encode()).hexdigest()
        self._known: dict[str, Shape] = {}

    def create_or_update(self, *specs: TableSpec) -> None:
        """Make tables exist in this shape; safe when several processes start together. What is there stays untouched."""
        for spec in specs:
            check_spec(spec)

        def work(execute: Execute) -> None:
            shapes = _shapes(execute)
            if _SEAMS not in shapes:
                for statement in (_SHAPES, *self._seams):
                    execute(statement)
                execute(_KEEP, (_SEAMS, self._made))
            elif shapes[_SEAMS] != self._made:
                raise TableSchemaIncompatible("the tables of the change log, search or lineage are another version's")
            self._grow(execute, int(shapes.get(_GROWTH, 0)))
            for spec in specs:
                check_newcomer(spec, shapes)
                if shapes.get(spec.id) != to_text(spec):
                    _make(execute, spec, shapes.get(spec.id))

        self._making(work)
        self._known.update({spec.id: Shape.of(DIALECT, spec) for spec in specs})

    def exists(self, table_id: str) -> bool:
        """Whether there is such a table."""
        return table_id in self.list()

    def schema(self, table_id: str) -> TableSpec:
        """The shape of a table. Raises NotFound."""
        text = self._stored().get(table_id)
        if text is None:
            raise NotFound("table", table_id)
        return from_text(text)

    def rename(self, table_id: str, new_id: str, fields: Mapping[str, str]) -> None:
        """Give a table another name, and other names to some of its fields; its rows stay."""

        def work(execute: Execute) -> None:
            shapes = _shapes(execute)
            if table_id in _RESERVED or table_id not in shapes:
                return
            if new_id != table_id:
                check_free(new_id, shapes)
            old = from_text(shapes[table_id])
            _rename(execute, old, rename_spec(old, new_id, fields))

        self._looking(work)
        self._known.pop(table_id, None)
        self._known.pop(new_id, None)

    def drop(self, table_id: str) -> None:
        """Take a table away with all its rows, if it is there."""

        def work(execute: Execute) -> None:
            if table_id not in _RESERVED and table_id in _shapes(execute):
                execute(f'DROP TABLE "{table_id}"')
                execute("DELETE FROM structured_tables WHERE id = %s", (table_id,))

        self._looking(work)
        self._known.pop(table_id, None)

    def list(self) -> list[str]:
        """The ids of all tables, sorted."""
        return sorted(self._stored())

    def known(self, execute: Execute, table_id: str) -> Shape:
        """Return a table for a transaction. Raises InvalidField if it does not exist."""
        if table_id not in self._known:
            found = execute(_SHAPE, (table_id,)).fetchone() if table_id not in _RESERVED else None
            if found is None:
                raise InvalidField(f"unknown table {table_id}")
            self._known[table_id] = Shape.of(DIALECT, from_text(found[0]))
        return self._known[table_id]

    def _stored(self) -> dict[str, str]:
        found: dict[str, str] = {}
        self._looking(lambda execute: found.update(_shapes(execute)))
        return {table_id: shape for table_id, shape in found.items() if table_id not in _RESERVED}

    def _grow(self, execute: Execute, grown: int) -> None:
        """Do to the tables of the seams what was not done yet. Raises TableSchemaIncompatible where more was."""
        if grown > len(self._growth):
            raise TableSchemaIncompatible("the tables of the change log, search or lineage are a newer version's")
        for statement in self._growth[grown:]:
            execute(statement)
        if grown < len(self._growth):
            execute(_KEEP, (_GROWTH, str(len(self._growth))))


def _shapes(execute: Execute) -> dict[str, str]:
    if not execute(_SHAPES_THERE).fetchone()[0]:
        return {}
    return dict(execute(_ALL))


def _make(execute: Execute, spec: TableSpec, old_shape: str | None) -> None:
    old = from_text(old_shape) if old_shape else None
    if old is None:
        _create(execute, spec)
    else:
        check_successor(old, spec)
        _widen(execute, old, spec)
    for name in spec.indexes:
        (column,), _ = compared(DIALECT, spec.fields, (name,))
        execute(f'CREATE INDEX IF NOT EXISTS "{spec.id}_by_{name}" ON "{spec.id}" ({column})')
    execute(_KEEP, (spec.id, to_text(spec)))


def _create(execute: Execute, spec: TableSpec) -> None:
    columns = [
        DIALECT.column(name, kind) + (" NOT NULL" if name in spec.primary_key else "")
        for name, kind in spec.fields.items()
    ]
    key, _ = compared(DIALECT, spec.fields, spec.primary_key)
    execute(f'CREATE TABLE "{spec.id}" ({", ".join(columns)})')
    execute(f'CREATE UNIQUE INDEX "{spec.id}_key" ON "{spec.id}" ({", ".join(key)})')


def _widen(execute: Execute, old: TableSpec, spec: TableSpec) -> None:
    for name, kind in spec.fields.items():
        if name not in old.fields:
            execute(f'ALTER TABLE "{spec.id}" ADD COLUMN {DIALECT.column(name, kind)}')
        elif DIALECT.column_types[old.fields[name]] != DIALECT.column_types[kind]:
            execute(f'ALTER TABLE "{spec.id}" ALTER COLUMN "{name}" TYPE {DIALECT.column_types[kind]}')


def _rename(execute: Execute, old: TableSpec, new: TableSpec) -> None:
    check_spec(new)
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
    execute(_KEEP, (new.id, to_text(new)))
