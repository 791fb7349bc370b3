"""Mark data in the catalog that a program dropped, until it exists again. Their metadata, history and lineage stay."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.report_documents import DROPPED
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.core.time_format import format_ms_as_iso_time

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import Observation
    from jupyter_colophon.client.operations import Operations

Document = dict[str, Any]

_PAGE = 500


def build_drop_proposals(catalog: "Operations", observations: "Iterable[Observation]", run: str) -> Iterator[Document]:
    """Yield a proposal for each dataset of the catalog that was dropped, or created again without rows.

    Nothing is proposed for one that was written after that: the proposals for what was written remove the mark.
    """
    marks: dict[str, str | None] = {}
    for seen in observations:
        for urn in (ref.urn for ref in seen.writes):
            marks.pop(urn, None)
        for urn in (urn for name in seen.dropped for urn in _list_known_urns(catalog, name)):
            marks[urn] = format_ms_as_iso_time(seen.finished_ms)
        for urn in (urn for name in seen.created for urn in _list_known_urns(catalog, name)):
            marks[urn] = None
    for urn, mark in marks.items():
        value = {"properties": {DROPPED: mark}}
        yield {"urn": urn, "aspect": "technicalMetadata", "operation": "patch", "value": value, "run": run}


def _list_known_urns(catalog: "Operations", name: str) -> list[str]:
    """Return the URN of a table if the catalog has it, or those of the tables of a database."""
    if name.endswith(")"):
        return [] if find_entity(catalog, name) is None else [name]

    database = name.rpartition(",")[2]
    # A database of Spark's own catalog is a namespace; the names of tables of other catalogs begin with that of the catalog.
    filters = {"prefix": database} if "/" in database else {"namespace": database.removesuffix(".")}

    def page(cursor: str | None) -> Document:
        return catalog.list_entities(
            limit=_PAGE,
            cursor=cursor,
            type="dataset",
            prefix=filters.get("prefix"),
            namespace=filters.get("namespace"),
        )

    return [entity["urn"] for entity in read_pages(page, "entities") if entity["urn"].startswith(name)]
