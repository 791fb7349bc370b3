"""Files and folders of files."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.plugins import ddl, property_schemas
from jupyter_colophon.wrangling.path_patterns import find_multi_line_problem, has_pattern_characters

_FORMATS = ("parquet", "csv", "json", "orc", "text", "avro")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_PATH = property_schemas.define_text("Path", "A file or a folder, or a URI such as s3a://bucket/folder")
_FORMAT = property_schemas.define_choice("Format", "The file format", *_FORMATS, default="parquet")


class FileSource(SourcePlugin):
    """Read files."""

    name = "file"
    title = "File"
    description = "Files or folders of files"
    properties = {
        "path": _PATH,
        "format": _FORMAT,
        "schema": property_schemas.SCHEMA,
        "options": property_schemas.OPTIONS,
    }
    required = ("path",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the dataset of the path, which may be a partition of it."""
        return _resolve_dataset(self.settings["path"])

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown types in the schema."""
        return ddl.find_problems("/schema", self.settings.get("schema", ""))

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of the schema."""
        return ddl.parse_names(self.settings["schema"]) if "schema" in self.settings else None

    def get_connector(self) -> str:
        """Return the format."""
        return _get_format(self.settings)

    def read(self, context: StageContext) -> Any:
        """Return the content of the files."""
        return _read_path(context, self.settings)


class FileSink(SinkPlugin):
    """Write files."""

    name = "file"
    title = "File"
    description = "A folder of files"
    properties = {
        "path": _PATH,
        "format": _FORMAT,
        "mode": property_schemas.MODE,
        "partition_by": property_schemas.define_list("Partition by", "Columns whose values become partition folders"),
        "options": property_schemas.OPTIONS,
    }
    required = ("path",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the dataset of the path, which may be a partition of it."""
        return _resolve_dataset(self.settings["path"])

    def get_partition(self) -> str:
        """Return the partition in the path."""
        return dataset_names.split_partition_folders(_resolve_path(self.settings["path"]))[1]

    def get_connector(self) -> str:
        """Return the format."""
        return _get_format(self.settings)

    def write(self, context: StageContext, data: Any) -> None:
        """Write the files."""
        writer = data.write.format(_get_format(self.settings)).mode(self.settings.get("mode", "error"))
        writer = writer.options(**self.settings.get("options", {}))
        if self.settings.get("partition_by"):
            writer = writer.partitionBy(*self.settings["partition_by"])
        writer.save(_resolve_path(self.settings["path"]))

    def read_written(self, context: StageContext) -> Any:
        """Return the content of the files."""
        return _read_path(context, self.settings)


def _get_format(settings: Mapping[str, Any]) -> str:
    return str(settings.get("format", "parquet"))


def _resolve_path(path: str) -> str:
    """Return the path for Spark; a relative path is relative to the working directory, not the cluster's home folder."""
    return path if _URI.match(path) else os.path.abspath(path)


def _read_path(context: StageContext, settings: Mapping[str, Any]) -> Any:
    """Return the content of the path; the name of a file or folder of this machine is not read as a pattern."""
    path, given = _resolve_path(settings["path"]), settings.get("options", {})
    reader = context.spark.read.format(_get_format(settings)).options(**given)
    if "schema" in settings:
        reader = reader.schema(settings["schema"])
    if not (has_pattern_characters(path) and os.path.exists(path)):
        return reader.load(path)
    if (problem := find_multi_line_problem(path, given)) is not None:
        raise ValueError(problem)
    return reader.option("__globPaths__", "false").load(path)


def _resolve_dataset(path: str) -> MetadataEntity | None:
    urn = dataset_names.build_file_urn(dataset_names.split_partition_folders(_resolve_path(path))[0])
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (FileSource, FileSink)
