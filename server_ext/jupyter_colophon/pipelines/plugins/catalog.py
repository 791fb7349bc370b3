"""The catalog itself: entities as data, and data as what is said of entities."""

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
        """What is known of an entity."""
        return ("urn", "type", "namespace", "name")

    def read(self, context: StageContext) -> Any:
        """The entities. Raises MetadataUnavailable without a server."""
        rows = list(islice(self._found(), self.told.get("limit", 10_000)))
        return context.spark.createDataFrame(rows, _ROWS)

    def _found(self) -> Iterator[tuple[str, str, str, str]]:
        server = known_server()
        if server is None:
            raise MetadataUnavailable("the catalog", "no server is known (COLOPHON_URL)")
        catalog = Operations(Transport(server))
        filters = {name: self.told[name] for name in ("namespace", "type", "tag") if name in self.told}
        try:
            found = pages(
                lambda cursor: catalog.search(self.told["query"], limit=_PAGE, cursor=cursor, **filters), "hits"
            )
            yield from ((one["urn"], one["type"], one["namespace"], one["name"]) for one in found)
        finally:
            catalog.close()


class CatalogSink(Sink):
    """Says something of an entity for each row."""

    name = "colophon"
    title = "Catalog"
    description = "For each row what is said of the entity in the column urn: other columns of text are properties"
    properties = {
        "tags": shapes.texts("Tags", "These are added to each"),
        "scope": shapes.choice("Scope", "Whether people say it, or machines", "USER", "SYSTEM", default="SYSTEM"),
    }

    def write(self, context: StageContext, data: Any) -> None:
        """Emit it. Raises LookupError without a column urn, InvalidName for what is no URN."""
        if "urn" not in data.columns:
            msg = f"no column urn comes in, but {', '.join(data.columns)}"
            raise LookupError(msg)
        scope, count = self.told.get("scope", "SYSTEM"), 0
        for row in data.toLocalIterator():
            of, told = MetadataEntity.parse(row["urn"]), row.asDict()
            said = {key: str(value) for key, value in told.items() if key != "urn" and value is not None}
            if said:
                context.metadata.add_properties(of, said, scope=scope)
            if self.told.get("tags"):
                context.metadata.add_tags(of, *self.told["tags"], scope=scope)
            count += 1
        context.log(f"says something of {count} entities")


PLUGINS = (CatalogSource, CatalogSink)
