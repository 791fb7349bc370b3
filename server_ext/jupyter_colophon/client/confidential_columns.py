"""Read which columns of a dataset are confidential (docs/crawl.md, "Confidential data")."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.core.model.confidential import ConfidentialColumns

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: A descriptor: its kind, its text, and the column that it describes ("" for the dataset itself).
_Descriptor = tuple[str, str, str]
_PAGE = 500


def read_confidential_columns(catalog: "Operations", urn: str) -> ConfidentialColumns:
    """Return the confidential columns of a dataset; none if the catalog does not have it. Raises ClientError."""
    descriptors = [*_list_dataset_descriptors(catalog, urn), *_iterate_column_descriptors(catalog, urn)]
    return ConfidentialColumns.from_descriptors(descriptors)


def _list_dataset_descriptors(catalog: "Operations", urn: str) -> list[_Descriptor]:
    entity = read_or_none_if_absent(lambda: catalog.read_entity(urn)) or {"descriptors": []}
    return [(item["kind"], item["text"], item["column"] or "") for item in entity["descriptors"]]


def _iterate_column_descriptors(catalog: "Operations", urn: str) -> Iterator[_Descriptor]:
    cursor: str | None = None
    while True:
        page = read_or_none_if_absent(partial(catalog.list_fields_metadata, urn, limit=_PAGE, cursor=cursor))
        if page is None:
            return
        for field in page["fields"]:
            yield from ((item["kind"], item["text"], field["name"]) for item in field["descriptors"])
        if (cursor := page["cursor"]) is None:
            return
