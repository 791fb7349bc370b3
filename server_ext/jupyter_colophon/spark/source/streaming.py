"""The change log as a stream. An offset is the number of a change, so a range has the same content whenever it is read.

Before PySpark 4.2 a stream has no read limit; newer versions have other methods for it. There is a class for each,
and `create_stream_reader` chooses one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jupyter_colophon.spark.source.options import InvalidOption, SourceOptions
from jupyter_colophon.spark.source.queries import read_newest_sequence, split_change_range
from jupyter_colophon.spark.source.reading import QueryPartition, read_rows
from jupyter_colophon.spark.source.tables import TABLES, Row
from jupyter_colophon.spark.source.user_errors import hide_traceback

Offset = dict[str, int]
#: Default maximum number of changes of a micro-batch.
BATCH_CHANGES = 10_000
_OPTIONS = ("namespace", "urn", "type", "startingOffset", "maxRowsPerBatch")


class ChangeStream(DataSourceStreamReader):
    """The stream for PySpark before 4.2, and the base of the other."""

    def __init__(self, options: SourceOptions, schema: Any) -> None:
        options.require_known_options(*_OPTIONS)
        if options.table != "changes":
            raise InvalidOption(f"only the table changes can be streamed, not {options.table}")
        self.options = options
        self.columns = TABLES[options.table].choose_columns(schema)
        self.max_changes = options.get_number("maxRowsPerBatch", BATCH_CHANGES, minimum=1, maximum=10_000_000)

    @hide_traceback()
    def initialOffset(self) -> Offset:
        """Return the start of a stream without a checkpoint."""
        value = self.options.filters.get("startingoffset", "earliest")
        if value == "earliest":
            return _create_offset(0)
        if value == "latest":
            return self.read_latest()
        if not (value.isascii() and value.isdigit()):
            raise InvalidOption("the option startingOffset must be earliest, latest or the number of a change")
        return _create_offset(int(value))

    def latestOffset(self) -> Offset:  # type: ignore[override]  # the signature before PySpark 4.2
        """Return the newest change."""
        return self.read_latest()

    @hide_traceback()
    def read_latest(self) -> Offset:
        """Return the newest change."""
        catalog = self.options.connect_to_server()
        try:
            return _create_offset(read_newest_sequence(catalog))
        finally:
            catalog.close()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Return the changes in a range; empty if it is."""
        return [
            QueryPartition(piece) for piece in split_change_range(start["seq"], end["seq"], self.options.partitions)
        ]

    def read(self, partition: InputPartition) -> Iterator[Row]:
        """Yield the changes of a piece."""
        return read_rows(self.options, partition.value, self.columns)

    def commit(self, end: Offset) -> None:
        """Do nothing: the retention of the change log does not depend on streams."""


def _create_offset(seq: int) -> Offset:
    return {"seq": seq}


def limit_batch_end(start: Offset, newest: Offset, max_changes: int | None) -> Offset:
    """Return the end of a batch with a start and a maximum number of changes."""
    end = newest["seq"] if max_changes is None else min(newest["seq"], start["seq"] + max_changes)
    return _create_offset(max(start["seq"], end))
