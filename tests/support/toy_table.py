"""A table of the toy store: rows by key, and the keys in order."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from typing import Any

from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage import field_checks as fields
from jupyter_colophon.storage.spi import Field, Key, Order, Range, Row, TableSpec, TableStats
from jupyter_colophon.storage.transaction_lifetime import Life

_BOUNDS = {"int": 2**31, "long": 2**63}


@dataclass
class Content:
    """What a table holds."""

    spec: TableSpec
    rows: dict[Key, Row] = field(default_factory=dict)
    keys: list[Key] = field(default_factory=list)

    def copy(self) -> "Content":
        return Content(self.spec, dict(self.rows), list(self.keys))

    def reshaped(self, spec: TableSpec) -> "Content":
        empty = dict.fromkeys(spec.fields)
        return Content(spec, {key: empty | row for key, row in self.rows.items()}, list(self.keys))

    def renamed(self, spec: TableSpec, fields: Mapping[str, str]) -> "Content":
        rows = {key: {fields.get(name, name): value for name, value in row.items()} for key, row in self.rows.items()}
        return Content(spec, rows, list(self.keys))

    def put(self, key: Key, changes: Row) -> None:
        if key not in self.rows:
            insort(self.keys, key)
        old = self.rows.get(key) or dict.fromkeys(self.spec.fields)
        self.rows[key] = old | changes

    def remove(self, key: Key) -> None:
        if self.rows.pop(key, None) is not None:
            del self.keys[bisect_left(self.keys, key)]


class ToyTable:
    """A table inside one transaction."""

    def __init__(
        self, spec: TableSpec, life: Life, reading: Callable[[], Content], writing: Callable[[], Content]
    ) -> None:
        self._spec, self._life, self._reading_now, self._writing_now = spec, life, reading, writing

    def upsert(self, row: Row) -> None:
        fields.check_row(self._spec, row)
        self._writing().put(self._key(row), row)

    def upsert_all(self, rows: Sequence[Row]) -> None:
        for row in rows:
            fields.check_row(self._spec, row)
        for row in rows:
            self._writing().put(self._key(row), row)

    def update(self, row: Row) -> bool:
        fields.check_row(self._spec, row)
        there = self._key(row) in self._reading().rows
        if there:
            self._writing().put(self._key(row), row)
        return there

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        fields.check_key(self._spec, key)
        fields.check_columns(self._spec, columns or ())
        row = self._reading().rows.get(key)
        return None if row is None else {name: row[name] for name in (row if columns is None else columns)}

    def multi_read(self, keys: Sequence[Key]) -> list[Row]:
        for key in keys:
            fields.check_key(self._spec, key)
        rows = self._reading().rows
        return [dict(rows[key]) for key in dict.fromkeys(keys) if key in rows]

    def scan(
        self,
        keys: Range,
        limit: int | None = None,
        order: Order = "asc",
        filters: Sequence[Field] = (),
        order_by: str | None = None,
    ) -> Iterator[Row]:
        self._check_range(keys)
        fields.check_filters(self._spec, filters)
        fields.check_limit(limit)
        if order != "asc" or order_by is not None:
            raise InvalidField("the toy store has one order")
        self._life.check()
        return self._limited(self._walk(keys, filters), limit)

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        fields.check_index(self._spec, field, value)
        fields.check_limit(limit)
        self._life.check()
        return self._limited(self._walk(Range(), (Field(field, value),)), limit)

    def multi_scan(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        for keys in ranges:
            self._check_range(keys)
        fields.check_limit(limit)
        rows = merge(*(self._walk(keys, ()) for keys in ranges), key=self._key)
        return self._limited((next(same) for _, same in groupby(rows, key=self._key)), limit)

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        fields.check_key(self._spec, key)
        fields.check_change(self._spec, {field: old})
        fields.check_change(self._spec, {field: new})
        row = self._reading().rows.get(key) or dict(zip(self._spec.primary_key, key, strict=True))
        if row.get(field) != old:
            return False
        self._writing().put(key, row | {field: new})
        return True

    def increment(self, key: Key, field: str, amount: int) -> int:
        fields.check_key(self._spec, key)
        fields.check_number(self._spec, field)
        fields.check_change(self._spec, {field: amount})
        value = ((self._reading().rows.get(key) or {}).get(field) or 0) + amount
        bound = _BOUNDS[self._spec.fields[field]]
        if not -bound <= value < bound:
            raise InvalidField(f"{self._spec.id}.{field} would be no {self._spec.fields[field]} any more")
        self._writing().put(key, dict(zip(self._spec.primary_key, key, strict=True)) | {field: value})
        return int(value)

    def increment_all(self, amounts: Mapping[Key, int], field: str) -> None:
        fields.check_number(self._spec, field)
        for key in amounts:
            fields.check_key(self._spec, key)
        for key, amount in amounts.items():
            self.increment(key, field, amount)

    def decrement_all(self, amounts: Mapping[Key, int], field: str) -> None:
        fields.check_number(self._spec, field)
        for key in amounts:
            fields.check_key(self._spec, key)
        for key, amount in amounts.items():
            if key in self._reading().rows and self.increment(key, field, -amount) <= 0:
                self._writing().remove(key)

    def delete(self, key: Key) -> None:
        fields.check_key(self._spec, key)
        self._writing().remove(key)

    def multi_delete(self, keys: Sequence[Key]) -> None:
        for key in keys:
            fields.check_key(self._spec, key)
        for key in keys:
            self._writing().remove(key)

    def delete_all(self, keys: Range) -> int:
        self._check_range(keys)
        found = [self._key(row) for row in self._walk(keys, ())]
        for key in found:
            self._writing().remove(key)
        return len(found)

    def update_all(self, keys: Range, changes: Row) -> int:
        self._check_range(keys)
        fields.check_change(self._spec, changes)
        found = [self._key(row) for row in self._walk(keys, ())]
        for key in found:
            self._writing().put(key, changes)
        return len(found)

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[Field] = ()) -> int:
        for keys in ranges:
            self._check_range(keys)
        fields.check_filters(self._spec, filters)
        return len({self._key(row) for keys in ranges or (Range(),) for row in self._walk(keys, filters)})

    def stats(self) -> TableStats:
        return TableStats(self.count(), None)

    def _check_range(self, keys: Range) -> None:
        fields.check_range(self._spec, keys)
        if {len(keys.begin), len(keys.end)} - {0, len(self._spec.primary_key)}:
            raise InvalidField("the toy store takes whole keys alone")

    def _walk(self, keys: Range, filters: Sequence[Field]) -> Iterator[Row]:
        """Rows as they are at that moment: what the transaction writes meanwhile is seen."""
        place = bisect_left if keys.begin_inclusive else bisect_right
        last = keys.begin
        while True:
            content = self._reading()
            at = place(content.keys, last) if last else 0
            if at == len(content.keys):
                return
            last, place = content.keys[at], bisect_right
            if keys.end and (last > keys.end or (last == keys.end and not keys.end_inclusive)):
                return
            row = content.rows[last]
            if not filters or any(row[one.name] == one.value for one in filters):
                yield dict(row)

    def _limited(self, rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
        at = 0
        while True:
            self._life.check()
            if at == limit or (row := next(rows, None)) is None:
                return
            at += 1
            yield row

    def _reading(self) -> Content:
        self._life.check()
        return self._reading_now()

    def _writing(self) -> Content:
        self._life.check()
        return self._writing_now()

    def _key(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)
