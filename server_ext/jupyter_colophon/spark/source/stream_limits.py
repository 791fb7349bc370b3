"""The stream for PySpark 4.2 and newer: batches are limited, and `availableNow` stops at the changes of its start."""

from typing import Any

from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from jupyter_colophon.spark.source.streaming import ChangeStream, Offset, limit_batch_end


class LimitedChangeStream(ChangeStream, SupportsTriggerAvailableNow):
    """A stream with a read limit."""

    #: The end of a query with the trigger `availableNow`.
    target: Offset | None = None

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the read limit of the options."""
        return ReadMaxRows(self.max_changes)

    def latestOffset(self, start: Offset, limit: Any) -> Offset:  # type: ignore[override]
        """Return the end of the batch that begins at `start`."""
        max_changes = None if isinstance(limit, ReadAllAvailable) else getattr(limit, "max_rows", self.max_changes)
        return limit_batch_end(start, self.target or self.read_latest(), max_changes)

    def prepareForTriggerAvailableNow(self) -> None:
        """Remember the current end of the log."""
        self.target = self.read_latest()

    def reportLatestOffset(self) -> Offset:
        """Return the newest change, for the query's progress."""
        return self.read_latest()
