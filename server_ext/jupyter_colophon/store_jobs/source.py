"""The Spark data source `colophon-store`: tables of the data source `colophon`, read from the store itself.

Only jobs register it. Tasks read ranges of URNs or of numbers of changes, in short transactions: while others write, a table
is not a snapshot. Policies are not evaluated, since whoever can open the store can read it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from jupyter_colophon.core.entities.exported_aspects import is_aspect_exported, is_type_exported
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.spark.source.options import PARTITIONS, InvalidOption, parse_number
from jupyter_colophon.spark.source.queries import list_entity_descriptors, split_change_range
from jupyter_colophon.spark.source.tables import TABLES
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity
from jupyter_colophon.storage.spi import Range, Row, TableContext
from jupyter_colophon.store_jobs.store_address import ADDRESS_OPTION, StoreAddress, report_store_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMAT: Final = "colophon-store"
#: Rows that one transaction reads of a table without aspects, and entities whose aspects one reads.
_ROWS, _ENTITIES = 2_000, sources_of_truth.AT_ONCE
_TYPES: Final = {"STRING": pa.string(), "BIGINT": pa.int64(), "TIMESTAMP": pa.timestamp("us", tz="UTC")}
#: A column of rows: times are stored in milliseconds.
_Column = Callable[[Row], Any]
#: The rows that follow a position, and the next position; None at the end.
_Page = tuple[list[Row], Any]


@dataclass(frozen=True, slots=True)
class RowRange:
    """What one task reads: the rows after a URN or a number, up to another one (None: to the end)."""

    after: Any
    until: Any


@dataclass(frozen=True, slots=True)
class StoreTable:
    """A table: how a page of its rows is read, the columns that are not members of rows, and those that filters select by."""

    read_page: Callable[[TableContext, Registry, RowRange], _Page]
    columns: Mapping[str, _Column]
    selected_by: frozenset[str]


class StoreSource(DataSource):
    """`format("colophon-store")`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> str:
        """Return all columns of the table in the option `table`."""
        return TABLES[self._get_table_name()].schema

    def reader(self, schema: Any) -> DataSourceReader:
        """Return a reader of the columns of a schema."""
        with report_store_errors():
            table = self._get_table_name()
            partitions = parse_number(self.options, "numPartitions", PARTITIONS, minimum=1, maximum=10_000)
            address = StoreAddress.from_options(self.options)
            return StoreReader(address, table, TABLES[table].choose_columns(schema), partitions)

    def _get_table_name(self) -> str:
        name = str(self.options.get("table", "entities"))
        if name not in STORE_TABLES:
            raise InvalidOption(f"the option table must be one of {', '.join(STORE_TABLES)}, not {name!r}")
        return name


class StoreReader(DataSourceReader):
    """Reads some columns of a table. Filters are evaluated before rows are converted for Spark."""

    def __init__(self, address: StoreAddress, table: str, columns: tuple[str, ...], partitions: int) -> None:
        self.address, self.table, self.columns, self.partition_count = address, table, columns, partitions
        #: The values that a column must have.
        self.selection: dict[str, frozenset[Any]] = {}

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Take the filters by equality of columns that the table is selected by, and yield the others."""
        for item in filters:
            column = ".".join(getattr(item, "attribute", ()))
            kind = type(item).__name__
            if kind in ("EqualTo", "In") and column in STORE_TABLES[self.table].selected_by:
                values = frozenset([item.value] if kind == "EqualTo" else item.value)
                self.selection[column] = self.selection.get(column, values) & values
            else:
                yield item

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges that tasks read."""
        with report_store_errors():
            maintenance = self.address.open()
            if self.table == "changes":
                newest = maintenance.read_newest_change_number()
                pieces = split_change_range(0, newest, self.partition_count)
                ranges = [RowRange(piece.after, piece.until) for piece in pieces] or [RowRange(0, 0)]
            else:
                found = maintenance.create_slice_checker().list_entity_ranges(self.partition_count)
                ranges = [RowRange(after, until) for after, until in found]
            return [InputPartition(each) for each in ranges]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a range."""
        table, kinds = STORE_TABLES[self.table], TABLES[self.table].columns
        readers = [(name, _build_column(table, name), _TYPES[kinds[name].type]) for name in self.columns]
        with report_store_errors():
            for rows in self._iterate_pages(table, partition.value):
                kept = [row for row in rows if self._is_selected(row)]
                if kept:
                    arrays = [_build_array(map(column, kept), kind) for _, column, kind in readers]
                    yield pa.RecordBatch.from_arrays(arrays, names=[name for name, _, _ in readers])

    def _iterate_pages(self, table: StoreTable, rows: RowRange) -> Iterator[list[Row]]:
        maintenance = self.address.open()
        position: Any = rows.after
        while position is not None:
            requested = RowRange(position, rows.until)
            page, position = maintenance.provider.tx_runner.run(
                lambda tx, requested=requested: table.read_page(tx, maintenance.registry, requested),  # type: ignore[misc]
                read_only=True,
            )
            yield page

    def _is_selected(self, row: Row) -> bool:
        return all(row[column] in values for column, values in self.selection.items())


def register_store_source(spark: "SparkSession", address: StoreAddress, partitions: int) -> Callable[[str, str], Any]:
    """Register the source; return the function that reads a table with the columns of a schema."""
    spark.dataSource.register(StoreSource)
    # Without it, Spark refuses readers that take filters.
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    options = {ADDRESS_OPTION: address.to_text(), "numPartitions": str(partitions)}

    def read(table: str, schema: str) -> Any:
        return spark.read.format(FORMAT).schema(schema).options(**options, table=table).load()

    return read


def _build_column(table: StoreTable, name: str) -> _Column:
    return table.columns.get(name) or (lambda row: row[name])


def _build_array(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        return pa.array([None if value is None else value * 1_000 for value in values], pa.int64()).cast(kind)
    return pa.array(list(values), kind)


def _read_entities(tx: TableContext, registry: Registry, rows: RowRange) -> _Page:
    keys = Range((rows.after,) if rows.after else (), () if rows.until is None else (rows.until,), not rows.after)
    page = list(tx.get_table("entities").scan(keys, _ROWS))
    next_position = page[-1]["urn"] if len(page) == _ROWS else None
    return [row for row in page if not row["deleted"] and not row["removed"]], next_position


def _read_aspects(tx: TableContext, registry: Registry, rows: RowRange) -> _Page:
    """Read the aspects that an export contains, each with the type and the namespace of its entity."""
    entities = sources_of_truth.list_stored_entities_after(tx, rows.after, _ENTITIES)
    inside = [stored for stored in entities if rows.until is None or stored.entity["urn"] <= rows.until]
    exported = {
        stored.entity["urn"]: {"type": stored.entity["type"], "namespace": stored.entity["namespace"]}
        for stored in inside
        if not stored.entity["deleted"] and is_type_exported(registry, stored.entity["type"])
    }
    page = [
        {**aspect, **entity}
        for aspect in (*_list_aspects_with_value(inside), *_read_timeseries(tx, inside))
        if (entity := exported.get(aspect["urn"])) and is_aspect_exported(registry, entity["type"], aspect["aspect"])
    ]
    is_last = len(entities) < _ENTITIES or len(inside) < len(entities)
    return page, None if is_last else entities[-1].entity["urn"]


def _list_aspects_with_value(entities: Sequence[StoredEntity]) -> Iterator[Row]:
    for stored in entities:
        yield from (aspect for aspect in stored.aspects.values() if aspect["value"] is not None)


def _read_timeseries(tx: TableContext, entities: Sequence[StoredEntity]) -> Iterator[Row]:
    """Yield the values of time series of neighbouring entities."""
    if entities:
        ends = (entities[0].entity["urn"],), (entities[-1].entity["urn"],)
        yield from tx.get_table("timeseries").scan(Range(*ends))


def _read_descriptors(tx: TableContext, registry: Registry, rows: RowRange) -> _Page:
    aspects, position = _read_aspects(tx, registry, rows)
    members = ("urn", "type", "namespace", "aspect")
    return [
        {name: aspect[name] for name in members}
        | {"kind": descriptor.kind, "key": descriptor.key, "text": descriptor.text}
        for aspect in aspects
        for descriptor in list_entity_descriptors(aspect["aspect"], json.loads(aspect["value"]))
    ], position


def _read_changes(tx: TableContext, registry: Registry, rows: RowRange) -> _Page:
    page = [row for row in tx.log.read_changes(rows.after, _ROWS, {}, _BYTES) if row["seq"] <= rows.until]
    return page, page[-1]["seq"] if page and page[-1]["seq"] < rows.until else None


#: The size of the values of changes that are read at once.
_BYTES: Final = 8 * 1024 * 1024
_SELECTED: Final = frozenset({"urn", "type", "namespace", "aspect"})
STORE_TABLES: Final[Mapping[str, StoreTable]] = {
    "entities": StoreTable(_read_entities, {}, frozenset({"urn", "type", "namespace", "name", "platform"})),
    "aspects": StoreTable(_read_aspects, {"bytes": lambda row: len(row["value"].encode())}, _SELECTED),
    "descriptors": StoreTable(_read_descriptors, {}, _SELECTED | {"kind", "key", "text"}),
    "changes": StoreTable(_read_changes, {}, _SELECTED | {"operation", "actor"}),
}
