"""A structured table that does what a provider's own cannot: sort, go backwards, take parts of keys."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from jupyter_colophon.storage import field_checks
from jupyter_colophon.storage.spi import (
    Field,
    FieldType,
    Key,
    Order,
    Range,
    Row,
    StructuredTable,
    TableSpec,
    TableStats,
)
from jupyter_colophon.storage.transaction_lifetime import Life

#: The lowest value of each type that can be part of a key.
_LOWEST: dict[FieldType, Any] = {"int": -(2**31), "long": -(2**63), "string": "", "bool": False}


class PortableTable:
    """A provider's table inside one transaction, with all capabilities."""

    def __init__(self, table: StructuredTable, spec: TableSpec, lacking: frozenset[str], life: Life) -> None:
        self._table, self._spec, self._lacking, self._life = table, spec, lacking, life
        self.upsert, self.upsert_all, self.update = table.upsert, table.upsert_all, table.update
        self.read, self.multi_read, self.compare_and_swap = table.read, table.multi_read, table.compare_and_swap
        self.increment, self.increment_all, self.delete = table.increment, table.increment_all, table.delete
        self.multi_delete, self.decrement_all = table.multi_delete, table.decrement_all
        self.scan_index = table.scan_index

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[Field] = (),
        order_by: str | None = None,
    ) -> Iterator[Row]:
        """Rows of a range in key order, or in that of an indexed field."""
        field_checks.check_range(self._spec, keys)
        field_checks.check_filters(self._spec, filters)
        field_checks.check_limit(limit)
        if order_by is not None:
            field_checks.check_index(self._spec, order_by)
        if self._can(keys, order, order_by):
            return self._table.scan(keys, limit, order, filters, order_by)
        return self._living(self._sorted(self._within(keys, filters), limit, order, order_by))

    def multi_scan(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Rows of any of these ranges in key order, each once."""
        for keys in ranges:
            field_checks.check_range(self._spec, keys)
        field_checks.check_limit(limit)
        if all(self._can(keys) for keys in ranges):
            return self._table.multi_scan(ranges, limit)
        return self._living(islice(self._merged(ranges, ()), limit))

    def delete_all(self, keys: Range) -> int:
        """Remove a range; returns how many rows went."""
        field_checks.check_range(self._spec, keys)
        if self._can(keys):
            return self._table.delete_all(keys)
        found = [self._key(row) for row in self._within(keys, ())]
        for key in found:
            self._table.delete(key)
        return len(found)

    def update_all(self, keys: Range, changes: Row) -> int:
        """Set fields that are no keys in all rows of a range; returns how many rows."""
        field_checks.check_range(self._spec, keys)
        field_checks.check_change(self._spec, changes)
        if self._can(keys):
            return self._table.update_all(keys, changes)
        found = [self._key(row) for row in self._within(keys, ())]
        for key in found:
            self._table.update(dict(zip(self._spec.primary_key, key, strict=True)) | changes)
        return len(found)

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[Field] = ()) -> int:
        """How many rows are in any of these ranges (without ranges: in the table) and fit any of these filters."""
        for keys in ranges:
            field_checks.check_range(self._spec, keys)
        field_checks.check_filters(self._spec, filters)
        if all(self._can(keys) for keys in ranges):
            return self._table.count(ranges, filters)
        return sum(1 for _ in self._merged(ranges, filters))

    def stats(self) -> TableStats:
        """The size of the table."""
        return self._table.stats()

    def _can(self, keys: Range, order: Order = "asc", order_by: str | None = None) -> bool:
        """Whether the provider's table does this itself."""
        wanted = {"desc"} if order == "desc" else set()
        wanted |= {"order_by"} if order_by is not None else set()
        wanted |= {"native_prefix"} if self._is_part(keys.begin) or self._is_part(keys.end) else set()
        return not wanted & self._lacking

    def _is_part(self, end: tuple[Any, ...]) -> bool:
        return 0 < len(end) < len(self._spec.primary_key)

    def _within(self, keys: Range, filters: Sequence[Field]) -> Iterator[Row]:
        """Rows of a range in key order, asked for by whole keys alone."""
        if self._can(keys):
            return self._table.scan(keys, filters=filters)
        begin, end, inclusive = keys.begin, keys.end, keys.begin_inclusive
        if self._is_part(begin):
            lowest = [_LOWEST[self._spec.fields[name]] for name in self._spec.primary_key[len(begin) :]]
            begin, inclusive = (*begin, *lowest), True
        # Texts have no highest one, so a part of a key is no end: it is read on until it is passed.
        end = () if self._is_part(end) else end
        return self._cut(self._table.scan(Range(begin, end, inclusive, keys.end_inclusive), filters=filters), keys)

    def _cut(self, rows: Iterable[Row], keys: Range) -> Iterator[Row]:
        skipped = () if keys.begin_inclusive else keys.begin
        for row in rows:
            key = self._key(row)
            part = key[: len(keys.end)]
            if part > keys.end or (part == keys.end and keys.end and not keys.end_inclusive):
                return
            if not skipped or key[: len(skipped)] != skipped:
                yield row

    def _merged(self, ranges: Sequence[Range], filters: Sequence[Field]) -> Iterator[Row]:
        rows = heapq.merge(*(self._within(keys, filters) for keys in ranges), key=self._key)
        return (next(same) for _, same in groupby(rows, key=self._key))

    def _sorted(self, rows: Iterator[Row], limit: int | None, order: Order, order_by: str | None) -> Iterator[Row]:
        if order_by is not None:
            rows = iter(sorted(rows, key=lambda row: (row[order_by] is not None, row[order_by], self._key(row))))
        if order == "asc":
            return islice(rows, limit)
        return reversed(deque(rows, maxlen=limit))

    def _living(self, rows: Iterator[Row]) -> Iterator[Row]:
        while True:
            self._life.check()
            row = next(rows, None)
            if row is None:
                return
            yield row

    def _key(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)
