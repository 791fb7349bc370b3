"""Describe the exception that ended a cell. Never imports PySpark before the user does."""

from dataclasses import dataclass

#: Packages whose exceptions mean that Spark rejected or failed a statement.
_SPARK = ("pyspark", "py4j")


@dataclass(frozen=True, slots=True)
class CellFailure:
    """The class of the exception, with Spark's condition where it has one; never its message, which holds values."""

    error: str = ""
    was_interrupted: bool = False
    is_spark_error: bool = False

    @classmethod
    def from_exception(cls, error: BaseException | None) -> "CellFailure":
        """Describe the exception of a cell; None if it is unknown."""
        if error is None:
            return cls()
        name, condition = type(error).__name__, _read_condition(error)
        return cls(
            f"{name} ({condition})" if condition else name,
            isinstance(error, KeyboardInterrupt),
            type(error).__module__.partition(".")[0] in _SPARK,
        )


def _read_condition(error: BaseException) -> str:
    """Return Spark's error condition (`PATH_ALREADY_EXISTS`), or ""."""
    read = getattr(error, "getCondition", None)
    try:
        condition = read() if callable(read) else None
    except Exception:  # noqa: BLE001  the JVM may have ended; the cell has ended in any case
        return ""
    return condition if isinstance(condition, str) else ""
