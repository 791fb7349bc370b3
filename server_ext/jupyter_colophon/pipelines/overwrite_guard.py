"""What a sink would take away before it is read: Spark empties a folder, or a table behind JDBC, before it reads what goes there."""

from collections.abc import Iterable
from typing import Any

from jupyter_colophon.pipelines.plugin import Sink
from jupyter_colophon.spark.dataframe_columns import reads_of


class ReadAndOverwritten(ValueError):
    """A sink overwrites what it is made of; the text says what."""


def require_apart(sink: Sink, namespace: str, data: Any) -> None:
    """Raise ReadAndOverwritten where a sink would overwrite data that its rows are still to be read from."""
    dataset = sink.dataset(namespace) if sink.settings.get("mode") == "overwrite" else None
    if dataset is None:
        return
    if any(_meet(sink.part(), one.parts or ("",)) for one in reads_of(data) if one.urn == dataset.urn):
        msg = f"{dataset} would be overwritten before it is read: nothing would be left of it"
        raise ReadAndOverwritten(msg)


def _meet(written: str, read: Iterable[str]) -> bool:
    """Whether folders of partitions of a dataset lie in each other."""
    return any(f"{one}/".startswith(f"{written}/") or f"{written}/".startswith(f"{one}/") for one in read)
