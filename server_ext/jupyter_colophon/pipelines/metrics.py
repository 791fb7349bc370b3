"""Count the rows of a stage during execution, without an extra query."""

from typing import Any


class RowCounter:
    """The rows of one stage's data."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._observed: Any = None

    def count_rows_of(self, data: Any) -> Any:
        """Return the data, observed so that its rows are counted on first use."""
        from pyspark.sql import Observation, functions

        self._observed = Observation(f"colophon.{self._stage}")
        return data.observe(self._observed, functions.count(functions.lit(1)).alias("rows"))

    @property
    def row_count(self) -> int | None:
        """Return the number of rows; None if the data was not used, or Spark skipped reading it."""
        # `Observation.get` blocks until there is a result, which never comes if Spark skipped the stage.
        result = self._observed._jo.future().value() if self._observed is not None else None
        # An Option of a Try: completed successfully.
        has_figures = result is not None and result.isDefined() and result.get().isSuccess()
        return int(self._observed.get["rows"]) if has_figures else None
