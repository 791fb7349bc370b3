"""The change log as a stream: an offset is the number of a change, so a range is the same whenever it is read.

Before PySpark 4.2 a stream cannot be told how much to read at once; from then on it has other methods for it. Each has a
class of its own, and `reader` chooses by what there is.
"""

from collections.abc import Iterator, Sequence

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from jupyter_colophon.spark.source.options import Options, WrongOption
from jupyter_colophon.spark.source.queries import head, ranges
from jupyter_colophon.spark.source.reading import PiecePartition, rows
from jupyter_colophon.spark.source.tables import Row
from jupyter_colophon.spark.source.user_errors import told_plainly

Offset = dict[str, int]
#: How many changes a micro-batch has at most, unless told.
BATCH_CHANGES = 10_000
_OPTIONS = ("namespace", "urn", "type", "startingOffset", "maxRowsPerBatch")


class ChangeStream(DataSourceStreamReader):
    """What both have in common, and all there is before PySpark 4.2."""

    def __init__(self, options: Options) -> None:
        options.require_known(*_OPTIONS)
        if options.table != "changes":
            raise WrongOption(f"only changes are a stream, not {options.table}")
        self.options = options
        self.most = options.number("maxRowsPerBatch", BATCH_CHANGES, least=1, most=10_000_000)

    @told_plainly()
    def initialOffset(self) -> Offset:
        """Where a stream begins that has no checkpoint."""
        told = self.options.filters.get("startingoffset", "earliest")
        if told == "earliest":
            return _at(0)
        if told == "latest":
            return self.latest()
        if not (told.isascii() and told.isdigit()):
            raise WrongOption("the option startingOffset is earliest, latest or the number of a change")
        return _at(int(told))

    def latestOffset(self) -> Offset:  # type: ignore[override]  # as it was before PySpark 4.2
        """The newest change."""
        return self.latest()

    @told_plainly()
    def latest(self) -> Offset:
        """The newest change."""
        catalog = self.options.catalog()
        try:
            return _at(head(catalog))
        finally:
            catalog.close()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """The changes after one offset up to another; nothing where they are the same."""
        return [PiecePartition(piece) for piece in ranges(start["seq"], end["seq"], self.options.partitions)]

    def read(self, partition: InputPartition) -> Iterator[Row]:
        """The changes of a piece."""
        return rows(self.options, partition.value)

    def commit(self, end: Offset) -> None:
        """Nothing is to be let go of: the log keeps what it keeps."""


def _at(seq: int) -> Offset:
    return {"seq": seq}


def bounded(start: Offset, newest: Offset, most: int | None) -> Offset:
    """Where a batch ends that begins at one offset and has at most so many changes."""
    end = newest["seq"] if most is None else min(newest["seq"], start["seq"] + most)
    return _at(max(start["seq"], end))
