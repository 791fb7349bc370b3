"""Reading what a crawl found, by Spark."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_colophon.spark.crawl import text
from jupyter_colophon.spark.crawl.discovered import Found
from jupyter_colophon.spark.error_messages import kind
from jupyter_colophon.spark.names import file_formats
from jupyter_colophon.spark.plans import connectors
from jupyter_colophon.spark.plans.connectors import ConnectorMissing

_CORRUPT = "_corrupt_record"
_NO_HINT = ".NO_HINT"
_GLOB = frozenset("*?[]{}\\")


class Unreadable(Exception):
    """A dataset cannot be read; the text says why, and holds no value of it."""


def read(spark: Any, found: Found, said: Mapping[str, str]) -> Any:
    """The dataset as a DataFrame; `said` are options of Spark's readers that outdo ours.

    Raises Unreadable, ConnectorMissing, OSError, Spark's errors.
    """
    format_ = str(found.ref.format)
    connectors.require(spark, format_)
    if found.table:
        return spark.table(found.table)
    if format_ in file_formats.TEXTS and not found.first:
        # No byte in it: no columns, and no rows.
        return spark.range(0).select()
    told = {**_told(found, format_), **said}
    if str(told.get("multiLine")).lower() == "true" and _GLOB & {*found.place}:
        # Hadoop takes the path of what is read as a whole for a pattern, whatever it is told.
        msg = "records over several lines cannot be read from a path with one of * ? [ ] { }"
        raise Unreadable(msg)
    # The path is meant as it stands, whatever is in it.
    reader = spark.read.format(format_).options(**told, __globPaths__="false")
    data = reader.load(found.place)
    if format_ == "json" and data.columns == [_CORRUPT]:
        msg = "no record in it is JSON"
        raise Unreadable(msg)
    return data


def lost(found: Found, data: Any) -> str | None:
    """The column in which Spark keeps the records that are no JSON; None where all are."""
    return _CORRUPT if found.ref.format == "json" and not found.table and _CORRUPT in data.columns else None


def _told(found: Found, format_: str) -> Mapping[str, str]:
    if format_ not in file_formats.TEXTS:
        return {}
    inferred = {"inferSchema": "true"} if format_ == "csv" else {}
    return {**inferred, **text.options(Path(found.first), format_)}


def why(error: Exception) -> str:
    """Why something failed, as a sentence without values: Spark's own condition where it has one."""
    if isinstance(error, Unreadable | ConnectorMissing):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    condition = _condition(error)
    words = condition.lower().replace("_", " ").replace(".", ": ") if condition else ""
    return f"Spark cannot read it ({words or kind(error)})"


def _condition(error: Exception) -> str:
    """Spark's condition; empty where it has none that says anything."""
    java: Any = getattr(error, "java_exception", None)
    thrown: Any = error if java is None else java
    told = ""
    # Not every exception has one.
    with suppress(Exception):
        told = str(thrown.getCondition() or "")
    return "" if told.endswith(_NO_HINT) else told
