"""A structured table with capabilities that a provider's own lacks: sorting, descending order, partial keys."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from jupyter_colophon.storage import field_checks
from jupyter_colophon.storage.spi import (
    FieldType,
    FieldValue,
    Key,
    Order,
    Range,
    Row,
    StructuredTable,
    TableSpec,
    TableStats,
)
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

#: The lowest value of each type that can be part of a key.
_LOWEST: dict[FieldType, Any] = {"int": -(2**31), "long": -(2**63), "string": "", "bool": False}


class PortableTable:
    """A provider's table inside one transaction, with all capabilities."""

    def __init__(
        self, table: StructuredTable, spec: TableSpec, lacking: frozenset[str], lifetime: TransactionLifetime
    ) -> None:
        self._table, self._spec, self._lacking, self._life = table, spec, lacking, lifetime
        self.upsert, self.upsert_many, self.update = table.upsert, table.upsert_many, table.update
        self.read, self.read_many, self.compare_and_swap = table.read, table.read_many, table.compare_and_swap
        self.increment, self.increment_many, self.delete = table.increment, table.increment_many, table.delete
        self.delete_many, self.decrement_many = table.delete_many, table.decrement_many
        self.scan_index = table.scan_index

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[FieldValue] = (),
        order_by: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> Iterator[Row]:
        """Yield rows of a range, or some of their columns, in key order, or in the order of an indexed field."""
        field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_filters(self._spec, filters)
        field_checks.require_known_columns(self._spec, columns or ())
        field_checks.require_non_negative_limit(limit)
        if order_by is not None:
            field_checks.require_indexed_field(self._spec, order_by)
        if self._is_supported_by_provider(keys, order, order_by):
            return self._table.scan(keys, limit, order, filters, order_by, columns)
        rows = self._sort_and_limit_rows(self._scan_range_with_complete_keys(keys, filters), limit, order, order_by)
        return self._iterate_within_lifetime(rows if columns is None else _select_columns(rows, columns))

    def scan_ranges(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Yield the rows of any of these ranges in key order, each once."""
        for keys in ranges:
            field_checks.require_valid_range(self._spec, keys)
        field_checks.require_non_negative_limit(limit)
        if all(self._is_supported_by_provider(keys) for keys in ranges):
            return self._table.scan_ranges(ranges, limit)
        return self._iterate_within_lifetime(islice(self._iterate_merged_ranges(ranges, ()), limit))

    def delete_range(self, keys: Range) -> int:
        """Delete a range; return the number of deleted rows."""
        field_checks.require_valid_range(self._spec, keys)
        if self._is_supported_by_provider(keys):
            return self._table.delete_range(keys)
        deleted_keys = [self._get_key_of_row(row) for row in self._scan_range_with_complete_keys(keys, ())]
        for key in deleted_keys:
            self._table.delete(key)
        return len(deleted_keys)

    def update_range(self, keys: Range, changes: Row) -> int:
        """Set fields outside the key in all rows of a range; return the number of rows."""
        field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_changes(self._spec, changes)
        if self._is_supported_by_provider(keys):
            return self._table.update_range(keys, changes)
        updated_keys = [self._get_key_of_row(row) for row in self._scan_range_with_complete_keys(keys, ())]
        for key in updated_keys:
            self._table.update(dict(zip(self._spec.primary_key, key, strict=True)) | changes)
        return len(updated_keys)

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[FieldValue] = ()) -> int:
        """Return the number of rows in any of these ranges (by default all) that match any of these filters."""
        for keys in ranges:
            field_checks.require_valid_range(self._spec, keys)
        field_checks.require_valid_filters(self._spec, filters)
        if all(self._is_supported_by_provider(keys) for keys in ranges):
            return self._table.count(ranges, filters)
        return sum(1 for _ in self._iterate_merged_ranges(ranges, filters))

    def get_stats(self) -> TableStats:
        """Return the size of the table."""
        return self._table.get_stats()

    def _is_supported_by_provider(self, keys: Range, order: Order = "asc", order_by: str | None = None) -> bool:
        """Return whether the provider's table supports this itself."""
        needed = {"desc"} if order == "desc" else set()
        needed |= {"order_by"} if order_by is not None else set()
        needed |= {"native_prefix"} if self._is_partial_key(keys.begin) or self._is_partial_key(keys.end) else set()
        return not needed & self._lacking

    def _is_partial_key(self, end: tuple[Any, ...]) -> bool:
        return 0 < len(end) < len(self._spec.primary_key)

    def _scan_range_with_complete_keys(self, keys: Range, filters: Sequence[FieldValue]) -> Iterator[Row]:
        """Yield the rows of a range in key order, using complete keys only."""
        if self._is_supported_by_provider(keys):
            return self._table.scan(keys, filters=filters)
        begin, end, inclusive = keys.begin, keys.end, keys.begin_inclusive
        if self._is_partial_key(begin):
            lowest = [_LOWEST[self._spec.fields[name]] for name in self._spec.primary_key[len(begin) :]]
            begin, inclusive = (*begin, *lowest), True
        # There is no greatest string, so a partial key cannot be an end: scan until it is passed.
        end = () if self._is_partial_key(end) else end
        return self._iterate_until_range_end(
            self._table.scan(Range(begin, end, inclusive, keys.end_inclusive), filters=filters), keys
        )

    def _iterate_until_range_end(self, rows: Iterable[Row], keys: Range) -> Iterator[Row]:
        skipped = () if keys.begin_inclusive else keys.begin
        for row in rows:
            key = self._get_key_of_row(row)
            part = key[: len(keys.end)]
            if part > keys.end or (part == keys.end and keys.end and not keys.end_inclusive):
                return
            if not skipped or key[: len(skipped)] != skipped:
                yield row

    def _iterate_merged_ranges(self, ranges: Sequence[Range], filters: Sequence[FieldValue]) -> Iterator[Row]:
        rows = heapq.merge(
            *(self._scan_range_with_complete_keys(keys, filters) for keys in ranges), key=self._get_key_of_row
        )
        return (next(same) for _, same in groupby(rows, key=self._get_key_of_row))

    def _sort_and_limit_rows(
        self, rows: Iterator[Row], limit: int | None, order: Order, order_by: str | None
    ) -> Iterator[Row]:
        if order_by is not None:
            rows = iter(
                sorted(rows, key=lambda row: (row[order_by] is not None, row[order_by], self._get_key_of_row(row)))
            )
        if order == "asc":
            return islice(rows, limit)
        return reversed(deque(rows, maxlen=limit))

    def _iterate_within_lifetime(self, rows: Iterator[Row]) -> Iterator[Row]:
        while True:
            self._life.require_open()
            row = next(rows, None)
            if row is None:
                return
            yield row

    def _get_key_of_row(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)


def _select_columns(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Row]:
    return ({name: row[name] for name in columns} for row in rows)
