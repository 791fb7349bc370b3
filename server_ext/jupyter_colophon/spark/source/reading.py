"""Reading a table, in pieces; with `pushdown`, so that Spark's filters become the server's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pyspark.sql.datasource import DataSourceReader, InputPartition

from jupyter_colophon.spark.source.options import Options
from jupyter_colophon.spark.source.queries import QUESTIONS, Piece
from jupyter_colophon.spark.source.tables import TABLES, Row
from jupyter_colophon.spark.source.user_errors import told_plainly


class PiecePartition(InputPartition):
    """A piece, as Spark hands it to a task."""

    def __init__(self, piece: Piece) -> None:
        super().__init__(piece)


class TableReader(DataSourceReader):
    """Reads one table."""

    def __init__(self, options: Options) -> None:
        options.require_known(*QUESTIONS[options.table].options)
        self.options = options

    @told_plainly()
    def partitions(self) -> Sequence[InputPartition]:
        """The pieces; the server is asked what there is."""
        catalog = self.options.catalog()
        try:
            return [PiecePartition(piece) for piece in QUESTIONS[self.options.table].pieces(catalog, self.options)]
        finally:
            catalog.close()

    def read(self, partition: InputPartition) -> Iterator[Row]:
        """The rows of a piece."""
        return rows(self.options, partition.value)


def rows(options: Options, piece: Piece) -> Iterator[Row]:
    """The rows of a piece of a table."""
    catalog = options.catalog()
    try:
        row = TABLES[options.table].row
        with told_plainly():
            yield from map(row, QUESTIONS[options.table].documents(catalog, options, piece))
    finally:
        catalog.close()


class PushingReader(TableReader):
    """The same for PySpark 4.1 and newer, with `spark.sql.python.filterPushdown.enabled`: without it, Spark refuses it.

    Spark holds the rows against each filter that is given back; what becomes an option is exact, and is not.
    """

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Make options of the filters that the server knows; the others are Spark's."""
        for one in filters:
            pushed = _option(
                self.options, type(one).__name__, getattr(one, "attribute", ()), getattr(one, "value", None)
            )
            if pushed is None:
                yield one
            else:
                self.options = replace(self.options, filters={**self.options.filters, **pushed})


#: Which columns of a table can be asked for by an equal value: those that are options of the same name.
_EQUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "entities": ("namespace", "type"),
    "aspects": ("namespace", "type", "aspect"),
    "search": ("namespace", "type", "platform"),
    "changes": ("namespace", "type", "urn"),
    "edges": (),
}


def _option(options: Options, kind: str, attribute: Sequence[str], value: Any) -> dict[str, str] | None:
    """The option that means the same as a filter, where there is one and the user has not told it."""
    if len(attribute) != 1:
        return None
    (column,) = attribute
    if kind == "EqualTo" and column in _EQUAL[options.table] and _is_one(value) and column not in options.filters:
        return {column: value}
    if options.table == "changes" and column == "seq" and kind == "GreaterThan" and "after" not in options.filters:
        return {"after": str(max(0, int(value)))}
    return None


def _is_one(value: Any) -> bool:
    """Whether a value can be an option: an empty one means all, and a comma parts several."""
    return isinstance(value, str) and value != "" and "," not in value
