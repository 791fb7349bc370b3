"""Tables of Spark's catalog."""

from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity, entity
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Sink, Source
from jupyter_colophon.pipelines.plugins import shapes

_NAME = shapes.text(
    "Name",
    "database.table; without a database it is that of the pipeline's namespace",
    pattern="^[A-Za-z0-9_]+([.][A-Za-z0-9_]+)?$",
)


class TableSource(Source):
    """Reads a table."""

    name = "table"
    title = "Table"
    description = "A table or a view of Spark's catalog"
    properties = {"name": _NAME}
    required = ("name",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The table."""
        return _dataset(self.settings["name"], namespace)

    def read(self, context: StageContext) -> Any:
        """The table."""
        return context.spark.table(_full(self.settings["name"], context.namespace))


class TableSink(Sink):
    """Writes a table."""

    name = "table"
    title = "Table"
    description = "A table of Spark's catalog"
    properties = {
        "name": _NAME,
        "mode": shapes.MODE,
        "format": shapes.text("Format", "How a new table is written", default="parquet"),
        "partition_by": shapes.texts("Partition by", "Columns that a new table is divided by"),
        "options": shapes.OPTIONS,
    }
    required = ("name",)

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The table."""
        return _dataset(self.settings["name"], namespace)

    def write(self, context: StageContext, data: Any) -> None:
        """The table, which is made where there is none."""
        name, mode = _full(self.settings["name"], context.namespace), self.settings.get("mode", "error")
        if mode == "append" and context.spark.catalog.tableExists(name):
            # Columns go to those of their name, not to those in their place.
            data = data.select(*context.spark.table(name).columns)
        writer = data.write.format(self.settings.get("format", "parquet")).mode(mode)
        if self.settings.get("partition_by"):
            writer = writer.partitionBy(*self.settings["partition_by"])
        writer.options(**self.settings.get("options", {})).saveAsTable(name)


def _full(name: str, namespace: str) -> str:
    return name if "." in name else f"{namespace}.{name}"


def _dataset(name: str, namespace: str) -> MetadataEntity:
    # Spark's own catalog hands names out in lower case (spec ID-2).
    return entity(_full(name, namespace).lower())


PLUGINS = (TableSource, TableSink)
