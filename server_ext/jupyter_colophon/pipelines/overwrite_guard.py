"""Detection of sinks that overwrite their own source: Spark clears a folder or JDBC table before it reads the data to write."""

from collections.abc import Iterable
from typing import Any

from jupyter_colophon.pipelines.plugin import SinkPlugin
from jupyter_colophon.spark.dataframe_columns import find_read_datasets


class OverwriteConflict(ValueError):
    """A sink would overwrite its own source; the message names it."""


def require_no_overwrite(sink: SinkPlugin, namespace: str, data: Any) -> None:
    """Raise OverwriteConflict if a sink would overwrite data that is still to be read."""
    dataset = sink.get_dataset(namespace) if sink.settings.get("mode") == "overwrite" else None
    if dataset is None:
        return
    if any(
        _is_one_inside_other(sink.get_partition(), ref.parts or ("",))
        for ref in find_read_datasets(data)
        if ref.urn == dataset.urn
    ):
        msg = f"{dataset} would be overwritten before it is read"
        raise OverwriteConflict(msg)


def _is_one_inside_other(written: str, read: Iterable[str]) -> bool:
    """Return whether one of two partition folders contains the other."""
    return any(f"{part}/".startswith(f"{written}/") or f"{written}/".startswith(f"{part}/") for part in read)
