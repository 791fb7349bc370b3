"""What ended a cell that did not succeed. PySpark is imported by the user or not at all."""

from dataclasses import dataclass

#: Packages whose exceptions say that Spark refused or failed a statement.
_SPARK = ("pyspark", "py4j")


@dataclass(frozen=True, slots=True)
class Failure:
    """The class of the exception, with Spark's condition where it has one; never its message, which holds values."""

    error: str = ""
    was_interrupted: bool = False
    is_of_spark: bool = False

    @classmethod
    def of(cls, error: BaseException | None) -> "Failure":
        """Describe what a cell raised; None where nobody knows."""
        if error is None:
            return cls()
        name, condition = type(error).__name__, _condition(error)
        return cls(
            f"{name} ({condition})" if condition else name,
            isinstance(error, KeyboardInterrupt),
            type(error).__module__.partition(".")[0] in _SPARK,
        )


def _condition(error: BaseException) -> str:
    """Return Spark's name of what went wrong (`PATH_ALREADY_EXISTS`), or ""."""
    read = getattr(error, "getCondition", None)
    try:
        found = read() if callable(read) else None
    except Exception:  # noqa: BLE001  the JVM may be gone, and the cell has ended in any case
        return ""
    return found if isinstance(found, str) else ""
