"""A structured table on any SQL driver with `execute(statement, values)` (`spi.StructuredTable`)."""

import heapq
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby, takewhile
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage import field_checks
from jupyter_colophon.storage.spi import FieldValue, Key, Order, Range, Row, TableSpec, TableStats
from jupyter_colophon.storage.sql.statements import BOUNDS, RangeEnds, SqlDialect, TableStatements, get_table_statements
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

#: SQLite takes at most 32,766 parameters and 1,000 nested terms; a slice is far below.
_AT_ONCE = 200
#: The number of rows from which it is faster to check them by column, and to write them with one statement and a JSON
#: list.
_MANY = 8
#: What such a list may contain that stores decode differently: escaped control characters, infinity.
_NOT_ENCODABLE = re.compile(r"\\u000[01]|Infinity")
_Group = tuple[tuple[str, ...], Sequence[Row], list[tuple[Any, ...]]]


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""

    def fetchone(self) -> Any:
        """Return the next row as a tuple, or None."""

    def fetchall(self) -> list[Any]:
        """Return the remaining rows as tuples."""

    def close(self) -> object:
        """Discard the remaining rows."""


class StatementExecutor(Protocol):
    """Run statements in one transaction; raises StorageError after its end."""

    def execute(self, statement: str, bound: Sequence[Any]) -> Cursor:
        """Run a statement."""

    def execute_many(self, statement: str, bound: Sequence[Sequence[Any]]) -> Cursor:
        """Run a statement once for each of these values; `rowcount` is the number of all changed rows."""

    def insert_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> object:
        """Insert rows in their order, whose keys need not be distinct; the statement inserts one row."""


class CompiledTable(NamedTuple):
    """A table's spec with its statements, created once and used by all transactions."""

    spec: TableSpec
    dialect: SqlDialect
    statements: TableStatements
    bools: tuple[str, ...]

    @classmethod
    def from_spec(cls, dialect: SqlDialect, spec: TableSpec) -> "CompiledTable":
        """Create it from a spec."""
        statements = get_table_statements(dialect, spec.id, tuple(spec.fields.items()), spec.primary_key)
        return cls(spec, dialect, statements, tuple(name for name, kind in spec.fields.items() if kind == "bool"))


class SqlTable:
    """One table inside one transaction."""

    def __init__(self, channel: StatementExecutor, shape: CompiledTable, lifetime: TransactionLifetime) -> None:
        self._execute, self._execute_many, self._insert_many = (
            channel.execute,
            channel.execute_many,
            channel.insert_many,
        )
        self._spec, self._statements, self._bools, self._life = shape.spec, shape.statements, shape.bools, lifetime
        self._unlimited, self._page = shape.dialect.unlimited, shape.dialect.page
        self._joins_rows = shape.dialect.joins_rows

    def upsert(self, row: Row) -> None:
        """Write a row; omitted columns keep their values."""
        field_checks.require_valid_row(self._spec, row)
        self._execute(self._statements.upsert(tuple(row)), tuple(row.values()))

    def upsert_many(self, rows: Sequence[Row]) -> None:
        """Write rows in their order; omitted columns keep their values."""
        if not rows:
            return
        groups = _group_rows_by_fields(rows)
        for fields, some, values in groups:
            if len(some) < _MANY:
                for row in some:
                    field_checks.require_valid_row(self._spec, row)
            else:
                field_checks.require_valid_rows(self._spec, fields, values)
        for group in groups:
            self._upsert_group(*group)

    def _upsert_group(self, fields: tuple[str, ...], rows: Sequence[Row], values: Sequence[tuple[Any, ...]]) -> None:
        if len(rows) >= _MANY:
            self._upsert_many_of_group(fields, rows, values)
        elif len(rows) > 1 and self._joins_rows and self._has_distinct_keys(rows):
            self._execute(self._statements.upsert(fields, len(rows)), tuple(chain.from_iterable(values)))
        else:
            self._insert_many(self._statements.upsert(fields), values)

    def _upsert_many_of_group(
        self, fields: tuple[str, ...], rows: Sequence[Row], values: Sequence[tuple[Any, ...]]
    ) -> None:
        statement = self._statements.upsert_json(fields)
        text = json.dumps(rows) if statement and self._has_distinct_keys(rows) else ""
        if text and _NOT_ENCODABLE.search(text) is None:
            self._execute(statement, (text,))
        else:
            # In the order of keys, the fewest pages are changed. Rows with the same key keep their order.
            key = itemgetter(*[fields.index(name) for name in self._spec.primary_key])
            self._insert_many(self._statements.upsert(fields), sorted(values, key=key))

    def _has_distinct_keys(self, rows: Sequence[Row]) -> bool:
        """Return whether all keys are distinct, since one statement cannot write a row twice."""
        return len({tuple(row[name] for name in self._spec.primary_key) for row in rows}) == len(rows)

    def update(self, row: Row) -> bool:
        """Change an existing row; return whether it exists."""
        field_checks.require_valid_row(self._spec, row)
        key = tuple(row[name] for name in self._spec.primary_key)
        changes = {name: value for name, value in row.items() if name not in self._spec.primary_key}
        values = tuple(changes.values()) if changes else key[:1]
        return self._execute(self._statements.update(tuple(changes)), (*values, *key)).rowcount > 0

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        """Return the row with this complete key, or some of its columns."""
        field_checks.require_complete_key(self._spec, key)
        field_checks.require_known_columns(self._spec, columns or ())
        names = tuple(self._spec.fields) if columns is None else tuple(columns)
        values = self._execute(self._statements.read(names), key).fetchone()
        return None if values is None else self._build_row(values, names)

    def read_many(self, keys: Sequence[Key], columns: Sequence[str] | None = None) -> list[Row]:
        """Return the existing rows with these keys, or some of their columns."""
        field_checks.require_known_columns(self._spec, columns or ())
        names = tuple(self._spec.fields) if columns is None else tuple(columns)
        keys, rows = list(dict.fromkeys(keys)), list[Row]()
        for at in range(0, len(keys), _AT_ONCE):
            part = keys[at : at + _AT_ONCE]
            field_checks.require_complete_keys(self._spec, part)
            flat = [value for key in part for value in key]
            found = self._execute(self._statements.read_many(len(part), names), flat).fetchall()
            rows += self._build_rows(found, names)
        return rows

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[FieldValue] = (),
        order_by: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> Iterator[Row]:
        """Yield the rows of a range, or some of their columns, in key order, or in the order of an indexed field."""
        field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_filters(self._spec, filters)
        field_checks.require_known_columns(self._spec, columns or ())
        if order_by is not None:
            field_checks.require_indexed_field(self._spec, order_by)
        # The next part begins after the key of a row.
        if limit is None and self._page and not filters and order_by is None and columns is None:
            return self._iterate_range_in_parts(
                self._page, keys, order, self._read_next_rows_of_range(self._page, keys, order)
            )
        names = tuple(self._spec.fields) if columns is None else tuple(columns)
        ends, conditions = _get_range_ends(keys), _list_fields_and_nulls(filters)
        bound = (*_list_bound_values(keys), *_list_values_except_nulls(filters), self._get_bound_limit(limit))
        statement = self._statements.scan(names, ends, order, conditions, order_by)
        return self._iterate_cursor_rows(self._execute(statement, bound), names)

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        """Yield the rows whose indexed field has this value, in key order."""
        field_checks.require_indexed_field(self._spec, field, value)
        statement, bound = self._statements.build_scan_index(field, value is None), () if value is None else (value,)
        return self._iterate_cursor_rows(self._execute(statement, (*bound, self._get_bound_limit(limit))))

    def scan_ranges(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Yield the rows of any of these ranges in key order, each once."""
        for keys in ranges:
            field_checks.require_valid_range(self._spec, keys)
        bound = self._get_bound_limit(limit)
        if 0 < len(ranges) <= _AT_ONCE:
            return self._iterate_cursor_rows(self._query_all_ranges(ranges, bound))
        return self._iterate_at_most(self._iterate_merged_ranges(ranges, bound), limit)

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        """Set a field if it has the value `old`, and return whether it had. None also matches a missing row, which is
        then created.
        """
        field_checks.require_complete_key(self._spec, key)
        field_checks.require_valid_changes(self._spec, {field: old})
        field_checks.require_valid_changes(self._spec, {field: new})
        bound = () if old is None else (old,)
        if self._execute(self._statements.build_compare_and_swap(field, old is None), (new, *key, *bound)).rowcount > 0:
            return True
        return old is None and self._execute(self._statements.build_insert_if_missing(field), (*key, new)).rowcount > 0

    def increment(self, key: Key, field: str, amount: int) -> int:
        """Add to an integer field; a missing row or a null counts as 0. Raises InvalidField on overflow."""
        field_checks.require_integer_field(self._spec, field)
        field_checks.require_complete_key(self._spec, key)
        field_checks.require_valid_changes(self._spec, {field: amount})
        row = self._execute(
            self._statements.increment(field, True), self._build_increment_values(key, field, amount)
        ).fetchone()
        if row is None:
            raise self._build_overflow_error(field)
        return int(row[0])

    def increment_many(self, amounts: Mapping[Key, int], field: str) -> None:
        """Add to an integer field of each of these rows."""
        field_checks.require_valid_amounts(self._spec, field, amounts)
        if self._joins_rows:
            rows = [(*key, amount) for key, amount in amounts.items()]
            for at in range(0, len(rows), _MANY):
                some = rows[at : at + _MANY]
                self._execute(self._statements.increment_rows(field, len(some)), tuple(chain.from_iterable(some)))
            return
        bound = [self._build_increment_values(key, field, amount) for key, amount in amounts.items()]
        if bound and self._execute_many(self._statements.increment(field, False), bound).rowcount != len(bound):
            raise self._build_overflow_error(field)

    def decrement_many(self, amounts: Mapping[Key, int], field: str) -> None:
        """Subtract from an integer field of each of these rows; delete rows that reach zero or less."""
        field_checks.require_valid_amounts(self._spec, field, amounts)
        if amounts:
            keeping, leaving = self._statements.build_decrement_and_delete(field)
            self._execute_many(leaving, [(*key, amount) for key, amount in amounts.items()])
            self._execute_many(keeping, [(amount, *key) for key, amount in amounts.items()])

    def delete(self, key: Key) -> None:
        """Delete the row with this complete key, if it exists."""
        field_checks.require_complete_key(self._spec, key)
        self._execute(self._statements.delete, key)

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete the existing rows with these complete keys."""
        field_checks.require_complete_keys(self._spec, keys)
        if keys:
            self._execute_many(self._statements.delete, keys)

    def delete_range(self, keys: Range) -> int:
        """Delete a range; return the number of deleted rows."""
        field_checks.require_valid_range(self._spec, keys)
        return self._execute(self._statements.delete_all(_get_range_ends(keys)), _list_bound_values(keys)).rowcount

    def update_range(self, keys: Range, changes: Row) -> int:
        """Set fields outside the key in all rows of a range; return the number of rows."""
        field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_changes(self._spec, changes)
        if not changes:
            return self.count((keys,))
        statement = self._statements.update_range(_get_range_ends(keys), tuple(changes))
        return self._execute(statement, (*changes.values(), *_list_bound_values(keys))).rowcount

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[FieldValue] = ()) -> int:
        """Return the number of rows in any of these ranges (by default all) that match any of these filters."""
        for keys in ranges:
            field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_filters(self._spec, filters)
        if len(ranges) > _AT_ONCE:
            rows = self._iterate_merged_ranges(ranges, self._get_bound_limit(None))
            return sum(1 for row in rows if not filters or any(row[name] == value for name, value in filters))
        statement = self._statements.build_count(
            [_get_range_ends(keys) for keys in ranges], _list_fields_and_nulls(filters)
        )
        bound = [value for keys in ranges for value in _list_bound_values(keys)] + _list_values_except_nulls(filters)
        result = self._execute(statement, bound).fetchone()
        return int(result[0]) if result else 0

    def get_stats(self) -> TableStats:
        """Return the number of rows; the size in bytes is not known."""
        return TableStats(self.count(), None)

    def _build_increment_values(self, key: Key, field: str, amount: int) -> Key:
        """Return the values that a statement binds to add to a number."""
        least, most = BOUNDS[self._spec.fields[field]]
        return (*key, amount, amount, max(least, least - amount), min(most, most - amount))

    def _build_overflow_error(self, field: str) -> InvalidField:
        return InvalidField(f"{self._spec.id}.{field} would exceed the range of {self._spec.fields[field]}")

    def _read_next_rows_of_range(self, count: int, keys: Range, order: Order) -> list[Row]:
        statement = self._statements.scan(tuple(self._spec.fields), _get_range_ends(keys), order, (), None)
        return list(self._iterate_cursor_rows(self._execute(statement, (*_list_bound_values(keys), count))))

    def _iterate_range_in_parts(self, count: int, keys: Range, order: Order, rows: list[Row]) -> Iterator[Row]:
        """Yield a range in parts, each after the last row of the previous one."""
        while True:
            for row in rows:
                self._life.require_open()
                yield row
            if len(rows) < count:
                return
            last = self._get_key_of_row(rows[-1])
            if order == "asc":
                keys = replace(keys, begin=last, begin_inclusive=False)
            else:
                keys = replace(keys, end=last, end_inclusive=False)
            rows = self._read_next_rows_of_range(count, keys, order)

    def _iterate_merged_ranges(self, ranges: Sequence[Range], limit: Any) -> Iterator[Row]:
        """Query slices of ranges one by one and merge them in key order without duplicates."""
        slices = [ranges[at : at + _AT_ONCE] for at in range(0, len(ranges), _AT_ONCE)]
        scans = [self._iterate_cursor_rows(self._query_all_ranges(part, limit)) for part in slices]
        last: Key | None = None
        for row in heapq.merge(*scans, key=self._get_key_of_row):
            if (key := self._get_key_of_row(row)) != last:
                last = key
                yield row

    def _query_all_ranges(self, ranges: Sequence[Range], limit: Any) -> Cursor:
        bound = [value for keys in ranges for value in _list_bound_values(keys)]
        return self._execute(
            self._statements.scan_ranges(tuple(_get_range_ends(keys) for keys in ranges)), [*bound, limit]
        )

    def _iterate_at_most(self, rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
        if limit == 0:
            return
        for at, row in enumerate(rows, 1):
            yield row
            if at == limit:
                return

    def _get_key_of_row(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)

    def _get_bound_limit(self, limit: int | None) -> int | None:
        field_checks.require_non_negative_limit(limit)
        return self._unlimited if limit is None else limit

    def _iterate_cursor_rows(self, cursor: Cursor, columns: tuple[str, ...] | None = None) -> Iterator[Row]:
        self._life.close_rows_at_end(cursor)
        return self._iterate_and_track_cursor(cursor, columns or tuple(self._spec.fields))

    def _iterate_and_track_cursor(self, cursor: Cursor, names: tuple[str, ...]) -> Iterator[Row]:
        lifetime = self._life
        lifetime.require_open()
        while (values := cursor.fetchone()) is not None:
            yield self._build_row(values, names)
            lifetime.require_open()
        lifetime.stop_tracking_rows(cursor)

    def _build_rows(self, found: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[Row]:
        """Build many rows: as `_build_row`, with less work for each."""
        if self._life.budget is not None:
            self._life.budget.count_bytes_read(
                sum([len(value) for values in found for value in values if isinstance(value, str)])
            )
        rows = [dict(zip(names, values, strict=False)) for values in found]
        for name in set(self._bools).intersection(names):
            for row in rows:
                if row[name] is not None:
                    row[name] = bool(row[name])
        return rows

    def _build_row(self, values: tuple[Any, ...], names: Sequence[str]) -> Row:
        if self._life.budget is not None:
            self._life.budget.count_bytes_read(sum([len(value) for value in values if isinstance(value, str)]))
        row = dict(zip(names, values, strict=True))
        for name in self._bools:
            if row.get(name) is not None:
                row[name] = bool(row[name])
        return row


def _group_rows_by_fields(rows: Sequence[Row]) -> list[_Group]:
    """Return consecutive rows with the same fields: the fields, the rows, and their values."""
    fields = tuple(rows[0])
    if len(fields) > 1 and set(map(len, rows)) == {len(fields)}:
        # Nearly always all rows have the same fields, and a row without one of them raises KeyError.
        with suppress(KeyError):
            return [(fields, rows, list(map(itemgetter(*fields), rows)))]
    groups = [(names, list(some)) for names, some in groupby(rows, key=tuple)]
    return [(names, some, [tuple(row.values()) for row in some]) for names, some in groups]


def _list_fields_and_nulls(filters: Sequence[FieldValue]) -> tuple[tuple[str, bool], ...]:
    return tuple((condition.name, condition.value is None) for condition in filters)


def _list_values_except_nulls(filters: Sequence[FieldValue]) -> list[Any]:
    return [condition.value for condition in filters if condition.value is not None]


def _get_range_ends(keys: Range) -> RangeEnds:
    return RangeEnds(
        len(keys.begin), keys.begin_inclusive, len(keys.end), keys.end_inclusive, _count_shared_parts(keys)
    )


def _list_bound_values(keys: Range) -> Key:
    return (*keys.begin, *keys.end[_count_shared_parts(keys) :])


def _count_shared_parts(keys: Range) -> int:
    """Return the number of first parts that both ends have; of different ends, each keeps another part."""
    if keys.begin == keys.end and keys.begin_inclusive and keys.end_inclusive:
        return len(keys.begin)
    pairs = zip(keys.begin[:-1], keys.end[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
