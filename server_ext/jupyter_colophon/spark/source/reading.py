"""Reads of a table, in pieces; with `pushdown`, Spark's filters are evaluated by the server."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jupyter_colophon.spark.source.options import SourceOptions
from jupyter_colophon.spark.source.queries import TABLE_QUERIES, PartitionQuery
from jupyter_colophon.spark.source.tables import TABLES, Row
from jupyter_colophon.spark.source.user_errors import hide_traceback


class QueryPartition(InputPartition):
    """A piece, as an input partition of Spark."""

    def __init__(self, partition_query: PartitionQuery) -> None:
        super().__init__(partition_query)


class TableReader(DataSourceReader):
    """Read some columns of one table: Spark has no pushdown of columns, but a schema that the user sets selects them."""

    def __init__(self, options: SourceOptions, schema: Any) -> None:
        options.require_known_options(*TABLE_QUERIES[options.table].options)
        self.options = options
        self.columns = TABLES[options.table].choose_columns(schema)

    @hide_traceback()
    def partitions(self) -> Sequence[InputPartition]:
        """Return the pieces, which depend on the content of the catalog."""
        catalog = self.options.connect_to_server()
        try:
            return [QueryPartition(piece) for piece in TABLE_QUERIES[self.options.table].pieces(catalog, self.options)]
        finally:
            catalog.close()

    def read(self, partition: InputPartition) -> Iterator[Row]:
        """Yield the rows of a piece."""
        return read_rows(self.options, partition.value, self.columns)


def read_rows(options: SourceOptions, partition_query: PartitionQuery, columns: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of a piece of a table, with these columns."""
    catalog = options.connect_to_server()
    try:
        row = TABLES[options.table].build_row(columns)
        with hide_traceback():
            yield from map(row, TABLE_QUERIES[options.table].documents(catalog, options, partition_query))
    finally:
        catalog.close()


class PushdownReader(TableReader):
    """A reader with pushdown, for PySpark 4.1 and newer. Spark rejects it unless `spark.sql.python.filterPushdown.enabled` is set.

    Spark evaluates the filters that are returned; those that become options are exact, and are not returned.
    """

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Convert the filters that the server supports to options, and yield the others."""
        for item in filters:
            pushed = _build_option(
                self.options, type(item).__name__, getattr(item, "attribute", ()), getattr(item, "value", None)
            )
            if pushed is None:
                yield item
            else:
                self.options = replace(self.options, filters={**self.options.filters, **pushed})


#: The columns of a table that the server can filter by equality: those with an option of the same name.
_EQUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "entities": ("namespace", "type"),
    "aspects": ("namespace", "type", "aspect"),
    "descriptors": ("namespace", "type", "aspect"),
    "search": ("namespace", "type", "platform"),
    "changes": ("namespace", "type", "urn"),
    "edges": (),
}


def _build_option(options: SourceOptions, kind: str, attribute: Sequence[str], value: Any) -> dict[str, str] | None:
    """Return the option that is equivalent to a filter, unless the user has set it."""
    if len(attribute) != 1:
        return None
    (column,) = attribute
    if (
        kind == "EqualTo"
        and column in _EQUAL[options.table]
        and _is_single_value(value)
        and column not in options.filters
    ):
        return {column: value}
    if options.table == "changes" and column == "seq" and kind == "GreaterThan" and "after" not in options.filters:
        return {"after": str(max(0, int(value)))}
    return None


def _is_single_value(value: Any) -> bool:
    """Return whether a value can be an option: an empty one means all values, and a comma separates several."""
    return isinstance(value, str) and value != "" and "," not in value
