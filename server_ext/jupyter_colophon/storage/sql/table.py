"""A structured table on any SQL driver that speaks `execute(statement, values)` (`spi.StructuredTable`)."""

import heapq
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from jupyter_colophon.core.errors import InvalidField
from jupyter_colophon.storage import field_checks
from jupyter_colophon.storage.spi import Field, Key, Order, Range, Row, TableSpec, TableStats
from jupyter_colophon.storage.sql.statements import BOUNDS, Dialect, Ends, Statements
from jupyter_colophon.storage.transaction_lifetime import Life

#: SQLite takes at most 32,766 parameters and 1,000 nested terms; a slice stays far below.
_AT_ONCE = 200
#: From how many rows on one text of them all is worth a statement of its own.
_MANY = 8
#: What such a text may hold that stores read in another way: characters that they cannot hold as they are, infinity.
_UNSPEAKABLE = re.compile(r"\\u000[01]|Infinity")


class Cursor(Protocol):
    """What a driver answers."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """The next row as a tuple, or None."""

    def close(self) -> object:
        """Read no further."""


class Channel(Protocol):
    """Runs statements in one transaction while it lives; raises StorageError afterwards."""

    def execute(self, statement: str, bound: Sequence[Any]) -> Cursor:
        """One statement."""

    def executemany(self, statement: str, bound: Sequence[Sequence[Any]]) -> Cursor:
        """One statement once for each of these; `rowcount` is how many rows all of them changed."""


class Shape(NamedTuple):
    """What is known of a table before any transaction: made once, used by each of them."""

    spec: TableSpec
    dialect: Dialect
    statements: Statements
    bools: tuple[str, ...]

    @classmethod
    def of(cls, dialect: Dialect, spec: TableSpec) -> "Shape":
        """That of a spec."""
        made = Statements(dialect, spec.id, tuple(spec.fields.items()), spec.primary_key)
        return cls(spec, dialect, made, tuple(name for name, kind in spec.fields.items() if kind == "bool"))


class SqlTable:
    """One table inside one transaction."""

    def __init__(self, channel: Channel, shape: Shape, life: Life) -> None:
        self._execute, self._executemany = channel.execute, channel.executemany
        self._spec, self._statements, self._bools, self._life = shape.spec, shape.statements, shape.bools, life
        self._unlimited, self._page = shape.dialect.unlimited, shape.dialect.page

    def upsert(self, row: Row) -> None:
        """Write a row; columns not given keep their values."""
        field_checks.check_row(self._spec, row)
        self._execute(self._statements.upsert(tuple(row)), tuple(row.values()))

    def upsert_all(self, rows: Sequence[Row]) -> None:
        """Write rows in their order; columns not given keep their values."""
        groups = [(given, list(some)) for given, some in groupby(rows, key=tuple)]
        values = [[tuple(row.values()) for row in some] for _, some in groups]
        for (given, _), row_values in zip(groups, values, strict=True):
            field_checks.check_rows(self._spec, given, row_values)
        for (given, some), row_values in zip(groups, values, strict=True):
            self._upsert_group(given, some, row_values)

    def _upsert_group(self, given: tuple[str, ...], rows: Sequence[Row], values: Sequence[tuple[Any, ...]]) -> None:
        statement = self._statements.upsert_json(given) if len(rows) >= _MANY else ""
        text = json.dumps(rows) if statement and self._differ(rows) else ""
        if text and _UNSPEAKABLE.search(text) is None:
            self._execute(statement, (text,))
        else:
            self._executemany(self._statements.upsert(given), values)

    def _differ(self, rows: Sequence[Row]) -> bool:
        """Whether these are as many keys; one statement writes no row twice."""
        return len({tuple(row[name] for name in self._spec.primary_key) for row in rows}) == len(rows)

    def update(self, row: Row) -> bool:
        """Change a row that is there; whether it was."""
        field_checks.check_row(self._spec, row)
        key = tuple(row[name] for name in self._spec.primary_key)
        changes = {name: value for name, value in row.items() if name not in self._spec.primary_key}
        values = tuple(changes.values()) if changes else key[:1]
        return self._execute(self._statements.update(tuple(changes)), (*values, *key)).rowcount > 0

    def read(self, key: Key, columns: Sequence[str] | None = None) -> Row | None:
        """The row with this whole key, or some of its columns."""
        field_checks.check_key(self._spec, key)
        field_checks.check_columns(self._spec, columns or ())
        wanted = tuple(self._spec.fields) if columns is None else tuple(columns)
        found = self._execute(self._statements.read(wanted), key).fetchone()
        return None if found is None else self._row(found, wanted)

    def multi_read(self, keys: Sequence[Key]) -> list[Row]:
        """The rows of these keys that exist."""
        rows: list[Row] = []
        for at in range(0, len(keys), _AT_ONCE):
            part = keys[at : at + _AT_ONCE]
            for key in part:
                field_checks.check_key(self._spec, key)
            flat = [value for key in part for value in key]
            rows += self._rows(self._execute(self._statements.multi_read(len(part)), flat))
        return rows

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
        if order_by is not None:
            field_checks.check_index(self._spec, order_by)
        if limit is None and self._page and not filters and order_by is None:
            return self._paged(self._page, keys, order, self._part(self._page, keys, order))
        statement = self._statements.scan(_ends(keys), order, _nulls(filters), order_by)
        return self._rows(self._execute(statement, (*_bound(keys), *_given(filters), self._limit(limit))))

    def scan_index(self, field: str, value: Any, limit: int | None = None) -> Iterator[Row]:
        """Rows whose indexed field has this value, in key order."""
        field_checks.check_index(self._spec, field, value)
        statement, given = self._statements.scan_index(field, value is None), () if value is None else (value,)
        return self._rows(self._execute(statement, (*given, self._limit(limit))))

    def multi_scan(self, ranges: Sequence[Range], limit: int | None = None) -> Iterator[Row]:
        """Rows of any of these ranges in key order, each once."""
        for keys in ranges:
            field_checks.check_range(self._spec, keys)
        bound = self._limit(limit)
        if 0 < len(ranges) <= _AT_ONCE:
            return self._rows(self._ranges(ranges, bound))
        return self._limited(self._merged(ranges, bound), limit)

    def compare_and_swap(self, key: Key, field: str, old: Any, new: Any) -> bool:
        """Set a field if it has the value `old`; None is also the value in a missing row, which then appears."""
        field_checks.check_key(self._spec, key)
        field_checks.check_change(self._spec, {field: old})
        field_checks.check_change(self._spec, {field: new})
        given = () if old is None else (old,)
        if self._execute(self._statements.swap(field, old is None), (new, *key, *given)).rowcount > 0:
            return True
        return old is None and self._execute(self._statements.add(field), (*key, new)).rowcount > 0

    def increment(self, key: Key, field: str, amount: int) -> int:
        """Add to a whole number; a missing row or a null counts as 0. Raises InvalidField when it would overflow."""
        field_checks.check_number(self._spec, field)
        found = self._execute(self._statements.increment(field, True), self._added(key, field, amount)).fetchone()
        if found is None:
            raise self._overflow(field)
        return int(found[0])

    def increment_all(self, amounts: Mapping[Key, int], field: str) -> None:
        """Add to a whole number in each of these rows."""
        field_checks.check_number(self._spec, field)
        bound = [self._added(key, field, amount) for key, amount in amounts.items()]
        if bound and self._executemany(self._statements.increment(field, False), bound).rowcount != len(bound):
            raise self._overflow(field)

    def decrement_all(self, amounts: Mapping[Key, int], field: str) -> None:
        """Take from a whole number in each of these rows; a row that is left with nothing, or with less, goes."""
        field_checks.check_number(self._spec, field)
        for key, amount in amounts.items():
            field_checks.check_key(self._spec, key)
            field_checks.check_change(self._spec, {field: amount})
        if amounts:
            keeping, leaving = self._statements.decrement(field)
            self._executemany(leaving, [(*key, amount) for key, amount in amounts.items()])
            self._executemany(keeping, [(amount, *key) for key, amount in amounts.items()])

    def delete(self, key: Key) -> None:
        """Remove the row with this whole key, if it is there."""
        field_checks.check_key(self._spec, key)
        self._execute(self._statements.delete, key)

    def multi_delete(self, keys: Sequence[Key]) -> None:
        """Remove the rows with these whole keys, those that are there."""
        for key in keys:
            field_checks.check_key(self._spec, key)
        if keys:
            self._executemany(self._statements.delete, keys)

    def delete_all(self, keys: Range) -> int:
        """Remove a range; returns how many rows went."""
        field_checks.check_range(self._spec, keys)
        return self._execute(self._statements.delete_all(_ends(keys)), _bound(keys)).rowcount

    def update_all(self, keys: Range, changes: Row) -> int:
        """Set fields that are no keys in all rows of a range; returns how many rows."""
        field_checks.check_range(self._spec, keys)
        field_checks.check_change(self._spec, changes)
        if not changes:
            return self.count((keys,))
        statement = self._statements.update_all(_ends(keys), tuple(changes))
        return self._execute(statement, (*changes.values(), *_bound(keys))).rowcount

    def count(self, ranges: Sequence[Range] = (), filters: Sequence[Field] = ()) -> int:
        """How many rows are in any of these ranges (without ranges: in the table) and fit any of these filters."""
        for keys in ranges:
            field_checks.check_range(self._spec, keys)
        field_checks.check_filters(self._spec, filters)
        if len(ranges) > _AT_ONCE:
            rows = self._merged(ranges, self._limit(None))
            return sum(1 for row in rows if not filters or any(row[name] == value for name, value in filters))
        statement = self._statements.count([_ends(keys) for keys in ranges], _nulls(filters))
        bound = [value for keys in ranges for value in _bound(keys)] + _given(filters)
        found = self._execute(statement, bound).fetchone()
        return int(found[0]) if found else 0

    def stats(self) -> TableStats:
        """The number of rows; their bytes are not known."""
        return TableStats(self.count(), None)

    def _added(self, key: Key, field: str, amount: int) -> Key:
        """What is bound to add to a number."""
        field_checks.check_key(self._spec, key)
        field_checks.check_change(self._spec, {field: amount})
        least, most = BOUNDS[self._spec.fields[field]]
        return (*key, amount, amount, max(least, least - amount), min(most, most - amount))

    def _overflow(self, field: str) -> InvalidField:
        return InvalidField(f"{self._spec.id}.{field} would be no {self._spec.fields[field]} any more")

    def _part(self, count: int, keys: Range, order: Order) -> list[Row]:
        statement = self._statements.scan(_ends(keys), order, (), None)
        return list(self._rows(self._execute(statement, (*_bound(keys), count))))

    def _paged(self, count: int, keys: Range, order: Order, rows: list[Row]) -> Iterator[Row]:
        """A range part by part, each from behind the last row of the one before."""
        while True:
            for row in rows:
                self._life.check()
                yield row
            if len(rows) < count:
                return
            last = self._key(rows[-1])
            if order == "asc":
                keys = replace(keys, begin=last, begin_inclusive=False)
            else:
                keys = replace(keys, end=last, end_inclusive=False)
            rows = self._part(count, keys, order)

    def _merged(self, ranges: Sequence[Range], limit: Any) -> Iterator[Row]:
        """Slices of ranges are asked for one by one and put together in key order, without what is there twice."""
        slices = [ranges[at : at + _AT_ONCE] for at in range(0, len(ranges), _AT_ONCE)]
        scans = [self._rows(self._ranges(part, limit)) for part in slices]
        last: Key | None = None
        for row in heapq.merge(*scans, key=self._key):
            if (key := self._key(row)) != last:
                last = key
                yield row

    def _ranges(self, ranges: Sequence[Range], limit: Any) -> Cursor:
        bound = [value for keys in ranges for value in _bound(keys)]
        return self._execute(self._statements.multi_scan(tuple(_ends(keys) for keys in ranges)), [*bound, limit])

    def _limited(self, rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
        if limit == 0:
            return
        for at, row in enumerate(rows, 1):
            yield row
            if at == limit:
                return

    def _key(self, row: Row) -> Key:
        return tuple(row[name] for name in self._spec.primary_key)

    def _limit(self, limit: int | None) -> int | None:
        field_checks.check_limit(limit)
        return self._unlimited if limit is None else limit

    def _rows(self, found: Cursor) -> Iterator[Row]:
        self._life.begun(found)
        return self._read_on(found)

    def _read_on(self, found: Cursor) -> Iterator[Row]:
        names = tuple(self._spec.fields)
        while True:
            self._life.check()
            values = found.fetchone()
            if values is None:
                self._life.ended(found)
                return
            yield self._row(values, names)

    def _row(self, values: tuple[Any, ...], names: Sequence[str]) -> Row:
        if self._life.budget is not None:
            self._life.budget.spend(sum(len(value) for value in values if isinstance(value, str)))
        row = dict(zip(names, values, strict=True))
        for name in self._bools:
            if row.get(name) is not None:
                row[name] = bool(row[name])
        return row


def _nulls(filters: Sequence[Field]) -> tuple[tuple[str, bool], ...]:
    return tuple((one.name, one.value is None) for one in filters)


def _given(filters: Sequence[Field]) -> list[Any]:
    return [one.value for one in filters if one.value is not None]


def _ends(keys: Range) -> Ends:
    return Ends(len(keys.begin), keys.begin_inclusive, len(keys.end), keys.end_inclusive, _is_prefix(keys))


def _bound(keys: Range) -> Key:
    return keys.begin if _is_prefix(keys) else (*keys.begin, *keys.end)


def _is_prefix(keys: Range) -> bool:
    return keys.begin == keys.end != () and keys.begin_inclusive and keys.end_inclusive
