"""The state of a dataset in the catalog before it is crawled."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.model.confidential import ConfidentialColumns
from jupyter_colophon.spark.crawl.documents import ASPECT

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: A descriptor: its kind, its text, and the column that it describes ("" for the dataset itself).
_Descriptor = tuple[str, str, str]
_PAGE = 500


@dataclass(frozen=True, slots=True)
class CatalogState:
    """State of a dataset. `fingerprint` is that of the last crawl; `is_new` if it was never crawled."""

    is_new: bool
    fingerprint: str | None
    confidential: ConfidentialColumns


def read_catalog_state(catalog: "Operations", urn: str) -> CatalogState:
    """Read the state of a dataset. Raises ClientError."""
    note = read_stored_aspect(catalog, urn, ASPECT)
    descriptors = [*_list_dataset_descriptors(catalog, urn), *_iterate_column_descriptors(catalog, urn)]
    return CatalogState(
        is_new=note.version < 0,
        fingerprint=note.value.get("fingerprint"),
        confidential=ConfidentialColumns.from_descriptors(descriptors),
    )


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
