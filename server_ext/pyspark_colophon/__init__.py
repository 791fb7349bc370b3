"""Where Spark finds the data source `colophon` by itself: it imports every module whose name begins so.

One such module that cannot be imported makes all of them unknown, so this one never fails, and imports nothing heavy.
"""

from contextlib import suppress
from typing import Any

with suppress(ImportError):  # a PySpark before 4.0 has no data sources of this kind, and does not ask
    from jupyter_colophon.spark.source.source import ColophonSource as DefaultSource

__all__ = ["DefaultSource", "register"]


def register(spark: Any) -> None:
    """Make `format("colophon")` known to a session; for where another package keeps Spark from finding it."""
    spark.dataSource.register(DefaultSource)
