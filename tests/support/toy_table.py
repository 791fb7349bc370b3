"""A table of the toy store: rows by key, and the sorted keys."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from typing import Any

from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage import field_checks as fields
from jupyter_colophon.storage.spi import FieldValue, Key, Order, Range, Row, TableSpec, TableStats
from jupyter_colophon.storage.transaction_lifetime import TransactionLifetime

_BOUNDS = {"int": 2**31, "long": 2**63}


@dataclass
class TableContent:
    """The content of a table."""

    spec: TableSpec
    rows: dict[Key, Row] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)

    def copy(self) -> "TableContent":
        return TableContent(self.spec, dict(self.rows), list(self.keys))

    def copy_with_fields(self, spec: TableSpec) -> "TableContent":
        empty = dict.fromkeys(spec.fields)
        return TableContent(spec, {key: empty | row for key, row in self.rows.items()}, list(self.keys))

    def copy_with_renamed_fields(self, spec: TableSpec, fields: Mapping[str, str]) -> "TableContent":
        rows = {key: {fields.get(name, name): value for name, value in row.items()} for key, row in self.rows.items()}
        return TableContent(spec, rows, list(self.keys))

    def upsert_row(self, key: Key, changes: Row) -> None:
        if key not in self.rows:
            insort(self.keys, key)
        old = self.rows.get(key) or dict.fromkeys(self.spec.fields)
        self.rows[key] = old | changes

    def remove_row(self, key: Key) -> None:
        if self.rows.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]


class ToyTable:
    """A table inside one transaction."""

    def __init__(
        self,
        spec: TableSpec,
        life: TransactionLifetime,
        reading: Callable[[], TableContent],
        writing: Callable[[], TableContent],
    ) -> None:
        self._spec, self._life, self._reading_now, self._writing_now = spec, life, reading, writing

    def upsert(self, row: Row) -> None:
        fields.require_valid_row(self._spec, row)
        self._get_writable_content().upsert_row(self._get_key(row), row)

    def upsert_many(self, rows: Sequence[Row]) -> None:
        for row in rows:
            fields.require_valid_row(self._spec, row)
        for row in rows:
            self._get_writable_content().upsert_row(self._get_key(row), row)

    def update(self, row: Row) -> bool:
        fields.require_valid_row(self._spec, row)
        there = self._get_key(row) in self._get_content().rows
        if there:
            self._get_writable_content().upsert_row(self._get_key(row), row)
        return there

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        fields.require_complete_key(self._spec, key)
        fields.require_known_columns(self._spec, columns or ())
        row = self._get_content().rows.get(key)
        return None if row is None else {name: row[name] for name in (row if columns is None else columns)}

    def read_many(self, keys: Sequence[Key], columns: Sequence[str] | None = None) -> list[Row]:
        for key in keys:
            fields.require_complete_key(self._spec, key)
        fields.require_known_columns(self._spec, columns or ())
        found = (row for key in dict.fromkeys(keys) if (row := self._get_content().rows.get(key)) is not None)
        return [{name: row[name] for name in (row if columns is None else columns)} for row in found]

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[FieldValue] = (),
        order_by: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> Iterator[Row]:
        self._check_range(keys)
        fields.require_valid_filters(self._spec, filters)
        fields.require_known_columns(self._spec, columns or ())
        fields.require_non_negative_limit(limit)
        if order != "asc" or order_by is not None:
            raise InvalidField("the toy store has only one order")
        self._life.require_open()
        rows = self._limit_rows(self._iterate_current_rows(keys, filters), limit)
        return rows if columns is None else ({name: row[name] for name in columns} for row in rows)

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        fields.require_indexed_field(self._spec, field, value)
        fields.require_non_negative_limit(limit)
        self._life.require_open()
        return self._limit_rows(self._iterate_current_rows(Range(), (FieldValue(field, value),)), limit)

    def scan_ranges(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        for keys in ranges:
            self._check_range(keys)
        fields.require_non_negative_limit(limit)
        rows = merge(*(self._iterate_current_rows(keys, ()) for keys in ranges), key=self._get_key)
        return self._limit_rows((next(same) for _, same in groupby(rows, key=self._get_key)), limit)

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        fields.require_complete_key(self._spec, key)
        fields.require_valid_changes(self._spec, {field: old})
        fields.require_valid_changes(self._spec, {field: new})
        row = self._get_content().rows.get(key) or dict(zip(self._spec.primary_key, key, strict=True))
        if row.get(field) != old:
            return False
        self._get_writable_content().upsert_row(key, row | {field: new})
        return True

    def increment(self, key: Key, field: str, amount: int) -> int:
        fields.require_complete_key(self._spec, key)
        fields.require_integer_field(self._spec, field)
        fields.require_valid_changes(self._spec, {field: amount})
        value = ((self._get_content().rows.get(key) or {}).get(field) or 0) + amount
        bound = _BOUNDS[self._spec.fields[field]]
        if not -bound <= value < bound:
            raise InvalidField(f"{self._spec.id}.{field} would exceed the range of {self._spec.fields[field]}")
        self._get_writable_content().upsert_row(
            key, dict(zip(self._spec.primary_key, key, strict=True)) | {field: value}
        )
        return int(value)

    def increment_many(self, amounts: Mapping[Key, int], field: str) -> None:
        fields.require_integer_field(self._spec, field)
        for key in amounts:
            fields.require_complete_key(self._spec, key)
        for key, amount in amounts.items():
            self.increment(key, field, amount)

    def decrement_many(self, amounts: Mapping[Key, int], field: str) -> None:
        fields.require_integer_field(self._spec, field)
        for key in amounts:
            fields.require_complete_key(self._spec, key)
        for key, amount in amounts.items():
            if key in self._get_content().rows and self.increment(key, field, -amount) <= 0:
                self._get_writable_content().remove_row(key)

    def delete(self, key: Key) -> None:
        fields.require_complete_key(self._spec, key)
        self._get_writable_content().remove_row(key)

    def delete_many(self, keys: Sequence[Key]) -> None:
        for key in keys:
            fields.require_complete_key(self._spec, key)
        for key in keys:
            self._get_writable_content().remove_row(key)

    def delete_range(self, keys: Range) -> int:
        self._check_range(keys)
        deleted = [self._get_key(row) for row in self._iterate_current_rows(keys, ())]
        for key in deleted:
            self._get_writable_content().remove_row(key)
        return len(deleted)

    def update_range(self, keys: Range, changes: Row) -> int:
        self._check_range(keys)
        fields.require_valid_changes(self._spec, changes)
        updated = [self._get_key(row) for row in self._iterate_current_rows(keys, ())]
        for key in updated:
            self._get_writable_content().upsert_row(key, changes)
        return len(updated)

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[FieldValue] = ()) -> int:
        for keys in ranges:
            self._check_range(keys)
        fields.require_valid_filters(self._spec, filters)
        return len(
            {self._get_key(row) for keys in ranges or (Range(),) for row in self._iterate_current_rows(keys, filters)}
        )

    def get_stats(self) -> TableStats:
        return TableStats(self.count(), None)

    def _check_range(self, keys: Range) -> None:
        fields.require_valid_range(self._spec, keys)
        if {len(keys.begin), len(keys.end)} - {0, len(self._spec.primary_key)}:
            raise InvalidField("the toy store takes complete keys only")

    def _iterate_current_rows(self, keys: Range, filters: Sequence[FieldValue]) -> Iterator[Row]:
        """Yield the current rows, including those that the transaction writes during the iteration."""
        place = bisect_left if keys.begin_inclusive else bisect_right
        last = keys.begin
        while True:
            content = self._get_content()
            at = place(content.keys, last) if last else 0
            if at == len(content.keys):
                return
            last, place = content.keys[at], bisect_right
            if keys.end and (last > keys.end or (last == keys.end and not keys.end_inclusive)):
                return
            row = content.rows[last]
            if not filters or any(row[condition.name] == condition.value for condition in filters):
                yield dict(row)

    def _limit_rows(self, rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
        at = 0
        while True:
            self._life.require_open()
            if at == limit or (row := next(rows, None)) is None:
                return
            at += 1
            yield row

    def _get_content(self) -> TableContent:
        self._life.require_open()
        return self._reading_now()

    def _get_writable_content(self) -> TableContent:
        self._life.require_open()
        return self._writing_now()

    def _get_key(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)
