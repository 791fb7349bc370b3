"""The catalog as source and sink: read entities as rows, and write rows as metadata of entities."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import MetadataUnavailable
from jupyter_colophon.client.programs.running import known_server
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Sink, Source
from jupyter_colophon.pipelines.plugins import shapes

_PAGE = 100
_ROWS = "urn STRING, type STRING, namespace STRING, name STRING"


class CatalogSource(Source):
    """Reads what a search finds."""

    name = "colophon"
    title = "Catalog"
    description = "Entities of the catalog that a search finds, a row each: urn, type, namespace, name"
    properties = {
        "query": shapes.text("Query", "Words, key:value, prefixes with *; * alone finds everything"),
        "namespace": shapes.text("Namespace", "Of this namespace alone"),
        "type": shapes.text("Type", "Of this entity type alone"),
        "tag": shapes.text("Tag", "Tagged with this"),
        "limit": {
            "title": "Limit",
            "description": "How many at most",
            "type": "integer",
            "minimum": 1,
            "maximum": 100_000,
            "default": 10_000,
        },
    }
    required = ("query",)

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of an entity."""
        return ("urn", "type", "namespace", "name")

    def read(self, context: StageContext) -> Any:
        """The entities. Raises MetadataUnavailable without a server."""
        rows = list(islice(self._found(), self.settings.get("limit", 10_000)))
        return context.spark.createDataFrame(rows, _ROWS)

    def _found(self) -> Iterator[tuple[str, str, str, str]]:
        server = known_server()
        if server is None:
            raise MetadataUnavailable("the catalog", "no server is known (COLOPHON_URL)")
        catalog = Operations(Transport(server))
        filters = {name: self.settings[name] for name in ("namespace", "type", "tag") if name in self.settings}
        try:
            found = pages(
                lambda cursor: catalog.search(self.settings["query"], limit=_PAGE, cursor=cursor, **filters), "hits"
            )
            yield from ((one["urn"], one["type"], one["namespace"], one["name"]) for one in found)
        finally:
            catalog.close()


class CatalogSink(Sink):
    """Writes metadata of one entity per row."""

    name = "colophon"
    title = "Catalog"
    description = "Sets metadata of the entity in the column urn of each row; the other columns become properties"
    properties = {
        "tags": shapes.texts("Tags", "These are added to each"),
        "scope": shapes.choice("Scope", "Whether people say it, or machines", "USER", "SYSTEM", default="SYSTEM"),
    }

    def write(self, context: StageContext, data: Any) -> None:
        """Emit the metadata. Raises LookupError without a column urn, InvalidName for an invalid URN."""
        if "urn" not in data.columns:
            msg = f"no column urn comes in, but {', '.join(data.columns)}"
            raise LookupError(msg)
        scope, count = self.settings.get("scope", "SYSTEM"), 0
        for row in data.toLocalIterator():
            entity, values = MetadataEntity.parse(row["urn"]), row.asDict()
            properties = {key: str(value) for key, value in values.items() if key != "urn" and value is not None}
            if properties:
                context.metadata.add_properties(entity, properties, scope=scope)
            if self.settings.get("tags"):
                context.metadata.add_tags(entity, *self.settings["tags"], scope=scope)
            count += 1
        context.log(f"emitted metadata of {count} entities")


PLUGINS = (CatalogSource, CatalogSink)
