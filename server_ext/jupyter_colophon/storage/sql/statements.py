"""The statements of one structured table, each built once as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from jupyter_colophon.storage.spi import FieldType, Order


# Compared by identity: there is one instance of each dialect.
@dataclass(frozen=True, slots=True, eq=False)
class SqlDialect:
    """The differences between SQLite and PostgreSQL.

    `nulls_lowest` follows a column in an order; `unlimited` is bound if there is no limit; `compared` wraps a string in
    a key or an index that may be too long: its first placeholder is the string, its second the number of bytes; `page`
    is the number of rows that an unlimited scan reads at once, for drivers that fetch complete results; `json_types`
    are the types of columns that one statement can write many rows of, given as a JSON list. With
    `joins_rows`, a few rows are written by one statement too, and a sum out of the range of its column fails.
    """

    placeholder: str
    nulls_lowest: Mapping[Order, str]
    column_types: Mapping[FieldType, str]
    unlimited: int | None = None
    compared: str = "{}"
    page: int | None = None
    json_types: Mapping[FieldType, str] = field(default_factory=dict)
    joins_rows: bool = False

    def build_placeholders(self, count: int) -> str:
        """Return this number of placeholders."""
        return ", ".join([self.placeholder] * count)

    def define_column(self, name: str, kind: FieldType) -> str:
        """Return a column as CREATE and ALTER TABLE define it."""
        return f'"{name}" {self.column_types[kind]}'

    def build_comparable_term(self, term: str, kind: FieldType, texts: int = 1) -> str:
        """Return a column or a placeholder as it is compared in a key or an index with this number of strings."""
        return self.compared.format(term, _KEY_BYTES // texts) if kind == "string" else term


#: The bytes that all strings of a key may take. PostgreSQL's B-tree takes 2,704 with its overhead.
_KEY_BYTES = 2_200
#: An indexed field, and whether it has to be null.
Filter = tuple[str, bool]
#: The limits of integers.
BOUNDS: Mapping[FieldType, tuple[int, int]] = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}


class RangeEnds(NamedTuple):
    """How many parts of a key each end of a range has, and whether it is inclusive.

    Both ends share their first parts, which are bound once. Of an end with several parts, PostgreSQL finds the first row
    by all, but the last row by the first part only. If the ends are the same, stores look up many of them at once, but
    would read the whole table for as many pairs of bounds.
    """

    begin: int
    begin_inclusive: bool
    end: int
    end_inclusive: bool
    shared: int = 0


def quote_names(fields: Sequence[str]) -> str:
    """Return the names of columns, quoted."""
    return ", ".join(f'"{name}"' for name in fields)


class TableStatements:
    """The statements of one table. Names come from specs, values are always bound."""

    def __init__(
        self, dialect: SqlDialect, table: str, fields: tuple[tuple[str, FieldType], ...], key: tuple[str, ...]
    ) -> None:
        self._dialect, self._table, self._key, self._kinds = dialect, f'"{table}"', key, dict(fields)
        self._fields = tuple(self._kinds)
        self.compared, self._key_marks = build_comparable_columns(dialect, self._kinds, key)
        self._whole = f"({', '.join(self.compared)}) = ({', '.join(self._key_marks)})"
        self._key_order, self._all = ", ".join(self.compared), "1 = 1"
        self.read = lru_cache(maxsize=64)(self._build_read)
        self.delete = f"DELETE FROM {self._table} WHERE {self._whole}"
        self.rows = f"SELECT COUNT(*) FROM {self._table}"
        self.upsert = lru_cache(maxsize=64)(self._build_upsert_of_rows)
        self.upsert_json = lru_cache(maxsize=64)(self._build_upsert_of_json_rows)
        self.update = lru_cache(maxsize=64)(self._build_update)
        self.scan = lru_cache(maxsize=128)(self._build_scan)
        self.read_many = lru_cache(maxsize=32)(self._build_read_many)
        self.scan_ranges = lru_cache(maxsize=16)(self._build_scan_ranges)
        self.delete_all = lru_cache(maxsize=64)(self._build_delete_range)
        self.update_range = lru_cache(maxsize=64)(self._build_update_range)
        self.increment = lru_cache(maxsize=16)(self._build_increment)
        self.increment_rows = lru_cache(maxsize=32)(self._build_increment_of_rows)

    def _build_read_many(self, count: int, columns: tuple[str, ...]) -> str:
        """Bind: the parts of each key, which are distinct."""
        if count == 1:
            return self.read(columns)
        key = f"({', '.join(self._key_marks)})"
        # No table or column has such a name.
        parts = quote_names([f"part {at}" for at in range(len(self._key))])
        keys = f'WITH "given keys" ({parts}) AS (VALUES {", ".join([key] * count)})'
        # A join, since SQLite reads the whole table for several keys of several parts in a list, and takes twice as long
        # for those of a subquery.
        select = f'SELECT {quote_names(columns)} FROM "given keys" CROSS JOIN {self._table}'
        return f"{keys} {select} WHERE ({self._key_order}) = ({parts})"

    def build_scan_index(self, field: str, null: bool) -> str:
        """Bind: value (unless it is null), limit."""
        where = self._build_index_condition(field, null)
        return f"{self._build_select(self._fields)} WHERE {where} ORDER BY {self._key_order} LIMIT {self._dialect.placeholder}"

    def _build_scan_ranges(self, ranges: tuple[RangeEnds, ...]) -> str:
        """Bind: each range's ends, limit."""
        where = f" WHERE {self._build_any_range(ranges)}"
        return f"{self._build_select(self._fields)}{where} ORDER BY {self._key_order} LIMIT {self._dialect.placeholder}"

    def build_count(self, ranges: Sequence[RangeEnds], filters: Sequence[Filter]) -> str:
        """Bind: each range's ends, each filter's value (unless it is null)."""
        parts = [self._build_any_range(ranges)] if ranges else []
        parts += [self._build_any_filter(filters)] if filters else []
        return self.rows + (f" WHERE {' AND '.join(parts)}" if parts else "")

    def build_compare_and_swap(self, field: str, null: bool) -> str:
        """Bind: the new value, the key's parts, the old value (unless it is null)."""
        old = f'"{field}" IS NULL' if null else f'"{field}" = {self._dialect.placeholder}'
        return f'UPDATE {self._table} SET "{field}" = {self._dialect.placeholder} WHERE {self._whole} AND {old}'

    def build_insert_if_missing(self, field: str) -> str:
        """Bind: the key's parts, the value. Does nothing if the row exists."""
        columns, marks = quote_names((*self._key, field)), self._dialect.build_placeholders(len(self._key) + 1)
        return f"INSERT INTO {self._table} ({columns}) VALUES ({marks}) ON CONFLICT ({self._key_order}) DO NOTHING"

    def _build_select(self, columns: Sequence[str]) -> str:
        return f"SELECT {quote_names(columns)} FROM {self._table}"

    def _build_read(self, columns: tuple[str, ...]) -> str:
        return f"{self._build_select(columns)} WHERE {self._whole}"

    def _build_upsert_of_rows(self, fields: tuple[str, ...], count: int = 1) -> str:
        """Bind: the values of each row, whose keys are distinct."""
        return self._build_upsert(fields, self._build_values(len(fields), count))

    def _build_values(self, fields: int, rows: int) -> str:
        row = f"({self._dialect.build_placeholders(fields)})"
        return f"VALUES {', '.join([row] * rows)}"

    def _build_upsert_of_json_rows(self, fields: tuple[str, ...]) -> str:
        """Bind: the rows as one list of objects, with distinct keys. Empty if a column has an unsupported type."""
        types = [self._dialect.json_types.get(self._kinds[name]) for name in fields]
        if None in types:
            return ""
        columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(fields, types, strict=True))
        rows = f"json_to_recordset({self._dialect.placeholder}::json) AS given ({columns})"
        return self._build_upsert(fields, f"SELECT {quote_names(fields)} FROM {rows}")

    def _build_upsert(self, fields: tuple[str, ...], rows: str) -> str:
        updates = ", ".join(f'"{name}" = excluded."{name}"' for name in fields if name not in self._key)
        action = f"UPDATE SET {updates}" if updates else "NOTHING"
        return f"INSERT INTO {self._table} ({quote_names(fields)}) {rows} ON CONFLICT ({self._key_order}) DO {action}"

    def _build_update(self, fields: tuple[str, ...]) -> str:
        """Bind: the values, the key's parts."""
        # A row with no values to change: the result is whether it exists.
        fields = fields or self._key[:1]
        return f"UPDATE {self._table} SET {self._build_assignments(fields)} WHERE {self._whole}"

    def _build_increment(self, field: str, returning: bool) -> str:
        """Bind: the key's parts, the amount twice, the least and the greatest value to which it may be added.

        Returns the new value if `returning` is set, and changes no row on overflow. The sum itself is not compared,
        since it may exceed the range of integers.
        """
        columns, mark = quote_names((*self._key, field)), self._dialect.placeholder
        present = f'COALESCE({self._table}."{field}", 0)'
        return (
            f"INSERT INTO {self._table} ({columns}) VALUES ({self._dialect.build_placeholders(len(self._key) + 1)}) "
            f'ON CONFLICT ({self._key_order}) DO UPDATE SET "{field}" = {present} + {mark} '
            f"WHERE {present} BETWEEN {mark} AND {mark}" + (f' RETURNING "{field}"' if returning else "")
        )

    def _build_increment_of_rows(self, field: str, count: int) -> str:
        """Bind: the key's parts and the amount of each row, whose keys are distinct. Fails on overflow."""
        return (
            f"INSERT INTO {self._table} ({quote_names((*self._key, field))}) {self._build_values(len(self._key) + 1, count)} "
            f'ON CONFLICT ({self._key_order}) DO UPDATE SET "{field}" = '
            f'COALESCE({self._table}."{field}", 0) + excluded."{field}"'
        )

    def build_decrement_and_delete(self, field: str) -> tuple[str, str]:
        """Return a statement that subtracts (bind: the amount, the key's parts), and one that deletes a row with at
        most this value (bind: the key's parts, the amount).
        """
        mark, present = self._dialect.placeholder, f'COALESCE("{field}", 0)'
        keeping = f'UPDATE {self._table} SET "{field}" = {present} - {mark} WHERE {self._whole}'
        return keeping, f"{self.delete} AND {present} <= {mark}"

    def _build_scan(
        self,
        columns: tuple[str, ...],
        range_ends: RangeEnds,
        order: Order,
        filters: tuple[Filter, ...],
        order_by: str | None,
    ) -> str:
        """Bind: the range's ends, each filter's value (unless it is null), limit."""
        parts = [
            part
            for part in (self._build_range_condition(range_ends), self._build_any_filter(filters) if filters else "")
            if part
        ]
        where = f" WHERE {' AND '.join(parts)}" if parts else ""
        return f"{self._build_select(columns)}{where} {self._build_order_clause(order, order_by)} LIMIT {self._dialect.placeholder}"

    def _build_order_clause(self, order: Order, order_by: str | None) -> str:
        direction = " DESC" if order == "desc" else ""
        columns = [f"{column}{direction}" for column in self.compared]
        if order_by is not None:
            columns.insert(0, f'"{order_by}"{direction}{self._dialect.nulls_lowest[order]}')
        return f"ORDER BY {', '.join(columns)}"

    def _build_delete_range(self, range_ends: RangeEnds) -> str:
        return f"DELETE FROM {self._table}{self._build_where_clause(range_ends)}"

    def _build_update_range(self, range_ends: RangeEnds, fields: tuple[str, ...]) -> str:
        """Bind: the values, the range's ends."""
        return f"UPDATE {self._table} SET {self._build_assignments(fields)}{self._build_where_clause(range_ends)}"

    def _build_assignments(self, fields: Sequence[str]) -> str:
        return ", ".join(f'"{name}" = {self._dialect.placeholder}' for name in fields)

    def _build_where_clause(self, range_ends: RangeEnds) -> str:
        condition = self._build_range_condition(range_ends)
        return f" WHERE {condition}" if condition else ""

    def _build_range_condition(self, range_ends: RangeEnds) -> str:
        shared = range_ends.shared
        conditions = (
            (0, shared, "="),
            (shared, range_ends.begin, ">=" if range_ends.begin_inclusive else ">"),
            (shared, range_ends.end, "<=" if range_ends.end_inclusive else "<"),
        )
        return " AND ".join(self._compare_parts(*condition) for condition in conditions if condition[0] < condition[1])

    def _compare_parts(self, first: int, end: int, compared: str) -> str:
        # Row values are compared lexicographically: a shorter end means all keys with this prefix.
        return f"({', '.join(self.compared[first:end])}) {compared} ({', '.join(self._key_marks[first:end])})"

    def _build_any_range(self, ranges: Sequence[RangeEnds]) -> str:
        return f"({' OR '.join(f'({self._build_range_condition(ends) or self._all})' for ends in ranges)})"

    def _build_any_filter(self, filters: Sequence[Filter]) -> str:
        return "(" + " OR ".join(self._build_index_condition(name, null) for name, null in filters) + ")"

    def _build_index_condition(self, field: str, null: bool) -> str:
        if null:
            return f'"{field}" IS NULL'
        (column,), (mark,) = build_comparable_columns(self._dialect, self._kinds, (field,))
        return f"{column} = {mark}"


# A process may open many stores, whose tables are the same.
@lru_cache(maxsize=512)
def get_table_statements(
    dialect: SqlDialect, table: str, fields: tuple[tuple[str, FieldType], ...], key: tuple[str, ...]
) -> TableStatements:
    """Return the statements of a table, built once for each dialect and shape."""
    return TableStatements(dialect, table, fields, key)


def build_comparable_columns(
    dialect: SqlDialect, kinds: Mapping[str, FieldType], key: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of a key or an index as they are compared, and the placeholders to compare them with."""
    texts = sum(kinds[name] == "string" for name in key)
    columns = tuple(dialect.build_comparable_term(f'"{name}"', kinds[name], texts) for name in key)
    return columns, tuple(dialect.build_comparable_term(dialect.placeholder, kinds[name], texts) for name in key)
