"""The tables of an application in a transaction.

Each use holds a lock and checks that the transaction is open. So code that does not return can be abandoned: its next
use of a table fails, and the connection to the store is free for others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import RLock
from typing import Any, Final, TypeVar

from jupyter_colophon.apps.transaction_thread import TransactionMisused
from jupyter_colophon.core.errors import InvalidField, InvalidName, NotFound, quote_and_truncate_text
from jupyter_colophon.core.identity.names import Urn, make_namespace_urn
from jupyter_colophon.storage.changes.namespace_creation import is_namespace_created_after
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.spi import (
    FieldValue,
    Key,
    Order,
    Range,
    Row,
    StructuredTable,
    TableContext,
    TableSpec,
    TableStats,
)
from jupyter_colophon.storage.system_apps import CONTEXT, is_context_table

T = TypeVar("T")
_ENDED: Final = "the transaction has ended: its tables can only be used inside the callable"


class OpenTransaction:
    """A transaction that may be abandoned, and the namespaces that exist in it."""

    def __init__(self, tx: TableContext) -> None:
        self.tx = tx
        self._lock = RLock()
        self._is_open = True
        self._existing: set[str] = set()
        #: The namespace of an event, and the number of its change; then whether it was created again.
        self._event: tuple[str, int] = ("", 0)
        self._is_created_again: bool | None = None

    def use(self, work: Callable[[], T]) -> T:
        """Use the store. Raises TransactionMisused after the end of the transaction."""
        with self._lock:
            if not self._is_open:
                raise TransactionMisused(_ENDED)
            return work()

    def end(self) -> None:
        """Let no code use the store from now on. Waits for a running statement, which is limited in time."""
        with self._lock:
            self._is_open = False

    def require_generation_of_event(self, namespace: str, seq: int) -> None:
        """Let `require_generation` refuse a namespace if it was created again after an event."""
        self._event = (namespace, seq)

    def require_generation(self, name: str) -> None:
        """Raise NotFound for the namespace of an event that is about an earlier namespace of the same name."""
        if name != self._event[0] or not name:
            return
        if self._is_created_again is None:
            self._is_created_again = self.use(lambda: is_namespace_created_after(self.tx, *self._event))
        if self._is_created_again:
            raise create_no_namespace_error(name)

    def require_namespace(self, name: str) -> None:
        """Raise NotFound unless a namespace exists, and is not being deleted."""
        self.require_generation(name)
        if name not in self._existing:
            urn = str(require_namespace_urn(name))
            if self.use(lambda: find_entity_summary(self.tx, urn)) is None:
                raise create_no_namespace_error(name)
            self._existing.add(name)


def create_no_namespace_error(name: str) -> NotFound:
    """Return the error for a namespace that does not exist, or of which the caller may not know that it does."""
    return NotFound("Namespace", name)


def require_namespace_urn(name: str) -> Urn:
    """Return the URN of a namespace. Raises NotFound for a name that no namespace can have."""
    try:
        return make_namespace_urn(name)
    except InvalidName:
        raise create_no_namespace_error(name) from None


class Table:
    """A table of an application in one transaction (`StructuredTable`): rows by key, and scans of ranges of keys.

    A row of a table whose key begins with `context` can only be created if the namespace exists; NotFound is raised
    otherwise. Arguments that do not match the spec raise InvalidField.
    """

    def __init__(self, transaction: OpenTransaction, table: StructuredTable, spec: TableSpec) -> None:
        self._transaction, self._table = transaction, table
        self._has_context = is_context_table(spec)

    def upsert(self, row: Row) -> None:
        """Write a row; omitted columns keep their values."""
        self._require_context(row.get(CONTEXT))
        self._transaction.use(lambda: self._table.upsert(row))

    def upsert_many(self, rows: Sequence[Row]) -> None:
        """Write rows as `upsert` does, in their order."""
        for row in rows:
            self._require_context(row.get(CONTEXT))
        self._transaction.use(lambda: self._table.upsert_many(rows))

    def update(self, row: Row) -> bool:
        """Change an existing row; return whether it exists."""
        self._require_generation(row.get(CONTEXT))
        return self._transaction.use(lambda: self._table.update(row))

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        """Return the row with this complete key, or some of its columns."""
        self._require_generation(*key[:1])
        return self._transaction.use(lambda: self._table.read(key, columns))

    def read_many(self, keys: Sequence[Key]) -> list[Row]:
        """Return the existing rows with these keys, in no particular order."""
        self._require_generation(*(key[0] for key in keys if key))
        return self._transaction.use(lambda: self._table.read_many(keys))

    def scan(self, keys: Range, limit: int | None = None, order: Order = "asc") -> Iterator[Row]:
        """Yield the rows of a range in key order."""
        self._require_generation_of_ranges(keys)
        return self._iterate(lambda: self._table.scan(keys, limit, order))

    def scan_ranges(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Yield the rows of any of these ranges in key order, each once."""
        self._require_generation_of_ranges(*ranges)
        return self._iterate(lambda: self._table.scan_ranges(ranges, limit))

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        """Set a field if it has the value `old`, and return whether it had. None also matches a missing row, which is
        then created.
        """
        self._require_context_of_key(key)
        return self._transaction.use(lambda: self._table.compare_and_swap(key, field, old, new))

    def increment(self, key: Key, field: str, amount: int) -> int:
        """Add to an integer field; a missing row or a null counts as 0. Return the new value."""
        self._require_context_of_key(key)
        return self._transaction.use(lambda: self._table.increment(key, field, amount))

    def delete(self, key: Key) -> None:
        """Delete the row with this complete key, if it exists."""
        self._require_generation(*key[:1])
        self._transaction.use(lambda: self._table.delete(key))

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete the existing rows with these complete keys."""
        self._require_generation(*(key[0] for key in keys if key))
        self._transaction.use(lambda: self._table.delete_many(keys))

    def delete_range(self, keys: Range) -> int:
        """Delete a range; return the number of deleted rows."""
        self._require_generation_of_ranges(keys)
        return self._transaction.use(lambda: self._table.delete_range(keys))

    def update_range(self, keys: Range, fields: Row) -> int:
        """Set fields outside the key in all rows of a range; return the number of rows."""
        self._require_generation_of_ranges(keys)
        return self._transaction.use(lambda: self._table.update_range(keys, fields))

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[FieldValue] = ()) -> int:
        """Return the number of rows in any of these ranges (by default all) that match any of these filters."""
        self._require_generation_of_ranges(*ranges)
        return self._transaction.use(lambda: self._table.count(ranges, filters))

    def get_stats(self) -> TableStats:
        """Return the size of the table."""
        return self._transaction.use(self._table.get_stats)

    def _iterate(self, begin: Callable[[], Iterator[Row]]) -> Iterator[Row]:
        # Wrong arguments are refused at once, not by the first row.
        return self._iterate_rows(self._transaction.use(begin))

    def _iterate_rows(self, rows: Iterator[Row]) -> Iterator[Row]:
        while (row := self._transaction.use(lambda: next(rows, None))) is not None:
            yield row

    def _require_generation_of_ranges(self, *ranges: Range) -> None:
        self._require_generation(*(part for keys in ranges for part in (*keys.begin[:1], *keys.end[:1])))

    def _require_generation(self, *contexts: object) -> None:
        """Raise NotFound for rows of a namespace that was created again after the event of the transaction."""
        if self._has_context:
            for context in contexts:
                if isinstance(context, str):
                    self._transaction.require_generation(context)

    def _require_context_of_key(self, key: Key) -> None:
        self._require_context(key[0] if key else None)

    def _require_context(self, context: object) -> None:
        # A key of another type is refused by the table.
        if self._has_context and isinstance(context, str):
            self._transaction.require_namespace(context)


class IndexedTable(Table):
    """A table with indexes: its rows can also be found, filtered and ordered by indexed fields."""

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        """Yield the rows whose indexed field has this value (or None), in key order."""
        return self._iterate(lambda: self._table.scan_index(field, value, limit))

    def scan_filtered(
        self,
        keys: Range,
        filters: Sequence[FieldValue] = (),
        limit: int | None = None,
        order: Order = "asc",
        order_by: str | None = None,
    ) -> Iterator[Row]:
        """Yield the rows of a range that match any of the filters, in key order or in that of an indexed field."""
        self._require_generation_of_ranges(keys)
        return self._iterate(lambda: self._table.scan(keys, limit, order, filters, order_by))


class AppTables:
    """The tables of an application in one transaction, by the ids that it declared. Usable only inside it."""

    def __init__(self, transaction: OpenTransaction, specs: Mapping[str, TableSpec]) -> None:
        self._transaction, self._specs = transaction, specs
        self._tables: dict[str, IndexedTable] = {}

    def get_table(self, table_id: str) -> Table:
        """Return a table. Raises InvalidField for an undeclared one."""
        return self._open_table(table_id)

    def get_indexed_table(self, table_id: str) -> IndexedTable:
        """Return a table with indexes. Raises InvalidField for an undeclared one, or one without indexes."""
        table = self._open_table(table_id)
        if not self._specs[table_id].indexes:
            raise InvalidField(f"the table {quote_and_truncate_text(table_id)} has no index")
        return table

    def on_commit(self, action: Callable[[], None]) -> None:
        """Run an action once, after the transaction has succeeded."""
        self._transaction.use(lambda: self._transaction.tx.on_commit(action))

    def _open_table(self, table_id: str) -> IndexedTable:
        if table_id not in self._tables:
            spec = self._specs.get(table_id)
            if spec is None:
                raise InvalidField(f"the application declares no table {quote_and_truncate_text(table_id)}")
            table = self._transaction.use(lambda: self._transaction.tx.get_table(spec.id))
            self._tables[table_id] = IndexedTable(self._transaction, table, spec)
        return self._tables[table_id]
