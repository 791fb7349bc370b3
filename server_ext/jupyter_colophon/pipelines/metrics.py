"""How many rows go through a stage, counted while they go: no query is run for it."""

from typing import Any


class Rows:
    """The rows of one stage's data."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._observed: Any = None

    def counted(self, data: Any) -> Any:
        """The same data, whose rows are counted when it is first used."""
        from pyspark.sql import Observation, functions

        self._observed = Observation(f"colophon.{self._stage}")
        return data.observe(self._observed, functions.count(functions.lit(1)).alias("rows"))

    @property
    def count(self) -> int | None:
        """How many there were; None where nothing used the data, or Spark found that it need not read it."""
        # `Observation.get` waits until there are figures, and where Spark left the stage out there never are.
        found = self._observed._jo.future().value() if self._observed is not None else None
        # An option of a try: done, and well.
        has_figures = found is not None and found.isDefined() and found.get().isSuccess()
        return int(self._observed.get["rows"]) if has_figures else None
