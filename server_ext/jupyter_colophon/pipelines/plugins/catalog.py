"""The catalog as source and sink: read entities as rows, and write rows as metadata of entities."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import MetadataUnavailable
from jupyter_colophon.client.programs.running import get_configured_server
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, SinkPlugin, SourcePlugin
from jupyter_colophon.pipelines.plugins import property_schemas

_PAGE = 100
_ROWS = "urn STRING, type STRING, namespace STRING, name STRING"


class CatalogSource(SourcePlugin):
    """Read the results of a search."""

    name = "colophon"
    title = "Catalog"
    description = "Entities found by a search, one per row: urn, type, namespace, name"
    properties = {
        "query": property_schemas.define_text("Query", "Words, key:value, prefixes with *; * finds everything"),
        "namespace": property_schemas.define_text("Namespace", "Only entities of this namespace"),
        "type": property_schemas.define_text("Type", "Only entities of this type"),
        "tag": property_schemas.define_text("Tag", "Only entities with this tag"),
        "limit": {
            "title": "Limit",
            "description": "Maximum number of entities",
            "type": "integer",
            "minimum": 1,
            "maximum": 100_000,
            "default": 10_000,
        },
    }
    required = ("query",)

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of an entity."""
        return ("urn", "type", "namespace", "name")

    def read(self, context: StageContext) -> Any:
        """Return the entities. Raises MetadataUnavailable without a server."""
        rows = list(islice(self._search_catalog(), self.settings.get("limit", 10_000)))
        return context.spark.createDataFrame(rows, _ROWS)

    def _search_catalog(self) -> Iterator[tuple[str, str, str, str]]:
        server = get_configured_server()
        if server is None:
            raise MetadataUnavailable("the catalog", "no server is configured: set COLOPHON_URL")
        catalog = Operations(Transport(server))
        filters = {name: self.settings[name] for name in ("namespace", "type", "tag") if name in self.settings}
        try:
            hits = read_pages(
                lambda cursor: catalog.search(self.settings["query"], limit=_PAGE, cursor=cursor, **filters), "hits"
            )
            yield from ((hit["urn"], hit["type"], hit["namespace"], hit["name"]) for hit in hits)
        finally:
            catalog.close()


class CatalogSink(SinkPlugin):
    """Write metadata of one entity per row."""

    name = "colophon"
    title = "Catalog"
    description = "Sets metadata of the entity in the column urn of each row; the other columns become properties"
    properties = {
        "tags": property_schemas.define_list("Tags", "Tags that are added to each entity"),
        "scope": property_schemas.define_choice(
            "Scope", "USER for metadata of people, SYSTEM for metadata of systems", "USER", "SYSTEM", default="SYSTEM"
        ),
    }

    def write(self, context: StageContext, data: Any) -> None:
        """Emit the metadata. Raises LookupError without a column urn, InvalidName for an invalid URN."""
        if "urn" not in data.columns:
            msg = f"the input has no column urn; available: {', '.join(data.columns)}"
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
