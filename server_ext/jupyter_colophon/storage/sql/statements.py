"""The statements of one structured table, each built once as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from jupyter_colophon.storage.spi import FieldType, Order


# Compared by identity: there is one of each dialect.
@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """In what SQLite and PostgreSQL differ here.

    `nulls_lowest` follows a column in an order; `unlimited` is bound where there is no limit; `compared` wraps a text in a key or an index where it may be too long for one as it is:
    its first place is the text, its second how many bytes it may take; `page` is how many rows of an endless scan are
    asked for at once, for a driver that fetches all that it asks for; `json_types` are those of columns that one statement can write
    many rows of, given as a JSON list.
    """

    mark: str
    nulls_lowest: Mapping[Order, str]
    column_types: Mapping[FieldType, str]
    unlimited: int | None = None
    compared: str = "{}"
    page: int | None = None
    json_types: Mapping[FieldType, str] = field(default_factory=dict)

    def marks(self, count: int) -> str:
        """That many placeholders."""
        return ", ".join([self.mark] * count)

    def column(self, name: str, kind: FieldType) -> str:
        """A column as CREATE and ALTER TABLE name it."""
        return f'"{name}" {self.column_types[kind]}'

    def compare(self, term: str, kind: FieldType, texts: int = 1) -> str:
        """A column or a placeholder as it is compared in a key or an index with so many texts."""
        return self.compared.format(term, _KEY_BYTES // texts) if kind == "string" else term


#: How many bytes all texts of a key may take. PostgreSQL's B-tree takes 2,704 with all that is around them.
_KEY_BYTES = 2_200
#: An indexed field, and whether it is to be null.
Filter = tuple[str, bool]
#: Bounds of the whole numbers.
BOUNDS: Mapping[FieldType, tuple[int, int]] = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}


class Ends(NamedTuple):
    """How many parts of a key each end of a range gives, and whether it is inclusive.

    Where both ends are one and the same, that is bound once: stores look for many of these at once, but would read the
    whole table for as many pairs of bounds.
    """

    begin: int
    begin_inclusive: bool
    end: int
    end_inclusive: bool
    same: bool = False


def names(fields: Sequence[str]) -> str:
    """Names of columns, quoted."""
    return ", ".join(f'"{name}"' for name in fields)


class Statements:
    """The statements of one table. Names come from specs, values are always bound."""

    def __init__(
        self, dialect: Dialect, table: str, fields: tuple[tuple[str, FieldType], ...], key: tuple[str, ...]
    ) -> None:
        self._dialect, self._table, self._key, self._kinds = dialect, f'"{table}"', key, dict(fields)
        self._fields = tuple(self._kinds)
        self.compared, self._key_marks = compared(dialect, self._kinds, key)
        self._whole = f"({', '.join(self.compared)}) = ({', '.join(self._key_marks)})"
        self._key_order, self._all = ", ".join(self.compared), "1 = 1"
        self.read = lru_cache(maxsize=64)(self._read)
        self.delete = f"DELETE FROM {self._table} WHERE {self._whole}"
        self.rows = f"SELECT COUNT(*) FROM {self._table}"
        self.upsert = lru_cache(maxsize=64)(self._upsert)
        self.upsert_json = lru_cache(maxsize=64)(self._upsert_json)
        self.update = lru_cache(maxsize=64)(self._update)
        self.scan = lru_cache(maxsize=128)(self._scan)
        self.multi_read = lru_cache(maxsize=16)(self._multi_read)
        self.multi_scan = lru_cache(maxsize=16)(self._multi_scan)
        self.delete_all = lru_cache(maxsize=64)(self._delete_all)
        self.update_all = lru_cache(maxsize=64)(self._update_all)
        self.increment = lru_cache(maxsize=16)(self._increment)

    def _multi_read(self, count: int) -> str:
        """Bound: each key's parts."""
        if count == 1:
            return self.read(self._fields)
        one = f"({', '.join(self._key_marks)})"
        # Without the SELECT, SQLite reads the whole table where there are several keys of several parts.
        keys = f"SELECT * FROM (VALUES {', '.join([one] * count)}) AS keys"
        return f"{self._select(self._fields)} WHERE ({self._key_order}) IN ({keys})"

    def scan_index(self, field: str, null: bool) -> str:
        """Bound: value (unless it is null), limit."""
        where = self._indexed(field, null)
        return f"{self._select(self._fields)} WHERE {where} ORDER BY {self._key_order} LIMIT {self._dialect.mark}"

    def _multi_scan(self, ranges: tuple[Ends, ...]) -> str:
        """Bound: each range's ends, limit."""
        where = f" WHERE {self._any_range(ranges)}"
        return f"{self._select(self._fields)}{where} ORDER BY {self._key_order} LIMIT {self._dialect.mark}"

    def count(self, ranges: Sequence[Ends], filters: Sequence[Filter]) -> str:
        """Bound: each range's ends, each filter's value (unless it is null)."""
        parts = [self._any_range(ranges)] if ranges else []
        parts += [self._any_filter(filters)] if filters else []
        return self.rows + (f" WHERE {' AND '.join(parts)}" if parts else "")

    def swap(self, field: str, null: bool) -> str:
        """Bound: the new value, the key's parts, the old value (unless it is null)."""
        old = f'"{field}" IS NULL' if null else f'"{field}" = {self._dialect.mark}'
        return f'UPDATE {self._table} SET "{field}" = {self._dialect.mark} WHERE {self._whole} AND {old}'

    def add(self, field: str) -> str:
        """Bound: the key's parts, the value; does nothing where the row is there."""
        columns, marks = names((*self._key, field)), self._dialect.marks(len(self._key) + 1)
        return f"INSERT INTO {self._table} ({columns}) VALUES ({marks}) ON CONFLICT ({self._key_order}) DO NOTHING"

    def _select(self, columns: Sequence[str]) -> str:
        return f"SELECT {names(columns)} FROM {self._table}"

    def _read(self, columns: tuple[str, ...]) -> str:
        return f"{self._select(columns)} WHERE {self._whole}"

    def _upsert(self, given: tuple[str, ...]) -> str:
        return self._upserting(given, f"VALUES ({self._dialect.marks(len(given))})")

    def _upsert_json(self, given: tuple[str, ...]) -> str:
        """Bound: the rows as one list of objects; no key may be there twice. Empty where some column is not for that."""
        types = [self._dialect.json_types.get(self._kinds[name]) for name in given]
        if None in types:
            return ""
        columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(given, types, strict=True))
        rows = f"json_to_recordset({self._dialect.mark}::json) AS given ({columns})"
        return self._upserting(given, f"SELECT {names(given)} FROM {rows}")

    def _upserting(self, given: tuple[str, ...], rows: str) -> str:
        updates = ", ".join(f'"{name}" = excluded."{name}"' for name in given if name not in self._key)
        action = f"UPDATE SET {updates}" if updates else "NOTHING"
        return f"INSERT INTO {self._table} ({names(given)}) {rows} ON CONFLICT ({self._key_order}) DO {action}"

    def _update(self, given: tuple[str, ...]) -> str:
        """Bound: the values, the key's parts."""
        # A row may be asked to change nothing: then the answer is whether it is there.
        given = given or self._key[:1]
        return f"UPDATE {self._table} SET {self._settings(given)} WHERE {self._whole}"

    def _increment(self, field: str, returning: bool) -> str:
        """Bound: the key's parts, the amount twice, the least and the most that it may be added to.

        Returns the new value if `returning` is set, and changes no row on overflow. The sum itself is not compared: it may be no whole number any more.
        """
        columns, mark = names((*self._key, field)), self._dialect.mark
        present = f'COALESCE({self._table}."{field}", 0)'
        return (
            f"INSERT INTO {self._table} ({columns}) VALUES ({self._dialect.marks(len(self._key) + 1)}) "
            f'ON CONFLICT ({self._key_order}) DO UPDATE SET "{field}" = {present} + {mark} '
            f"WHERE {present} BETWEEN {mark} AND {mark}" + (f' RETURNING "{field}"' if returning else "")
        )

    def decrement(self, field: str) -> tuple[str, str]:
        """One that takes from a number; bound: the amount, the key's parts. One that removes what has no more than that;
        bound: the key's parts, the amount."""
        mark, present = self._dialect.mark, f'COALESCE("{field}", 0)'
        keeping = f'UPDATE {self._table} SET "{field}" = {present} - {mark} WHERE {self._whole}'
        return keeping, f"{self.delete} AND {present} <= {mark}"

    def _scan(self, ends: Ends, order: Order, filters: tuple[Filter, ...], order_by: str | None) -> str:
        """Bound: the range's ends, each filter's value (unless it is null), limit."""
        parts = [part for part in (self._range(ends), self._any_filter(filters) if filters else "") if part]
        where = f" WHERE {' AND '.join(parts)}" if parts else ""
        return f"{self._select(self._fields)}{where} {self._order(order, order_by)} LIMIT {self._dialect.mark}"

    def _order(self, order: Order, order_by: str | None) -> str:
        direction = " DESC" if order == "desc" else ""
        columns = [f"{column}{direction}" for column in self.compared]
        if order_by is not None:
            columns.insert(0, f'"{order_by}"{direction}{self._dialect.nulls_lowest[order]}')
        return f"ORDER BY {', '.join(columns)}"

    def _delete_all(self, ends: Ends) -> str:
        return f"DELETE FROM {self._table}{self._where(ends)}"

    def _update_all(self, ends: Ends, given: tuple[str, ...]) -> str:
        """Bound: the values, the range's ends."""
        return f"UPDATE {self._table} SET {self._settings(given)}{self._where(ends)}"

    def _settings(self, given: Sequence[str]) -> str:
        return ", ".join(f'"{name}" = {self._dialect.mark}' for name in given)

    def _where(self, ends: Ends) -> str:
        found = self._range(ends)
        return f" WHERE {found}" if found else ""

    def _range(self, ends: Ends) -> str:
        if ends.same:
            return self._end(ends.begin, "=")
        parts = []
        if ends.begin:
            parts.append(self._end(ends.begin, ">=" if ends.begin_inclusive else ">"))
        if ends.end:
            parts.append(self._end(ends.end, "<=" if ends.end_inclusive else "<"))
        return " AND ".join(parts)

    def _end(self, count: int, compared: str) -> str:
        # Row values are compared like words: a shorter end stands for all that begin with it.
        return f"({', '.join(self.compared[:count])}) {compared} ({', '.join(self._key_marks[:count])})"

    def _any_range(self, ranges: Sequence[Ends]) -> str:
        return f"({' OR '.join(f'({self._range(ends) or self._all})' for ends in ranges)})"

    def _any_filter(self, filters: Sequence[Filter]) -> str:
        return "(" + " OR ".join(self._indexed(name, null) for name, null in filters) + ")"

    def _indexed(self, field: str, null: bool) -> str:
        if null:
            return f'"{field}" IS NULL'
        (column,), (mark,) = compared(self._dialect, self._kinds, (field,))
        return f"{column} = {mark}"


def compared(
    dialect: Dialect, kinds: Mapping[str, FieldType], key: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of a key or an index as they are compared, and the placeholders that they are compared with."""
    texts = sum(kinds[name] == "string" for name in key)
    columns = tuple(dialect.compare(f'"{name}"', kinds[name], texts) for name in key)
    return columns, tuple(dialect.compare(dialect.mark, kinds[name], texts) for name in key)
