"""Datasets of earlier crawls that no longer exist. They are only reported; their metadata is kept."""

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.spark.crawl.discovered import Discovered
from jupyter_colophon.spark.crawl.documents import ASPECT, Document
from jupyter_colophon.spark.crawl.report import DatasetReport

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

_PAGE = 500
_REASON = "no longer exists; its metadata is kept until the entity is deleted"


class CrawlTarget(Protocol):
    """A place to crawl. Iteration yields its datasets; the other methods may be called after it."""

    def __iter__(self) -> Iterator[Discovered]: ...

    def list_entity_filters(self) -> Iterator[Mapping[str, str]]:
        """Yield filters of `GET /entities` that match all datasets that crawls of this place may have recorded."""

    def find_name_of_missing_dataset(self, urn: str) -> str | None:
        """Return the name in reports of a dataset that belongs to this place and no longer exists; else None."""


def find_disappeared(
    catalog: "Operations", target: CrawlTarget, found_urns: Collection[str]
) -> Iterator[DatasetReport]:
    """Yield a report for each dataset that a crawl has recorded and that no longer exists. Raises ClientError."""
    for filters in target.list_entity_filters():
        for urn in (entity["urn"] for entity in _list_catalog_datasets(catalog, filters)):
            name = None if urn in found_urns else target.find_name_of_missing_dataset(urn)
            if name is not None and read_stored_aspect(catalog, urn, ASPECT).version >= 0:
                yield DatasetReport(name, "gone", urn, reason=_REASON)


def _list_catalog_datasets(catalog: "Operations", filters: Mapping[str, str]) -> Iterator[Document]:
    prefix, namespace = filters.get("prefix"), filters.get("namespace")

    def page(cursor: str | None) -> Document:
        return catalog.list_entities(limit=_PAGE, cursor=cursor, type="dataset", prefix=prefix, namespace=namespace)

    return read_pages(page, "entities")
