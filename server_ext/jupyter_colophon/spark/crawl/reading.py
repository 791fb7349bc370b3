"""Read the datasets of a crawl with Spark."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.names import file_formats
from jupyter_colophon.spark.crawl import text
from jupyter_colophon.spark.crawl.discovered import FoundDataset
from jupyter_colophon.spark.error_messages import get_error_class
from jupyter_colophon.spark.plans import connectors
from jupyter_colophon.spark.plans.connectors import ConnectorMissing
from jupyter_colophon.wrangling.path_patterns import find_multi_line_problem

_CORRUPT = "_corrupt_record"
_NO_HINT = ".NO_HINT"


class UnreadableDataset(Exception):
    """A dataset cannot be read; the message explains why, without values."""


def read_dataset(spark: Any, dataset: FoundDataset, reader_options: Mapping[str, str]) -> Any:
    """Return the dataset as a DataFrame; `reader_options` override detected ones.

    Raises UnreadableDataset, ConnectorMissing, OSError, and exceptions of Spark.
    """
    format_ = str(dataset.ref.format)
    connectors.require_connector(spark, format_)
    if dataset.table:
        return spark.table(dataset.table)
    if format_ in file_formats.TEXTS and not dataset.first:
        # An empty file has no columns and no rows.
        return spark.range(0).select()
    options = {**_detect_reader_options(dataset, format_), **reader_options}
    if (problem := find_multi_line_problem(dataset.path, options)) is not None:
        raise UnreadableDataset(problem)
    # Do not interpret the path as a glob.
    reader = spark.read.format(format_).options(**options, __globPaths__="false")
    data = reader.load(dataset.path)
    if format_ == "json" and data.columns == [_CORRUPT]:
        msg = "it contains no valid JSON record"
        raise UnreadableDataset(msg)
    return data


def find_corrupt_column(dataset: FoundDataset, data: Any) -> str | None:
    """Return the column in which Spark puts invalid JSON records; None if there are none."""
    return _CORRUPT if dataset.ref.format == "json" and not dataset.table and _CORRUPT in data.columns else None


def _detect_reader_options(dataset: FoundDataset, format_: str) -> Mapping[str, str]:
    if format_ not in file_formats.TEXTS:
        return {}
    inferred = {"inferSchema": "true"} if format_ == "csv" else {}
    return {**inferred, **text.detect_reader_options(Path(dataset.first), format_)}


def describe_read_error(error: Exception) -> str:
    """Return why something failed, in one sentence without values: Spark's error condition if there is one."""
    if isinstance(error, UnreadableDataset | ConnectorMissing):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    condition = _get_condition(error)
    words = condition.lower().replace("_", " ").replace(".", ": ") if condition else ""
    return f"Spark cannot read it ({words or get_error_class(error)})"


def _get_condition(error: Exception) -> str:
    """Return Spark's error condition; empty if there is none, or it is meaningless."""
    java: Any = getattr(error, "java_exception", None)
    thrown: Any = error if java is None else java
    condition = ""
    # Not every exception has a condition.
    with suppress(Exception):
        condition = str(thrown.getCondition() or "")
    return "" if condition.endswith(_NO_HINT) else condition
