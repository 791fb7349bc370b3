"""Files and folders of files."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Sink, Source
from jupyter_colophon.pipelines.plugins import ddl, shapes
from jupyter_colophon.spark.names import dataset_names

_FORMATS = ("parquet", "csv", "json", "orc", "text", "avro")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_PATH = shapes.text("Path", "A file or a folder, or a URI such as s3a://bucket/folder")
_FORMAT = shapes.choice("Format", "How the data is written", *_FORMATS, default="parquet")


class FileSource(Source):
    """Reads files."""

    name = "file"
    title = "File"
    description = "Files or folders of files"
    properties = {"path": _PATH, "format": _FORMAT, "schema": shapes.SCHEMA, "options": shapes.OPTIONS}
    required = ("path",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """What the path names, or a part of it."""
        return _dataset(self.settings["path"])

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Types of the schema that Spark does not have."""
        return ddl.faults("/schema", self.settings.get("schema", ""))

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those of the schema."""
        return ddl.names(self.settings["schema"]) if "schema" in self.settings else None

    def connector(self) -> str:
        """Its format."""
        return _format(self.settings)

    def read(self, context: StageContext) -> Any:
        """The files."""
        reader = context.spark.read.format(_format(self.settings)).options(**self.settings.get("options", {}))
        if "schema" in self.settings:
            reader = reader.schema(self.settings["schema"])
        return reader.load(_place(self.settings["path"]))


class FileSink(Sink):
    """Writes files."""

    name = "file"
    title = "File"
    description = "A folder of files"
    properties = {
        "path": _PATH,
        "format": _FORMAT,
        "mode": shapes.MODE,
        "partition_by": shapes.texts("Partition by", "Columns, a folder for each of their values"),
        "options": shapes.OPTIONS,
    }
    required = ("path",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """What the path names, or a part of it."""
        return _dataset(self.settings["path"])

    def part(self) -> str:
        """What the path says beyond that."""
        return dataset_names.whole(_place(self.settings["path"]))[1]

    def connector(self) -> str:
        """Its format."""
        return _format(self.settings)

    def write(self, context: StageContext, data: Any) -> None:
        """The files."""
        writer = data.write.format(_format(self.settings)).mode(self.settings.get("mode", "error"))
        writer = writer.options(**self.settings.get("options", {}))
        if self.settings.get("partition_by"):
            writer = writer.partitionBy(*self.settings["partition_by"])
        writer.save(_place(self.settings["path"]))


def _format(settings: Mapping[str, Any]) -> str:
    return str(settings.get("format", "parquet"))


def _place(path: str) -> str:
    """Return the path for Spark; a relative path is relative to the working directory, not the cluster's home folder."""
    return path if _URI.match(path) else os.path.abspath(path)


def _dataset(path: str) -> MetadataEntity | None:
    urn = dataset_names.file(dataset_names.whole(_place(path))[0])
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (FileSource, FileSink)
