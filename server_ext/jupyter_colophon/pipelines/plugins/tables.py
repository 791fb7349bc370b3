"""Tables of Spark's catalog."""

from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity, resolve_entity
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.plugins import property_schemas

_NAME = property_schemas.define_text(
    "Name",
    "database.table; the default database is the pipeline's namespace",
    pattern="^[A-Za-z0-9_]+([.][A-Za-z0-9_]+)?$",
)


class TableSource(SourcePlugin):
    """Read a table."""

    name = "table"
    title = "Table"
    description = "A table or a view of Spark's catalog"
    properties = {"name": _NAME}
    required = ("name",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the table."""
        return _resolve_dataset(self.settings["name"], namespace)

    def read(self, context: StageContext) -> Any:
        """Return the content of the table."""
        return context.spark.table(_complete_name(self.settings["name"], context.namespace))


class TableSink(SinkPlugin):
    """Write a table."""

    name = "table"
    title = "Table"
    description = "A table of Spark's catalog"
    properties = {
        "name": _NAME,
        "mode": property_schemas.MODE,
        "format": property_schemas.define_text("Format", "The format of a new table", default="parquet"),
        "partition_by": property_schemas.define_list("Partition by", "Partition columns of a new table"),
        "options": property_schemas.OPTIONS,
    }
    required = ("name",)

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the table."""
        return _resolve_dataset(self.settings["name"], namespace)

    def write(self, context: StageContext, data: Any) -> None:
        """Write the table; it is created if necessary."""
        name, mode = _complete_name(self.settings["name"], context.namespace), self.settings.get("mode", "error")
        if mode == "append" and context.spark.catalog.tableExists(name):
            # Match columns by name, not by position.
            data = data.select(*context.spark.table(name).columns)
        writer = data.write.format(self.settings.get("format", "parquet")).mode(mode)
        if self.settings.get("partition_by"):
            writer = writer.partitionBy(*self.settings["partition_by"])
        writer.options(**self.settings.get("options", {})).saveAsTable(name)

    def read_written(self, context: StageContext) -> Any:
        """Return the content of the table."""
        return context.spark.table(_complete_name(self.settings["name"], context.namespace))


def _complete_name(name: str, namespace: str) -> str:
    return name if "." in name else f"{namespace}.{name}"


def _resolve_dataset(name: str, namespace: str) -> MetadataEntity:
    # Spark's own catalog returns names in lower case (spec ID-2).
    return resolve_entity(_complete_name(name, namespace).lower())


PLUGINS = (TableSource, TableSink)
