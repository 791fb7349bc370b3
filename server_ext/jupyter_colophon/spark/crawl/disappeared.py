"""What an earlier crawl told of a place, and is not there any more. It is only reported: what people said of it stays."""

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.paging import pages
from jupyter_colophon.spark.crawl.discovered import Met
from jupyter_colophon.spark.crawl.documents import ASPECT, Document
from jupyter_colophon.spark.crawl.report import Line

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

_PAGE = 500
_REASON = "is not there any more; what is said of it stays until it is deleted"


class Place(Protocol):
    """Where a crawl looks. The rest is known when all that it meets was taken from it."""

    def __iter__(self) -> Iterator[Met]: ...

    def listings(self) -> Iterator[Mapping[str, str]]:
        """Filters of `GET /entities`, which give whatever a crawl of this place may have told."""

    def lacks(self, urn: str) -> str | None:
        """What reports call a dataset that would be met if it were there, and is not; else None."""


def gone(catalog: "Operations", place: Place, met: Collection[str]) -> Iterator[Line]:
    """A line for each dataset that a crawl has told and that is gone. Raises ClientError."""
    for filters in place.listings():
        for urn in (one["urn"] for one in _listed(catalog, filters)):
            name = None if urn in met else place.lacks(urn)
            if name is not None and read_stored_aspect(catalog, urn, ASPECT).version >= 0:
                yield Line(name, "gone", urn, reason=_REASON)


def _listed(catalog: "Operations", filters: Mapping[str, str]) -> Iterator[Document]:
    prefix, namespace = filters.get("prefix"), filters.get("namespace")

    def page(cursor: str | None) -> Document:
        return catalog.list_entities(limit=_PAGE, cursor=cursor, type="dataset", prefix=prefix, namespace=namespace)

    return pages(page, "entities")
