"""The stream of PySpark 4.2 and newer: batches are bounded, and `availableNow` ends at what there was at its beginning."""

from typing import Any

from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from jupyter_colophon.spark.source.streaming import ChangeStream, Offset, bounded


class LimitedChangeStream(ChangeStream, SupportsTriggerAvailableNow):
    """A stream that is told how much to read at once."""

    #: Where a query that reads what is available now ends.
    target: Offset | None = None

    def getDefaultReadLimit(self) -> ReadLimit:
        """So many changes at once as the option says."""
        return ReadMaxRows(self.most)

    def latestOffset(self, start: Offset, limit: Any) -> Offset:  # type: ignore[override]
        """Where the batch ends that begins at `start`."""
        most = None if isinstance(limit, ReadAllAvailable) else getattr(limit, "max_rows", self.most)
        return bounded(start, self.target or self.latest(), most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Remember where the log ends."""
        self.target = self.latest()

    def reportLatestOffset(self) -> Offset:
        """The newest change, for the query's progress."""
        return self.latest()
