"""What a sink would take away before it is read: Spark empties a folder, or a table behind JDBC, before it reads what goes there."""

from typing import Any

from jupyter_colophon.spark.origins import datasets_of
from jupyter_colophon.spark.pipelines.plugin import Sink


class ReadAndOverwritten(ValueError):
    """A sink overwrites what it is made of; the text says what."""


def require_apart(sink: Sink, namespace: str, data: Any) -> None:
    """Raise ReadAndOverwritten where a sink would overwrite a dataset that its data is still to be read from."""
    if sink.told.get("mode") != "overwrite":
        return
    dataset = sink.dataset(namespace)
    if dataset is not None and dataset.urn in datasets_of(data):
        msg = f"{dataset} would be overwritten before it is read: nothing would be left of it"
        raise ReadAndOverwritten(msg)
