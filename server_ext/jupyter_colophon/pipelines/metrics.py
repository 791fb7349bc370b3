"""Numbers that Spark computes of the data of a stage while it is used, without another query."""

from typing import Any


class ObservedNumber:
    """An aggregate of the data of one stage, such as its number of rows."""

    def __init__(self, figure: str, stage: str) -> None:
        self._name = f"colophon.{figure}.{stage}"
        self._observed: Any = None

    def observe(self, data: Any, aggregate: Any) -> Any:
        """Return the data, observed so that the aggregate is computed on first use."""
        from pyspark.sql import Observation

        self._observed = Observation(self._name)
        return data.observe(self._observed, aggregate.alias("number"))

    @property
    def value(self) -> int | None:
        """Return the number; None if the data was not used, Spark skipped reading it, or the aggregate is null."""
        # `Observation.get` blocks until there is a result, which never comes if Spark skipped the stage.
        result = self._observed._jo.future().value() if self._observed is not None else None
        # An Option of a Try: completed successfully.
        if result is None or not result.isDefined() or not result.get().isSuccess():
            return None
        number = self._observed.get["number"]
        return None if number is None else int(number)


def observe_row_count(data: Any, stage: str) -> tuple[Any, ObservedNumber]:
    """Return the data of a stage, observed, and the number of its rows."""
    from pyspark.sql import functions

    number = ObservedNumber("rows", stage)
    return number.observe(data, functions.count(functions.lit(1))), number
